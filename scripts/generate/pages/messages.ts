/** `docs/reference/messages.md`: every message, when it is said, an example, and what to do. */
import { capital, catalogue, plainVoice, say, type Definition } from "../../../provider/messages";
import { code, header, page, table } from "../markdown";
import type { Generated } from "../files";

/** What an example is about; a field stands for whichever one a message continues. */
const ABOUT = { subject: { kind: "instance", id: "ins_1", name: "erp" } } as const;

export const messagesDocs = (): Generated => ({
  "docs/reference/messages.md": page(
    header("provider/messages/catalogue/"),
    "# Messages",
    "Everything erphost reports, by its code. Each engine shows a message in the names of its language: where a program writes `serverId`, the message says `serverId`. The examples use the names of the contract; `…` is the field or setting that the message is about.",
    table(["Code", "When", "Example", "What to do"], rows()),
  ),
});

const rows = (): string[][] =>
  // Parts of any message are said here; each definition has checked its own examples.
  Object.entries(catalogue as Readonly<Record<string, Definition<unknown>>>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { when, predicate, examples }]) => {
      const said = say(plainVoice, { code: name, parts: examples[0], ...ABOUT });
      const example = predicate ? `… ${said.text}` : capital(said.text);
      return [code(name), when, cell(example), cell(said.remedy)];
    });

const cell = (text: string): string => text.replace(/\n/g, " ");
