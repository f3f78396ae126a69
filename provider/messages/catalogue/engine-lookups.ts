/** What cannot be done with an object: operations that are not offered, imports, lookups by name. */
import { define, shortened, type Message, type Path, type Subject, type Words } from "../message";
import { lookedUpBy } from "../safe";

export const engineLookups = {
  not_deleted: define<{ subject: Subject }>({
    when: "The service says that an object to be deleted does not exist, and keeps listing it.",
    summary: "Not deleted",
    text: (_, { it }) =>
      `${it} was not deleted: the service says that it does not exist, and still lists it`,
    remedy: () => "Try again later, or report it to the service.",
    examples: [{ subject: { kind: "server", id: "srv_1" } }],
  }),
  not_offered: define<{
    kind: string;
    operation: "create" | "update";
    rotation: boolean;
    /** What the service answered; left out where it was not asked. */
    answer?: Message | undefined;
  }>({
    when: "The service does not offer an operation on a kind.",
    summary: "Not offered",
    text: ({ kind, operation, answer }, { a, say }) =>
      answer === undefined ? `the service does not let you ${operation} ${a(kind)}` : say(answer),
    remedy: ({ kind, operation, rotation, answer }, { type, remedy }) => {
      const instead = rotation
        ? `Create the key in the dashboard and declare its rotation (${type("api_key_rotation")}), which the service offers.`
        : `Leave it out, or name the operation in the contract profile (resources.${kind}.operations.${operation}).`;
      if (answer === undefined) return instead;
      return rotation
        ? `${remedy(answer)} If the service does not create keys: ${instead.charAt(0).toLowerCase()}${instead.slice(1)}`
        : remedy(answer);
    },
    examples: [
      { kind: "server", operation: "update", rotation: false },
      { kind: "api_key", operation: "create", rotation: true },
      {
        kind: "api_key",
        operation: "create",
        rotation: true,
        answer: {
          code: "call_failed",
          parts: {
            operation: "POST /api-keys",
            error: "not_offered",
            status: 404,
            why: {
              code: "nothing_at_address",
              parts: {
                url: "https://erp.example/v1/api-keys",
                status: 404,
                body: "120 characters, text/html",
              },
            },
          },
        },
      },
    ],
  }),
  not_importable: define<{ kind: string }>({
    when: "A declaration that is not an object in the service is imported.",
    summary: "Cannot be imported",
    text: ({ kind }, { a }) =>
      `${a(kind)} cannot be imported: it is a declaration, not an object in the service`,
    remedy: (_, { field }) =>
      `Declare it with ${field("key_id")}, and set ${field("rotate_on_create")} to false to leave the key alone for now.`,
    examples: [{ kind: "api_key_rotation" }],
  }),
  list_limited: define<{ plural: string; limit: number; isSure: boolean }>({
    when: "A query lists as many objects as it is limited to.",
    summary: "More than the limit",
    text: ({ plural, limit, isSure }, { noun }) =>
      `there ${isSure ? "are" : "may be"} more ${noun(plural)} than the ${limit} that were listed`,
    remedy: () => "Set a higher limit (100 where none is given), or narrow the query.",
    examples: [
      { plural: "servers", limit: 100, isSure: true },
      { plural: "api_keys", limit: 100, isSure: false },
    ],
  }),
  list_may_lack: define<{ plural: string }>({
    when: "A list changed while a query read it, so that an object may have been skipped.",
    summary: "List changed meanwhile",
    text: ({ plural }, { noun }) =>
      `the list of ${noun(plural)} changed while it was read, and some of them may be missing`,
    remedy: () => "Run the query again when fewer changes are being made.",
    examples: [{ plural: "servers" }],
  }),
  not_adoptable: define<{ subject: Subject; fields: readonly Path[] }>({
    when: "An object to be adopted differs in something that cannot be changed.",
    summary: "Cannot be adopted",
    text: ({ fields }, { field, it, or }) =>
      `${it} cannot be adopted: it differs in ${or(fields.map(field))}, and changing that forces replacement`,
    remedy: () => "Use the value in the service, or leave the object out of this program.",
    examples: [{ subject: { kind: "server", id: "srv_1", name: "web" }, fields: [["server_id"]] }],
  }),
  not_found: define<{ kind: string; by: string; value: string; baseUrl?: string | undefined }>({
    when: "The service lists no object of the id or name that is asked for.",
    summary: "Not found",
    text: ({ kind, by, value }, { noun }) =>
      by === "name"
        ? `there is no ${noun(kind)} named ${value}`
        : `there is no ${noun(kind)} with the ${by} ${lookedUpBy(by, value)}`,
    remedy: ({ by, baseUrl }) =>
      baseUrl === undefined ? undefined : `Check the ${by} and the account (${baseUrl}).`,
    examples: [
      { kind: "server", by: "id", value: "srv_1", baseUrl: "https://erp.example.com/v1" },
      { kind: "team", by: "name", value: "ops" },
    ],
  }),
  nameless: define<{ kind: string }>({
    when: "An object of a kind that has no names is imported by name.",
    summary: "Not found",
    text: ({ kind }, { a }) => `${a(kind)} has no name, so it cannot be imported by name`,
    remedy: () => "Use its id.",
    examples: [{ kind: "backup" }],
  }),
  ambiguous_name: define<{ kind: string; name: string; ids: readonly string[] }>({
    when: "Several objects have the name that is asked for.",
    summary: "Name is not unique",
    text: ({ kind, name, ids }, { noun }) =>
      `${ids.length} objects of kind ${noun(kind)} are named ${name}: ${ids.join(", ")}`,
    remedy: () => "Use the id of the right one.",
    examples: [{ kind: "server", name: "web", ids: ["srv_1", "srv_2"] }],
  }),
  nothing_to_find: define<{ choice: readonly string[] }>({
    when: "A lookup of one object does not say which.",
    summary: "Nothing to look for",
    text: ({ choice }, { field, or }) =>
      `at least one of ${or(choice.map((name) => field(name)))} is required`,
    examples: [{ choice: ["id", "name", "status"] }],
  }),
  nothing_matches: define<{
    kind: string;
    criteria: Criteria;
    near?: { readonly without: string; readonly ids: readonly string[] } | undefined;
  }>({
    when: "A lookup of one object finds none.",
    summary: "Not found",
    text: ({ kind, criteria }, words) => `no ${words.noun(kind)} matches ${said(criteria, words)}`,
    remedy: ({ near }, { field }) =>
      near === undefined
        ? "Check what it is looked up by, and the account."
        : `Without ${field(near.without)}, the lookup matches ${shortened(near.ids)}.`,
    examples: [
      { kind: "server", criteria: [["name", "web"]] },
      {
        kind: "backup",
        criteria: [
          ["instance_id", "ins_1"],
          ["status", "completed"],
        ],
        near: { without: "status", ids: ["bak_1", "bak_2"] },
      },
    ],
  }),
  several_match: define<{
    kind: string;
    plural: string;
    criteria: Criteria;
    ids: readonly string[];
    /** What differs between them. */
    narrow: readonly string[];
    mostRecent: string;
  }>({
    when: "A lookup of one object finds several.",
    summary: "Several found",
    text: ({ plural, criteria, ids }, words) =>
      `${ids.length} ${words.noun(plural)} match ${said(criteria, words)}: ${shortened(ids)}`,
    remedy: ({ narrow, mostRecent }, { field, or }) =>
      `Narrow the lookup by ${or(narrow.map((name) => field(name)))}, or set ${field(mostRecent)} to true to take the newest.`,
    examples: [
      {
        kind: "backup",
        plural: "backups",
        criteria: [["instance_id", "ins_1"]],
        ids: ["bak_2", "bak_1"],
        narrow: ["id", "status", "created_after"],
        mostRecent: "most_recent",
      },
    ],
  }),
};

/** What was looked for: names of fields and their values. */
type Criteria = readonly (readonly [name: string, value: unknown])[];

/** `name "web" and status "running"` */
const said = (criteria: Criteria, { and, field }: Pick<Words, "and" | "field">): string =>
  and(criteria.map(([name, value]) => `${field(name)} ${lookedUpBy(name, JSON.stringify(value))}`));
