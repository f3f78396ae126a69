/** What a fault reads like to the author of a program: the one place where an issue becomes a sentence. */
import { camel, type InputIssue } from "../../provider/contract";
import { pathText, plainVoice, say } from "../../provider/messages";
import type { Kind } from "../../provider/resources";

/** Fields that a construct takes under another name: an id as the construct that has it. */
export type Renamed = Readonly<Record<string, string>>;

/** Field, fault and remedy, in the names of constructs. */
export function sentence(kind: Kind, issue: InputIssue, renamed: Renamed): string {
  const [head, ...rest] = issue.path;
  const field = kind.fields[String(head)];
  const name = renamed[String(head)] ?? camel(String(head));
  const said = say(plainVoice, issue);
  const fault = inOwnNames(kind, said.reason, renamed).replace(/\.$/, "");
  const remedy =
    field === undefined ? "" : ` ${field.doc}${exampleOf(field.example, name, renamed)}`;
  const isWhole = said.clause === said.text;
  return `${isWhole ? fault : `${pathText([name, ...rest])} ${fault}`}.${remedy}`;
}

function exampleOf(example: unknown, name: string, renamed: Renamed): string {
  // An example of an id is of no use where a construct is expected.
  if (example === undefined || Object.values(renamed).includes(name)) return "";
  return ` For example ${name}: ${JSON.stringify(example)}.`;
}

/** The check's messages name fields as the contract does. */
function inOwnNames(kind: Kind, message: string, renamed: Renamed): string {
  return message.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) =>
    word in kind.fields ? (renamed[word] ?? camel(word)) : word,
  );
}
