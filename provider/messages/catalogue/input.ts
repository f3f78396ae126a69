/** What is wrong with an input. Each continues a sentence that begins with the field. */
import { define, predicate, type Message, type Path } from "../message";

const TYPES: Readonly<Record<string, string>> = {
  int: "an integer",
  integer: "an integer",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  array: "a list",
  list: "a list",
  object: "an object",
  record: "an object",
};

const FORMATS: Readonly<Record<string, string>> = {
  email: "is not a valid email address",
  url: "is not a valid URL",
  datetime: "is not an ISO 8601 timestamp such as 2026-01-31T00:00:00Z",
  date: "is not an ISO 8601 date such as 2026-01-31",
};

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** What a bound counts: `string`, `array`, or the value itself. */
const counted = (of: string): string | undefined =>
  ({ string: "character", array: "element", set: "element" })[of];

export const inputMessages = {
  required: predicate({
    when: "A required input is missing.",
    summary: "Missing input",
    text: () => "is required",
  }),
  unknown_input: predicate<{ kind: string; near?: string | undefined; known: readonly string[] }>({
    when: "An input has a name that the kind does not have.",
    summary: "Unknown input",
    text: ({ kind, near }, { a, field }) =>
      `is not an input of ${a(kind)}${near === undefined ? "" : ` (did you mean ${field(near)}?)`}`,
    remedy: ({ near, known }, { and, field }) =>
      near === undefined ? `Its inputs are ${and(known.map((name) => field(name)))}.` : undefined,
    examples: [
      { kind: "team", known: ["name", "members"] },
      { kind: "instance", near: "server_id", known: ["name", "server_id"] },
    ],
  }),
  unknown_field: predicate<{ known: readonly string[] }>({
    when: "A call of the client is given a field that the resource does not have.",
    summary: "Unknown field",
    text: () => "is not a known field",
    remedy: ({ known }, { and, field }) =>
      `Known fields are ${and(known.map((name) => field(name)))}; put others into ${field("properties")}.`,
    examples: [{ known: ["name", "server_id"] }],
  }),
  misspelled_field: predicate<{ meant: string }>({
    when: "A field is written in another style than the program's.",
    summary: "Unknown field",
    text: ({ meant }, { field }) => `is not a known field; use ${field(meant)}`,
    examples: [{ meant: "server_id" }],
  }),
  unknown_member: predicate<{ known?: readonly string[] | undefined }>({
    when: "An object has a member that its description does not list.",
    summary: "Unknown member",
    text: ({ known }, { and }) =>
      `is not a known member${known === undefined ? "" : `; known are ${and(known)}`}`,
    examples: [{}, { known: ["email", "role"] }],
  }),
  unknown_parameter: predicate<{ known: readonly string[] }>({
    when: "A list is asked for with a parameter that it does not take.",
    summary: "Unknown parameter",
    text: ({ known }, { or }) => `is not a parameter of this list; use ${or(known)}`,
    examples: [{ known: ["page", "status"] }],
  }),
  unknown_filter: predicate<{ known: readonly string[]; near?: string | undefined }>({
    when: "A lookup is filtered by something that the list cannot be filtered by.",
    summary: "Unknown filter",
    text: ({ near }, { field }) =>
      `is not a filter${near === undefined ? "" : ` (did you mean ${field(near)}?)`}`,
    remedy: ({ known }, { and, field }) =>
      known.length === 0
        ? "This list has no filters."
        : `Filters are ${and(known.map((name) => field(name)))}.`,
    examples: [{ known: ["status", "server_id"], near: "status" }, { known: [] }],
  }),
  decided_by_service: predicate({
    when: "A field is set that only the service sets.",
    summary: "Read-only field",
    text: () => "is decided by the service and cannot be set",
  }),
  immutable: predicate({
    when: "An update names a field that cannot change after creation.",
    summary: "Immutable field",
    text: () => "cannot be changed after creation",
  }),
  owned_by_field: predicate<{ owner: string }>({
    when: "A key of the free properties is also a field of its own.",
    summary: "Key of a field",
    text: ({ owner }, { field }) => `belongs to the field ${field(owner)}; set that instead`,
    examples: [{ owner: "server_id" }],
  }),
  secret_and_open: predicate({
    when: "A key is set both in the open and in the secret properties.",
    summary: "Key given twice",
    text: (_, { field }) => `is also in ${field("properties")}; keep it in one of the two`,
  }),
  exactly_one: define<{ choice: readonly string[] }>({
    when: "None, or more than one, of inputs that exclude each other is given.",
    summary: "Exactly one needed",
    text: ({ choice }, { and, field }) =>
      `exactly one of ${and(choice.map((name) => field(name)))} is required`,
    examples: [{ choice: ["server_id", "instance_id"] }],
  }),
  same_key: predicate<{ other: Path }>({
    when: "Two members of a set have the same key.",
    summary: "Member given twice",
    text: ({ other }, { field }) => `is the same as in ${field(other)}; keep one`,
    examples: [{ other: ["members", 0] }],
  }),
  rotated_by_service: predicate<{ ours: string; theirs: string }>({
    when: "A key would be rotated both by the program and by the service.",
    summary: "Two rotators of one key",
    text: ({ theirs }, { field }) =>
      `would rotate a key that the service rotates itself (${field(theirs)} is true)`,
    remedy: ({ ours, theirs }, { field }) =>
      `Leave out ${field(ours)}, or set ${field(theirs)} to false.`,
    examples: [{ ours: "rotate_after", theirs: "auto_rotate" }],
  }),
  wrong_type: predicate<{ type: string; isNumber?: boolean }>({
    when: "A value has the wrong type.",
    summary: "Wrong type",
    text: ({ type }) => `must be ${TYPES[type] ?? `a valid ${type}`}`,
    remedy: ({ isNumber }) => (isNumber ? 'Put it in quotes: "17.0", not 17.0.' : ""),
    examples: [{ type: "string", isNumber: true }, { type: "int" }, { type: "date" }],
  }),
  too_small: predicate<{ of: string; least: number; exclusive: boolean }>({
    when: "A value is shorter, or less, than allowed.",
    summary: "Value too small",
    text: ({ of, least, exclusive }) => {
      const noun = counted(of);
      if (noun === undefined) return `must be ${exclusive ? "greater than" : "at least"} ${least}`;
      return least === 1 ? "must not be empty" : `must have at least ${plural(least, noun)}`;
    },
    examples: [
      { of: "string", least: 1, exclusive: false },
      { of: "array", least: 2, exclusive: false },
      { of: "number", least: 0, exclusive: true },
      { of: "int", least: 1, exclusive: false },
    ],
  }),
  too_big: predicate<{ of: string; most: number; exclusive: boolean }>({
    when: "A value is longer, or more, than allowed.",
    summary: "Value too large",
    text: ({ of, most, exclusive }) => {
      const noun = counted(of);
      if (noun === undefined) return `must be ${exclusive ? "less than" : "at most"} ${most}`;
      return `must have at most ${plural(most, noun)}`;
    },
    examples: [
      { of: "string", most: 255, exclusive: false },
      { of: "array", most: 1, exclusive: false },
      { of: "number", most: 1, exclusive: true },
    ],
  }),
  wrong_format: predicate<{ format: string }>({
    when: "A string does not have the format of its field.",
    summary: "Wrong format",
    text: ({ format }) => FORMATS[format] ?? "does not have the expected form",
    examples: [{ format: "email" }, { format: "datetime" }, { format: "regex" }],
  }),
  wrong_form: predicate<{ expected: string }>({
    when: "A value does not have the form that its field describes.",
    summary: "Wrong form",
    text: ({ expected }) => expected,
    examples: [{ expected: "must be a number of days followed by the letter d, such as 90d" }],
  }),
  not_a_choice: predicate<{ values: readonly string[] }>({
    when: "A value is not one of those allowed.",
    summary: "Value not allowed",
    text: ({ values }, { or }) => `must be ${or(values)}`,
    examples: [{ values: ["live", "test"] }, { values: ["warn", "error", "allow"] }],
  }),
  not_a_multiple: predicate<{ of: number }>({
    when: "A number is not a multiple of its step.",
    summary: "Value not allowed",
    text: ({ of }) => `must be a multiple of ${of}`,
    examples: [{ of: 2 }],
  }),
  wrong_shape: predicate({
    when: "A value does not have the shape of its field, and repeating more could show a secret.",
    summary: "Wrong shape",
    text: () => "has the wrong shape",
  }),
  not_an_id: predicate({
    when: "An id is empty or a step in a path.",
    summary: "Not an id",
    text: () => "must be an id that the service assigned",
  }),
  invalid_profile: predicate<{ why: Message }>({
    when: "A member of the contract profile is not what it must be.",
    summary: "Invalid profile",
    text: ({ why }, { say }) => say(why),
    remedy: () => "docs/reference/contract.md describes the profile.",
    examples: [{ why: { code: "wrong_type", parts: { type: "string" } } }],
  }),
  unknown_resource: predicate<{ known: readonly string[] }>({
    when: "A contract profile names a resource that the contract does not have.",
    summary: "Unknown resource",
    text: ({ known }, { or }) => `is not a resource of the contract; use ${or(known)}`,
    examples: [{ known: ["server", "instance"] }],
  }),
  not_renamable: predicate<{ known: readonly string[] }>({
    when: "A contract profile renames a field that does not exist or has a fixed name.",
    summary: "Field cannot be renamed",
    text: ({ known }, { or }) => `is not a field that can be renamed; use ${or(known)}`,
    examples: [{ known: ["name", "server_id"] }],
  }),
  wire_name_twice: predicate<{ wire: string }>({
    when: "A contract profile gives two fields of a resource the same name.",
    summary: "Name used twice",
    text: ({ wire }) => `gives two fields the wire name ${wire}`,
    examples: [{ wire: "label" }],
  }),
  stated: predicate<{ text: string; remedy?: string | undefined }>({
    when: "A command or the emulator refuses an option in words of its own.",
    summary: "Invalid option",
    text: ({ text }) => text,
    remedy: ({ remedy }) => remedy,
    examples: [
      { text: "must be a path", remedy: "Use one such as /tmp/seed.json." },
      { text: "is not known" },
    ],
  }),
};
