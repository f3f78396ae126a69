/** A summary as a comment of a pull request: what is lost first, and never longer than a forge takes. */
import { noun, visible } from "../../provider/messages";
import { shortened } from "../text";
import { alike, type Group } from "./alike";
import { countsText, driftWord, groupTitle, keyTexts, laterWords, needsText } from "./words";
import { notesOf, number, OTHER_ACTIONS, otherKeys, othersText, risksOf } from "./words";
import { SECTIONS, triggerText, warningsOf } from "./words";
import type { ChangeSummary, DriftSummary, ObjectSummary, PlanSummary, Summary } from "./schema";

/** GitHub takes 65,536 characters; the rest is for whoever adds a heading or a link. */
const MARKDOWN_LENGTH_MAX = 60_000;
/** Objects of one line: the first of them show their fields, within this many characters. */
const NAME_LENGTH_MAX = 200;
const CHANGES_MAX = 10;
/** What a new object may do stands whole, with all of its fields. */
const CREATED_CHANGES_MAX = 40;
const ELEMENTS_MAX = 40;
/** Of what a list gets and loses, together. */
const ELEMENTS_LENGTH_MAX = 900;
const RISKS_LENGTH_MAX = 20_000;
/** What one object may take from the others after it. */
const DETAILS_LENGTH_MAX = 5_000;

export interface MarkdownOptions {
  /** Of drift, nothing is said of an apply. Default: plan. */
  readonly what?: "plan" | "drift";
  /** Whether each plan has a heading. Default: true. */
  readonly isHeaded?: boolean;
  /** Default: 60,000 characters. */
  readonly lengthMax?: number;
}

export function markdownOf(summary: Summary, options: MarkdownOptions = {}): string {
  const { what = "plan", isHeaded = true, lengthMax = MARKDOWN_LENGTH_MAX } = options;
  const needs = what === "drift" || summary.plans.length === 0 ? [] : needsLines(summary);
  const room = new Room(lengthMax - needs.join("\n").length - LEFT_OUT_LENGTH_MAX);
  // A plan that only reads brings the state up to date, which nobody asks about.
  const pages = summary.plans.map((plan) => ({
    head: headOf(what === "drift" ? { ...plan, changesState: false } : plan, isHeaded),
    risks: risksSection(plan),
    sections: sectionsOf(plan),
  }));
  // Every plan says how much it does, and of what, before any says more: none is hidden by a long one.
  const shown = pages.filter(({ head, risks, sections }) =>
    room.take([head, ...[...risks, ...sections].map(frameOf)].join("\n")),
  );
  const risks = shown.map((page) => filled(page.risks, room.part(RISKS_LENGTH_MAX)));
  const bodies = shown.map((page) => filled(page.sections, room));
  const parts = shown.flatMap(({ head }, index) => [
    head,
    ...(risks[index] ?? []),
    // What one plan takes is of more use than its details.
    ...(shown.length === 1 ? needs : []),
    ...(bodies[index] ?? []),
  ]);
  const leftOut = pages.length - shown.length;
  const missing = leftOut === 0 ? [] : [`\n**${number(leftOut)} more plans are left out here.**`];
  return [...parts, ...missing, ...(shown.length === 1 ? [] : needs)].join("\n").trimEnd();
}

const needsLines = (summary: Summary): string[] => [
  ...keyTexts(summary).map((text) => `**Key:** ${escaped(text)}\n`),
  `${needsText(summary, code)}.\n`,
];

const risksSection = (plan: PlanSummary): Section[] =>
  withItems([["Look at these first", risksOf(plan, code).map((risk) => [`- ${risk}`])]]);

const LEFT_OUT_LENGTH_MAX = 200;

/** How many characters are left; a line is taken whole or not at all. */
class Room {
  constructor(
    private left: number,
    private readonly whole?: Room,
  ) {}

  /** Room for at most this many characters, which are taken from this one. */
  part(lengthMax: number): Room {
    return new Room(Math.min(lengthMax, this.left), this);
  }

  has(text: string): boolean {
    return text.length < this.left;
  }

  take(text: string): boolean {
    if (!this.has(text)) return false;
    this.left -= text.length + 1;
    this.whole?.take(text);
    return true;
  }
}

function headOf(plan: PlanSummary, isHeaded: boolean): string {
  const others = othersText(plan);
  return [
    ...(isHeaded ? [`### ${code(plan.stack ?? plan.file)}`, ""] : []),
    `${countsText(plan)}.`,
    ...(others === undefined ? [] : ["", others]),
    ...warningsOf(plan).flatMap((warning) => ["", `**Warning:** ${warning}`]),
    "",
  ].join("\n");
}

function sectionsOf(plan: PlanSummary): Section[] {
  const { objects, invocations, later, moves, failedChecks, drift } = plan;
  const ours = SECTIONS.map(([action, title]): Section => {
    return [title, objectItems(objects.filter((one) => one.action === action))];
  });
  return withItems([
    ...ours,
    ["Invoked", invocations.map((each) => lineOf(each.address, triggerText(each, code)))],
    ["Left to a later plan", later.map((each) => lineOf(each.address, laterWords(each.action)))],
    ["Moved in the state", moves.map(({ from, to }) => [`- ${code(from)} → ${code(to)}`])],
    [
      "Checks that fail",
      failedChecks.map(({ address, problems }) => lineOf(address, problems.map(code).join(", "))),
    ],
    ["Of other providers, not judged", othersLines(plan)],
    ["Drifted", drift.map(driftLines)],
  ]);
}

const lineOf = (address: string, what: string): Item => [
  `- ${code(address)}${what === "" ? "" : `: ${what}`}`,
];

/** First line and the lines below it, which are left out first; how many objects it is about; most lines. */
type Item = readonly [line: string, details?: string, objects?: number, most?: number];
type Section = readonly [title: string, items: readonly Item[]];

const withItems = (sections: readonly Section[]): Section[] =>
  sections.filter(([, items]) => items.length > 0);

const headingOf = (title: string): string => `#### ${title}\n`;
const noticeOf = (items: readonly Item[]): string =>
  `- … and ${number(items.reduce((sum, [, , objects = 1]) => sum + objects, 0))} more, left out here`;
const moreFields = (left: readonly string[]): string =>
  `  - … and ${number(left.length)} more fields`;
/** What a section takes at least: what is left out is always said. */
const frameOf = ([title, items]: Section): string => `${headingOf(title)}\n\n${noticeOf(items)}`;

/** Each section, whose frame is taken already, with the lines that there is room for. */
const filled = (sections: readonly Section[], room: Room): string[] =>
  sections.flatMap(([title, items]) => {
    const lines: string[] = [];
    let shown = 0;
    for (const [line, details = "", , most = CHANGES_MAX] of items) {
      const below = details.split("\n").filter(Boolean);
      if (!room.has(`${line}\n${moreFields(below)}`)) break;
      room.take(line);
      shown += 1;
      // The line that says how many are left out always has room.
      let length = 0;
      const isFull = (one: string, at: number): boolean =>
        (length += one.length) > DETAILS_LENGTH_MAX ||
        at === most ||
        !room.has(`${one}\n${moreFields(below)}`) ||
        !room.take(one);
      const end = below.findIndex(isFull);
      const [seen, left] = end < 0 ? [below, []] : [below.slice(0, end), below.slice(end)];
      lines.push(line, ...seen);
      if (left.length > 0 && room.take(moreFields(left))) lines.push(moreFields(left));
    }
    const left = items.slice(shown);
    return [headingOf(title), ...lines, ...(left.length === 0 ? [] : [noticeOf(left)]), ""];
  });

/** Objects by themselves or, where they are alike, all of them in one line. */
function objectItems(objects: readonly ObjectSummary[]): Item[] {
  // Only the name of a new object may differ: whatever else does has to be seen.
  const groups = alike(objects, (object) => {
    const changes = object.changes.filter((change) => !isNewName(change));
    return JSON.stringify([object.kind, notesOf(object, code), changes]);
  });
  return groups.map((group) => {
    const [object] = group.items;
    const notes = notesOf(object, code)
      .map((note) => `; ${note}`)
      .join("");
    if (group.items.length === 1) {
      const most = object.action === "create" ? CREATED_CHANGES_MAX : CHANGES_MAX;
      // A new object's name is in its title.
      const changes = object.changes.filter((one) => !isNewName(one) || object.name === null);
      return [`- ${titleOf(object)}${notes}`, changeLines(changes), 1, most];
    }
    const changes = object.changes.map((change) =>
      isNewName(change) ? namesText(group) : changeText(change),
    );
    const rest = changes.length === 0 ? "" : `; ${changes.join(", ")}`;
    const line = `- ${groupTitle(group, code)}: ${noun(object.kind)}${notes}${rest}`;
    return [line, lostKeys(group), group.items.length];
  });
}

const isNewName = ({ field, before }: ChangeSummary): boolean =>
  field === "name" && before === null;

/** Whatever is lost is named, and not only counted. */
function lostKeys(group: Group<{ readonly action: string }>): string {
  const isLost = ["delete", "replace"].includes(group.items[0].action);
  const keys = isLost ? otherKeys(group, code) : "";
  return keys === "" ? "" : `  - also ${keys}`;
}

/** The first and the last of them. */
function namesText({ items }: Group<ObjectSummary>): string {
  const nameOf = (object: ObjectSummary | undefined): string =>
    side(object?.changes.find(({ field }) => field === "name")?.after ?? null);
  return `${code("name")} ${nameOf(items[0])} … ${nameOf(items.at(-1))}`;
}

const importedFirst = ({ action, imported }: PlanSummary["others"][number]): string =>
  imported && action !== "import" ? ", imported first" : "";

function othersLines({ others, otherDrift }: PlanSummary): Item[] {
  const changes = OTHER_ACTIONS.flatMap(([action, , words]) =>
    alike(
      others.filter((one) => one.action === action),
      (one) => JSON.stringify([one.imported, one.changes]),
    ).map((group): Item => {
      const lines = [lostKeys(group), changeLines(group.items[0].changes)];
      const details = lines.filter(Boolean).join("\n");
      const line = `- ${groupTitle(group, code)}: ${words}${importedFirst(group.items[0])}`;
      return [line, details, group.items.length];
    }),
  );
  return [...changes, ...otherDrift.map(({ address, what }) => lineOf(address, driftWord(what)))];
}

const driftLines = (drift: DriftSummary): Item => [
  `- ${titleOf({ ...drift, name: null })}${drift.what === "gone" ? "; is gone" : ""}`,
  changeLines(drift.changes),
];

function titleOf(object: Pick<ObjectSummary, "address" | "kind" | "name" | "id">): string {
  const { address, kind, name, id } = object;
  const known = [name, id].filter((one) => one !== null).map(code);
  return `${code(address)}: ${[noun(kind), ...known].join(" ")}`;
}

/** Those of a free map last: the others decide what becomes of the object. */
const changeLines = (changes: readonly ChangeSummary[]): string =>
  Object.values(Object.groupBy(changes, ({ field }) => (field.startsWith("properties.") ? 1 : 0)))
    .flatMap((some) => some.map((change) => `  - ${changeText(change)}`))
    .join("\n");

function changeText({ field, before, after, added = [], removed = [] }: ChangeSummary): string {
  const isLong = [before, after].some((text) => text !== null && shortened(text) !== text);
  if (isLong && added.length + removed.length > 0) {
    const parts = [elementsText("added", added, removed), elementsText("removed", removed, added)];
    return `${code(field)}: ${parts.filter(Boolean).join("; ")}`;
  }
  const old = before === null ? "" : `${side(before, after)} → `;
  return `${code(field)}: ${old}${side(after, before)}`;
}

function elementsText(what: string, texts: readonly string[], others: readonly string[]): string {
  if (texts.length === 0) return "";
  let left = others.length === 0 ? ELEMENTS_LENGTH_MAX : ELEMENTS_LENGTH_MAX / 2;
  const shown = texts
    .slice(0, ELEMENTS_MAX)
    .map((text, index) => side(text, others[index]))
    .filter((text) => (left -= text.length + 2) >= 0);
  const more = texts.length - shown.length;
  return `${what} ${shown.join(", ")}${more > 0 ? `, … and ${number(more)} more` : ""}`;
}

const side = (value: string | null, other: string | null = null): string =>
  value === null ? "nothing" : code(shortened(value, other));

/** Somebody else's text as a code span, in which nothing is a mention, a link, HTML or Markdown. */
export function code(text: string): string {
  const line = visible(text);
  const half = NAME_LENGTH_MAX / 2;
  const cut = line.length <= 2 * half ? line : `${line.slice(0, half)}…${line.slice(-half)}`;
  if (cut.trim() === "") return "`(blank)`";
  const runs = [...cut.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const pad = /^[` ]|[` ]$/.test(cut) ? " " : "";
  return `${fence}${pad}${cut}${pad}${fence}`;
}

/** Words of ours around texts of the service, which can neither end a cell of a table nor begin markup. */
export const escaped = (text: string): string =>
  visible(text).replace(/[<>&`*_[\]\\@#|~]/g, "\\$&");
