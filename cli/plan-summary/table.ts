/** A summary for a terminal: everything, without a limit. */
import { styleText } from "node:util";
import { noun } from "../../provider/messages";
import { columns } from "../text";
import type { ChangeSummary, Summary } from "./schema";
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

/** Fields have no sign. */
const fieldRows = (changes: readonly ChangeSummary[]): string[][] =>
  changes.map(({ field, before, after }) => {
    return ["", `  ${field}`, `${before ?? "nothing"} → ${after ?? "nothing"}`];
  });

/** What is lost, what changes and what is new; the sign says the same to whoever sees no colour. */
const COLOURS: Readonly<Record<string, "red" | "yellow" | "green">> = {
  ...{ "-": "red", "±": "red", "!": "yellow", "~": "yellow", "↻": "yellow", "+": "green" },
};

/** Lines for a terminal, without control characters but those of colours. */
export function tableOf(summary: Summary, isColoured: boolean): string[] {
  const painted = (sign: string, line: string): string => {
    const colour = isColoured ? COLOURS[sign] : undefined;
    return colour === undefined ? line : styleText(colour, line, { validateStream: false });
  };
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
          ...fieldRows(object.changes),
        ]),
    );
    const elsewhere = OTHER_ACTIONS.flatMap(([action, sign]) =>
      plan.others
        .filter((one) => one.action === action)
        .flatMap(({ address, changes }) => [
          [sign, address, "of another provider", "", ""],
          ...fieldRows(changes),
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
      ...fieldRows(changes),
    ]);
    return [
      ...columns([[plan.stack ?? plan.file]]),
      `${countsText(plan)}.`,
      ...(others === undefined ? [] : [others]),
      ...warningsOf(plan).map((warning) => `Warning: ${warning}`),
      ...columns(risksOf(plan, String).map((risk) => ["!", risk])).map((line) =>
        painted("!", line),
      ),
      ...aligned(
        [...rows, ...invoked, ...later, ...elsewhere, ...drifted, ...driftedElsewhere],
        painted,
      ).map((line) => `  ${line}`),
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
function aligned(
  rows: readonly (readonly string[])[],
  painted: (sign: string, line: string) => string,
): string[] {
  const heads = columns(rows.filter(([sign]) => sign !== ""));
  let next = 0;
  return rows.flatMap((row) => {
    const [sign = ""] = row;
    if (sign === "") return columns([[row.slice(1).join(": ")]]).map((line) => `  ${line}`);
    const line = heads[next] ?? "";
    next += 1;
    return [painted(sign, line)];
  });
}
