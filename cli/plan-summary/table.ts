/** A summary for a terminal: everything, without a limit. */
import { noun } from "../../provider/messages";
import { columns } from "../text";
import type { Summary } from "./schema";
import {
  countsText,
  driftWord,
  keyTexts,
  needsText,
  notesOf,
  OTHER_ACTIONS,
  othersText,
  risksOf,
  SECTIONS,
  triggerText,
  warningsOf,
} from "./words";

const sides = (before: string | null, after: string | null): string =>
  `${before ?? "nothing"} → ${after ?? "nothing"}`;

/** Lines for a terminal, without control characters. */
export function tableOf(summary: Summary): string[] {
  const plans = summary.plans.flatMap((plan) => {
    const others = othersText(plan);
    const rows = SECTIONS.flatMap(([action, , sign]) =>
      plan.objects
        .filter((object) => object.action === action)
        .flatMap((object) => [
          [
            sign,
            object.address,
            noun(object.kind),
            object.id ?? "",
            notesOf(object, String).join("; "),
          ],
          ...object.changes.map(({ field, before, after }) => [
            "",
            `  ${field}`,
            sides(before, after),
          ]),
        ]),
    );
    const elsewhere = OTHER_ACTIONS.flatMap(([action, sign]) =>
      plan.others
        .filter((one) => one.action === action)
        .flatMap(({ address, changes }) => [
          [sign, address, "of another provider", "", ""],
          ...changes.map(({ field, before, after }) => ["", `  ${field}`, sides(before, after)]),
        ]),
    );
    const invoked = plan.invocations.map((each) => [
      ...["▸", each.address, "action", "", triggerText(each, String)],
    ]);
    const later = plan.deferred.map((address) => ["…", address, "left to a later plan", "", ""]);
    const driftedElsewhere = plan.otherDrift.map(({ address, what }) => [
      ...["!", address, "of another provider", "", driftWord(what)],
    ]);
    const drifted = plan.drift.flatMap(({ address, kind, id, what, changes }) => [
      ["!", address, noun(kind), id ?? "", driftWord(what)],
      ...changes.map(({ field, before, after }) => ["", `  ${field}`, sides(before, after)]),
    ]);
    return [
      ...columns([[plan.stack ?? plan.file]]),
      `${countsText(plan)}.`,
      ...(others === undefined ? [] : [others]),
      ...warningsOf(plan).map((warning) => `Warning: ${warning}`),
      ...columns(risksOf(plan, String).map((risk) => ["!", risk])),
      ...aligned([
        ...rows,
        ...invoked,
        ...later,
        ...elsewhere,
        ...drifted,
        ...driftedElsewhere,
      ]).map((line) => `  ${line}`),
      "",
    ];
  });
  return [
    ...plans,
    ...columns(keyTexts(summary).map((text) => [text])),
    `${needsText(summary, String)}.`,
  ];
}

/** Objects in columns, and their fields, which are longer, below them. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const heads = columns(rows.filter(([sign]) => sign !== ""));
  let next = 0;
  return rows.flatMap((row) => {
    if (row[0] === "") return columns([[row.slice(1).join(": ")]]).map((line) => `  ${line}`);
    const line = heads[next] ?? "";
    next += 1;
    return [line];
  });
}
