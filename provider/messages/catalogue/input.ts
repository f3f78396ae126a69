/** What is wrong with an input. Each continues a sentence that begins with the field. */
import { define } from "../message";

export const inputMessages = {
  required: define<object>({
    when: "A required input is missing.",
    summary: "Missing input",
    predicate: true,
    text: () => "is required",
    examples: [{}],
  }),
  unknown_input: define<{ kind: string; near?: string | undefined }>({
    when: "An input has a name that the kind does not have.",
    summary: "Unknown input",
    predicate: true,
    text: ({ kind, near }, { a, field }) =>
      `is not an input of ${a(kind)}${near === undefined ? "" : ` (did you mean ${field(near)}?)`}`,
    examples: [{ kind: "instance" }, { kind: "instance", near: "server_id" }],
  }),
};
