/** What of an account is managed, what is not, and what cannot be had, as data and as Markdown. */
import type { Account } from "../../provider";
import { capital, noun } from "../../provider/messages";
import { kinds, lookups } from "../../provider/resources";
import { code as codeSpan, escaped } from "../plan-summary/markdown";
import type { Candidate, KindInventory } from "./program/inventory";
import type { Program } from "./program/model";
import { pluralOf } from "./write/modules";

export type Report = ReturnType<typeof reportOf>;
export type KindReport = Report["kinds"][number];

/** Something that no import gives. */
export interface Unavailable {
  readonly what: string;
  /** Objects that it is about; empty: all of its kind. */
  readonly ids: readonly string[];
  readonly why: string;
}

const POSSIBLE = "No program has it. It can be taken over with --to and --out.";
const UNSELECTED = "The options leave it out.";

/** @param program what this run writes; undefined: nothing */
export const reportOf = (
  account: Account,
  inventories: readonly KindInventory[],
  program: Program | undefined,
) => ({
  account: { baseUrl: account.baseUrl, environment: account.environment },
  kinds: inventories.map((inventory) => kindReport(inventory, program)),
  unavailable: [
    ...inventories.flatMap(unread),
    ...inventories.flatMap(secretsOfKeys),
    ...inventories.flatMap(secretFields),
    ...inventories.flatMap(otherKeys),
    ...neverImported(),
  ] satisfies Unavailable[],
});

function kindReport(inventory: KindInventory, program: Program | undefined) {
  const { kind, taken, known, unselected, unusable, unread: why, moved, free } = inventory;
  const written = program?.objects.filter((object) => object.kind === kind) ?? [];
  const names = new Map(taken.map(({ id, name }) => [id, name ?? null]));
  const left = (why: string) => (each: Candidate) => unmanaged(each, why);
  return {
    kind: kind.name,
    /** Objects in the service; null where the list could not be read. */
    listed:
      why === undefined ? taken.length + known.length + unselected.length + unusable.length : null,
    managed: {
      program: known.filter(([, { in: place }]) => place === "program").length,
      state: known.filter(([, { in: place }]) => place === "state").length,
    },
    /** Written by this run. */
    taken: written.map(({ id, place }) => ({ id, name: names.get(id) ?? null, as: place })),
    unmanaged: [
      ...(program ? [] : taken.map(left(POSSIBLE))),
      ...unselected.map(left(UNSELECTED)),
      ...unusable.map((each) => unmanaged(each, each.why)),
    ],
    /** The list changed while it was read: something may be missing. */
    incomplete: moved,
    /** Free fields by name, and how many objects have each. Written only where `--property` asks. */
    freeFields: Object.fromEntries(free),
  };
}

const unmanaged = ({ id, name }: Pick<Candidate, "id" | "name">, why: string) => ({
  id,
  name: name ?? null,
  why,
});

function unread({ kind, unread: why }: KindInventory): Unavailable[] {
  return why === undefined ? [] : [{ what: kind.name, ids: [], why }];
}

function secretsOfKeys({ kind, taken }: KindInventory): Unavailable[] {
  const ids = taken.map(({ id }) => id);
  const why = "The service shows a secret once, when it makes it. A rotation gives a new one.";
  return Object.entries(kind.fields).flatMap(([name, { secret = false, use }]) =>
    secret && use === "output" && ids.length > 0
      ? [{ what: `${kind.name}.${name}`, ids, why }]
      : [],
  );
}

function secretFields({ kind, taken }: KindInventory): Unavailable[] {
  const names = new Set(taken.flatMap(({ record }) => record.secrets));
  return [...names]
    .sort()
    .map((name) => ({
      what: `${kind.name}.${name}`,
      ids: taken.filter(({ record }) => record.secrets.includes(name)).map(({ id }) => id),
      why: "It may hold a secret, so it is not written. Give it in secret_properties to manage it.",
    }));
}

function otherKeys({ kind, otherKeys: ids }: KindInventory): Unavailable[] {
  if (ids.length === 0) return [];
  const why =
    "A key and those that rotations made of it are one object, known by the first one's id.";
  return [{ what: kind.name, ids, why }];
}

function neverImported(): Unavailable[] {
  const lists = lookups.filter(({ name }) => kinds[name] === undefined);
  const declarations = Object.values(kinds).filter(({ resource }) => resource === undefined);
  const listed =
    "The service only lists them, so no program can declare one. A data source reads them.";
  const declared = "It is a declaration of a program, not an object in the service.";
  return [
    ...lists.map(({ name }) => ({ what: name, ids: [], why: listed })),
    ...declarations.map(({ name }) => ({ what: name, ids: [], why: declared })),
  ];
}

/** A line for each list that may miss something. @param isReported whether a report says why */
export const warningsOf = (inventories: readonly KindInventory[], isReported: boolean): string[] =>
  inventories.flatMap(({ kind, moved, unusable: { length } }) => [
    ...(moved ? [`${noun(pluralOf(kind))} changed each time they were read: run this again.`] : []),
    ...(length === 0
      ? []
      : [
          `${length.toLocaleString("en")} ${noun(length === 1 ? kind.name : pluralOf(kind))} ` +
            `cannot be declared${isReported ? "." : " (--report says why)."}`,
        ]),
  ]);

/** The whole page in Markdown, with a line break at its end. */
export function markdown({ account, kinds, unavailable }: Report): string {
  const sections = [
    `# Objects of the ${account.environment} account at ${account.baseUrl}`,
    summary(kinds),
    ...(kinds.some(({ incomplete }) => incomplete) ? [incompleteNote(kinds)] : []),
    ...unmanagedSection(kinds),
    ...unavailableSection(unavailable),
    ...freeFieldsSection(kinds),
  ];
  return `${sections.join("\n\n")}\n`;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

const summary = (kinds: readonly KindReport[]): string =>
  table(
    ["Kind", "In the service", "Managed", "Taken over now", "Unmanaged"],
    kinds.map(({ kind, listed, managed, taken, unmanaged }) => [
      capital(noun(kind)),
      listed === null ? "unknown" : String(listed),
      String(managed.program + managed.state),
      String(taken.length),
      listed === null ? "unknown" : String(unmanaged.length),
    ]),
  );

const incompleteNote = (kinds: readonly KindReport[]): string => {
  const names = kinds.filter(({ incomplete }) => incomplete).map(({ kind }) => noun(kind));
  return `Lists that changed each time they were read, so that an object may be missing here: ${names.join(", ")}. Run the command again.`;
};

function unmanagedSection(kinds: readonly KindReport[]): string[] {
  const rows = kinds.flatMap(({ kind, unmanaged }) =>
    unmanaged.map(({ id, name, why }) => [
      capital(noun(kind)),
      code(id),
      name === null ? "" : code(name),
      escaped(why),
    ]),
  );
  return rows.length === 0 ? [] : ["## Unmanaged", table(["Kind", "Id", "Name", "Why"], rows)];
}

/** More ids than these are counted. */
const IDS_MAX = 20;

function unavailableSection(unavailable: readonly Unavailable[]): string[] {
  if (unavailable.length === 0) return [];
  const lines = unavailable.map(({ what, ids, why }) => {
    const more = ids.length > IDS_MAX ? ` and ${ids.length - IDS_MAX} more` : "";
    const about = ids.length === 0 ? "" : ` (${ids.slice(0, IDS_MAX).map(code).join(", ")}${more})`;
    return `- ${code(what)}${about}: ${escaped(why)}`;
  });
  return ["## What an import cannot give", lines.join("\n")];
}

function freeFieldsSection(kinds: readonly KindReport[]): string[] {
  const rows = kinds.flatMap(({ kind, freeFields }) =>
    Object.entries(freeFields).map(([name, count]) => [
      capital(noun(kind)),
      code(name),
      String(count),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    "## Further fields of the service",
    "They are written to `properties` where `--property` names them.",
    table(["Kind", "Field", "Objects"], rows),
  ];
}

/** Text of the service as code, which ends no cell of a table. */
const code = (text: string): string => codeSpan(text).replaceAll("|", "\\|");
