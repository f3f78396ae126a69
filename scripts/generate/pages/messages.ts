/** `docs/messages.md`: every message, when it is said, an example, and what to do. */
import { catalogue, plainVoice, say, type Definition } from "../../../provider/messages";
import { code, header, page, table } from "../markdown";
import type { Generated } from "../files";

/** What an example is about, where its message is about something. */
const ABOUT = {
  subject: { kind: "instance", id: "ins_1", name: "erp" },
  path: ["server_id"],
} as const;

export const messagesDocs = (): Generated => ({
  "docs/messages.md": page(
    header("provider/messages/catalogue/"),
    "# Messages",
    "Everything erphost reports, by its code. Each engine shows a message in the names of its own language: where a program writes `serverId`, the message says `serverId`. The examples use the names of the contract.",
    table(["Code", "When", "Example", "What to do"], rows()),
  ),
});

const rows = (): string[][] =>
  // Parts of any message are said here; each definition has checked its own examples.
  Object.entries(catalogue as Readonly<Record<string, Definition<unknown>>>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { when, predicate, examples }]) => {
      const about = predicate ? ABOUT : { subject: ABOUT.subject };
      const said = say(plainVoice, { code: name, parts: examples[0], ...about });
      const example = predicate ? `${said.place} ${said.text}` : said.text;
      return [code(name), when, cell(example), cell(said.remedy)];
    });

const cell = (text: string): string => text.replace(/\n/g, " ");
