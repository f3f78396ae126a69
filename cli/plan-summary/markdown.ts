/** A summary as a comment of a pull request: what is lost first, and never longer than a forge takes. */
import { noun, visible } from "../../provider/messages";
import {
  callsText,
  countsText,
  driftWord,
  keyTexts,
  notesOf,
  number,
  OTHER_ACTIONS,
  othersText,
  paceTexts,
  SECTIONS,
  triggerText,
  warningsOf,
} from "./words";
import type { ChangeSummary, DriftSummary, ObjectSummary, PlanSummary, Summary } from "./schema";

/** GitHub takes 65,536 characters; the rest is for whoever adds a heading or a link. */
const MARKDOWN_LENGTH_MAX = 60_000;
/** Kept for what comes after the objects, and for what was left out. */
const TAIL_LENGTH_MAX = 8_000;
/** Objects of one line: the first of them show their fields, within this many characters. */
const NAME_LENGTH_MAX = 200;
const CHANGES_MAX = 10;

/** The comment. @param what of drift, nothing is said of an apply */
export function markdownOf(summary: Summary, what: "plan" | "drift" = "plan"): string {
  const tail = what === "drift" ? "" : tailOf(summary).join("\n");
  const room = new Room(
    MARKDOWN_LENGTH_MAX - Math.min(tail.length, TAIL_LENGTH_MAX) - LEFT_OUT_LENGTH_MAX,
  );
  // A plan that only reads brings the state up to date, which nobody asks about.
  const heads = summary.plans.map((plan) =>
    headOf(what === "drift" ? { ...plan, changesState: false } : plan),
  );
  let plansLeftOut = 0;
  // Every plan says how much it does before any says what, so that none is hidden by a long one.
  const shownHeads = heads.filter((head) => room.take(head) || ((plansLeftOut += 1), false));
  const bodies = summary.plans.slice(0, shownHeads.length).map((plan) => bodyOf(plan, room));
  const parts = shownHeads.flatMap((head, index) => [head, ...(bodies[index] ?? [])]);
  const missing =
    plansLeftOut === 0 ? [] : [`\n**${number(plansLeftOut)} more plans are left out here.**`];
  return [...parts, ...missing, tail.slice(0, TAIL_LENGTH_MAX)].join("\n").trimEnd();
}

const LEFT_OUT_LENGTH_MAX = 200;

/** How many characters are left; a line is taken whole or not at all. */
class Room {
  constructor(private left: number) {}

  take(text: string): boolean {
    const needed = text.length + 1;
    if (needed > this.left) return false;
    this.left -= needed;
    return true;
  }
}

function headOf(plan: PlanSummary): string {
  const others = othersText(plan);
  return [
    `### ${code(plan.stack ?? plan.file)}`,
    "",
    `${countsText(plan)}.`,
    ...(others === undefined ? [] : ["", others]),
    ...warningsOf(plan).flatMap((warning) => ["", `**Warning:** ${warning}`]),
    "",
  ].join("\n");
}

/** Each section with the lines that there is room for. */
function bodyOf(plan: PlanSummary, room: Room): string[] {
  const sections = [
    ...SECTIONS.map(
      ([action, title]) =>
        [title, plan.objects.filter((one) => one.action === action).map(objectLines)] as const,
    ),
    [
      "Invoked",
      plan.invocations.map((each): Item => [
        `- ${code(each.address)}: ${triggerText(each, code)}`,
        "",
      ]),
    ] as const,
    ["Left to a later plan", plan.deferred.map((each): Item => [`- ${code(each)}`, ""])] as const,
    ["Of other providers, not judged", othersLines(plan)] as const,
    ["Drifted", plan.drift.map(driftLines)] as const,
  ];
  return sections.flatMap(([title, items]) =>
    items.length === 0 ? [] : section(title, items, room),
  );
}

/** First line and the rest of it, which is left out first. */
type Item = readonly [line: string, details: string];

function section(title: string, items: readonly Item[], room: Room): string[] {
  const heading = `#### ${title}\n`;
  const notice = (count: number): string => `- … and ${number(count)} more, left out here`;
  // Room for the heading and the notice is taken first: what is left out is always said.
  if (!room.take(`${heading}\n\n${notice(items.length)}`)) return [];
  const lines: string[] = [];
  let leftOut = 0;
  for (const [line, details] of items) {
    if (leftOut > 0 || !room.take(line)) leftOut += 1;
    else lines.push(line, ...(details !== "" && room.take(details) ? [details] : []));
  }
  return [heading, ...lines, ...(leftOut === 0 ? [] : [notice(leftOut)]), ""];
}

function objectLines(object: ObjectSummary): Item {
  const notes = notesOf(object, code);
  return [
    `- ${titleOf(object)}${notes.map((note) => `; ${note}`).join("")}`,
    changeLines(object.changes),
  ];
}

function othersLines({ others, otherDrift }: PlanSummary): Item[] {
  const changes = OTHER_ACTIONS.flatMap(([action, , words]) =>
    others.filter((one) => one.action === action).map(({ address }) => [address, words] as const),
  );
  const drifted = otherDrift.map(({ address, what }) => [address, driftWord(what)] as const);
  return [...changes, ...drifted].map(([address, words]) => [`- ${code(address)}: ${words}`, ""]);
}

const driftLines = (drift: DriftSummary): Item => [
  `- ${titleOf({ ...drift, name: null })}${drift.what === "gone" ? "; is gone" : ""}`,
  changeLines(drift.changes),
];

function titleOf({
  address,
  kind,
  name,
  id,
}: Pick<ObjectSummary, "address" | "kind" | "name" | "id">): string {
  const known = [name, id].filter((one) => one !== null).map(code);
  return `${code(address)}: ${[noun(kind), ...known].join(" ")}`;
}

function changeLines(changes: readonly ChangeSummary[]): string {
  const lines = changes
    .slice(0, CHANGES_MAX)
    .map(({ field, before, after }) => `  - ${code(field)}: ${side(before)} → ${side(after)}`);
  const more = changes.length - lines.length;
  return [...lines, ...(more > 0 ? [`  - … and ${number(more)} more fields`] : [])].join("\n");
}

const side = (value: string | null): string => (value === null ? "nothing" : code(value));

function tailOf(summary: Summary): string[] {
  const { scopes } = summary;
  if (summary.plans.length === 0) return [];
  return [
    "#### What applying it takes",
    "",
    ...keyTexts(summary).map((text) => `- ${escaped(text)}`),
    `- ${callsText(summary)}.`,
    ...paceTexts(summary).map(([limit, takes]) => `  - ${limit}: ${takes}`),
    ...(scopes.length === 0 ? [] : ["- Scopes of the key:"]),
    ...scopes.map(
      ({ scope, actions, objects }) =>
        `  - ${code(scope)}: ${actions.join(", ")}${objects === 0 ? "" : ` (${number(objects)})`}`,
    ),
  ];
}

/**
 * Text that somebody else chose, as a code span: nothing in it is a mention, a link, HTML or Markdown.
 * The fence is longer than any run of backticks inside.
 */
export function code(text: string): string {
  const line = visible(text);
  const cut = line.length <= NAME_LENGTH_MAX ? line : `${line.slice(0, NAME_LENGTH_MAX)}…`;
  if (cut.trim() === "") return "`(blank)`";
  const runs = [...cut.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const pad = /^[` ]|[` ]$/.test(cut) ? " " : "";
  return `${fence}${pad}${cut}${pad}${fence}`;
}

/** Words of ours around ids of the service. */
export const escaped = (text: string): string =>
  visible(text).replace(/[<>&`*_[\]\\@#|~]/g, "\\$&");
