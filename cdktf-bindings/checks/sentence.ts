/** The one place where an issue becomes a sentence for the author of a program. */
import type { InputIssue } from "../../provider/contract";
import { say, type Voice } from "../../provider/messages";
import type { Kind } from "../../provider/resources";
import { takesConstruct } from "../voice";

/** What is wrong and what to do, with the documentation of the field and an example. */
export function sentence(kind: Kind, issue: InputIssue, voice: Voice): string {
  const said = say(voice, { ...issue, subject: { kind: kind.name } });
  const name = String(issue.path[0]);
  const field = kind.fields[name];
  // Some are about several fields, so that the documentation of one does not help.
  if (field === undefined || said.clause === said.text) return said.sentence;
  // The example of an id does not help where a construct is expected.
  const hasExample = field.example !== undefined && !takesConstruct(kind.name, name);
  const example = hasExample
    ? ` For example ${voice.field([name], kind.name)}: ${JSON.stringify(field.example)}.`
    : "";
  return `${said.sentence} ${field.doc}${example}`;
}
