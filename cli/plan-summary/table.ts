/** A summary for a terminal: everything, without a limit. */
import { styleText } from "node:util";
import { noun } from "../../provider/messages";
import { columns } from "../text";
import type { ChangeSummary, PlanSummary, Summary } from "./schema";
import { countsText, driftWord, keyTexts, laterWords, needsText, notesOf } from "./words";
import { OTHER_ACTIONS, othersText, risksOf, SECTIONS, triggerText, warningsOf } from "./words";

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
    return [
      ...columns([[plan.stack ?? plan.file]]),
      `${countsText(plan)}.`,
      ...(others === undefined ? [] : [others]),
      ...warningsOf(plan).map((warning) => `Warning: ${warning}`),
      ...columns(risksOf(plan, String).map((risk) => ["!", risk])).map((line) =>
        painted("!", line),
      ),
      ...aligned(rowsOf(plan), painted).map((line) => `  ${line}`),
      "",
    ];
  });
  const key = columns(keyTexts(summary).map((text) => [text]));
  return [...plans, ...key, `${needsText(summary, String)}.`];
}

/** Everything that the plan does, in the order in which a person should read it. */
function rowsOf(plan: PlanSummary): string[][] {
  const rows = SECTIONS.flatMap(([action, , sign]) =>
    plan.objects
      .filter((one) => one.action === action)
      .flatMap((one) => [
        [sign, one.address, noun(one.kind), one.id ?? "", notesOf(one, String).join("; ")],
        ...fieldRows(one.changes),
      ]),
  );
  const elsewhere = OTHER_ACTIONS.flatMap(([action, sign]) =>
    plan.others
      .filter((one) => one.action === action)
      .flatMap(({ address, imported, changes }) => [
        [sign, address, "of another provider", "", imported ? "imported" : ""],
        ...fieldRows(changes),
      ]),
  );
  const invoked = plan.invocations.map((each) => [
    ...["▸", each.address, "action", "", triggerText(each, String)],
  ]);
  const later = plan.later.map(({ address, action }) => [
    ...["…", address, "left to a later plan", "", laterWords(action)],
  ]);
  const moved = plan.moves.map(({ from, to }) => ["→", to, "", "", `moved from ${from}`]);
  const failed = plan.failedChecks.map(({ address, problems }) => [
    ...["!", address, "check that fails", "", problems.join("; ")],
  ]);
  const driftedElsewhere = plan.otherDrift.map(({ address, what }) => [
    ...["!", address, "of another provider", "", driftWord(what)],
  ]);
  const drifted = plan.drift.flatMap(({ address, kind, id, what, changes }) => [
    ["!", address, noun(kind), id ?? "", driftWord(what)],
    ...fieldRows(changes),
  ]);
  return [rows, invoked, later, moved, failed, elsewhere, drifted, driftedElsewhere].flat();
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
