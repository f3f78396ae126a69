import { describe, expect, test } from "@jest/globals";
import {
  catalogue,
  message,
  plainVoice,
  say,
  sentence,
  type Definition,
  type Voice,
} from "../../provider/messages";
import { constructAccountsMessages } from "../../provider/messages/catalogue/faces/construct-accounts";
import { constructsMessages } from "../../provider/messages/catalogue/faces/constructs";
import { pulumiMessages } from "../../provider/messages/catalogue/faces/pulumi";
import { voice as constructVoice } from "../../cdktf-bindings/voice";
import { voice as cliVoice } from "../../cli/voice";
import { snake } from "../../provider/contract";
import { sayWithBlocks, voice as terraformVoice } from "../../provider/terraform/voice";

import { dynamicVoice, pluginVoice } from "../../provider/pulumi/voice";
import { kinds } from "../../provider/resources";
import { settings } from "../../provider/settings";

const definitions = Object.entries(catalogue as Readonly<Record<string, Definition<unknown>>>);
const subject = { kind: "api_key", id: "key_1", name: "ci" };

/** Names of fields and settings as only the contract and Terraform write them. */
const snakeNames = [
  ...Object.values(kinds).flatMap(({ fields }) => Object.keys(fields)),
  ...Object.keys(settings).map(snake),
].filter((name) => name.includes("_"));
const terraform = [...snakeNames, "erphost_\\w+", "import \\{", "terraform", "tofu"].join("|");
const foreignToPulumi = new RegExp(`(?<![\\w.])(?:${terraform})(?!\\w)`);

/** Every face's voice; none may say a name of another. */
const VOICES: readonly (readonly [face: string, voice: Voice, foreign: RegExp])[] = [
  ["the client", plainVoice, /$^/],
  ["the Pulumi plugin", pluginVoice, foreignToPulumi],
  ["Pulumi's dynamic resources", dynamicVoice, foreignToPulumi],
  ["the command line", cliVoice, /[a-z][A-Z]|erphost:|pulumi|terraform|erphost_\w/],
  ["CDKTF", constructVoice, foreignToPulumi],
  ["Terraform", terraformVoice, /[a-z][A-Z]|erphost:|pulumi/],
];

/** About the contract profile, which every face writes in the contract's names. */
const OF_THE_PROFILE = new Set(["not_renamable", "unknown_resource", "not_offered"]);

/** What only constructs report, some of it with their methods. */
const OF_CONSTRUCTS = Object.keys({ ...constructsMessages, ...constructAccountsMessages });

/** What only the dynamic classes report, some of it with Pulumi's own words. */
const OF_CLASSES = Object.keys(pulumiMessages);

/** Everything a face may say, with what each message may be about. */
function saidBy(voice: Voice, except: ReadonlySet<string> = new Set()): string[] {
  const said = definitions.filter(([code]) => !except.has(code));
  return said.flatMap(([code, { examples }]) =>
    examples.flatMap((parts) => {
      const about = [{}, { subject }, { path: ["ip_whitelist", 0] }, { subject, path: ["name"] }];
      return about.map((each) => sentence(voice, { code, parts, ...each }));
    }),
  );
}

describe.each(VOICES)("in the words of %s", (_, voice, foreign) => {
  const said = saidBy(voice);

  test("no message shows an undefined part, an object's default text or a stray brace", () => {
    const isOdd = (text: string) => /undefined|\[object|NaN|(?<!to )null|\$\{|\{\}/.test(text);
    expect(said.filter(isOdd)).toEqual([]);
  });

  test("no message uses a name of another face", () => {
    const others = voice === constructVoice ? [] : OF_CONSTRUCTS;
    const classes = voice === dynamicVoice ? [] : OF_CLASSES;
    const except = new Set([...OF_THE_PROFILE, ...others, ...classes]);
    expect(saidBy(voice, except).filter((text) => foreign.test(text))).toEqual([]);
  });

  test("every message is made of whole sentences with the right article", () => {
    const isWhole = (text: string) => /[.!?](?: \(request \w+\))?$/.test(text);
    const isSlip = (text: string) => /\b[Aa] (?:API|instance)\b|\.\.|\s\s| ,|\( | \./.test(text);
    expect(said.filter((text) => !isWhole(text) || isSlip(text))).toEqual([]);
  });
});

describe.each(VOICES)("an id that tries to write more, in the words of %s,", (_, voice) => {
  const BREAKING = `x"\n}\nprovisioner "local-exec" {\r\u2028\u001b[2J\u202E'; rm -rf ~ $(id) \``;

  test("cannot begin a line, clear a terminal or turn text around in any message", () => {
    const forbidden = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/u;
    const odd = { kind: "server", id: BREAKING, name: BREAKING };
    const own = { subject: odd, ids: [BREAKING], id: BREAKING, name: BREAKING };
    for (const [code, { examples }] of definitions) {
      for (const parts of examples) {
        const about = { subject: odd, path: ["members", BREAKING] };
        const said = say(voice, { code, parts: { ...Object(parts), ...own }, ...about });
        expect(Object.values(said).join(" ")).not.toMatch(forbidden);
      }
    }
  });

  test("is one word of what is to be pasted into a shell", () => {
    const command = voice.importCommand("server", BREAKING);
    const outside = command.includes("import ")
      ? command.replace(/'(?:[^']|'\\'')*'/g, "")
      : command.replace(/"(?:[^"\\]|\\.)*"/g, "");
    expect(outside).not.toMatch(/rm -rf|\$\(|provisioner/);
  });
});

test("an id of the service writes no line of its own into the block that Terraform's users paste", () => {
  const id = 'x"\n}\nprovisioner "local-exec" {\n${file("/etc/passwd")}';
  const { detail } = sayWithBlocks(message("same_name", { subject: { kind: "server", id } }));
  expect(detail).toContain("import {");
  const lines = detail.slice(detail.indexOf("import {")).split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[2]).toMatch(/^ {2}id = "[^"]*\\".*\$\$\{file\(.*"$/);
  expect(detail.split("\n").some((line) => line.startsWith("provisioner"))).toBe(false);
});

test.each([
  ["programs of the plugin", pluginVoice],
  ["the dynamic classes", dynamicVoice],
])("%s say that an object not shown may be the replaced one, and how to show it", (_, voice) => {
  const subject = { kind: "server", id: "srv_1", name: "web" };
  const refused = (isShown: boolean) => sentence(voice, message("same_name", { subject, isShown }));
  expect(refused(false)).toMatch(/ holds it, unless it is the one that is replaced\. .*--refresh/);
  expect(refused(true)).not.toMatch(/that is replaced|--refresh/);
  const about = { made: "srv_2", namesake: subject, isShown: false };
  const made = message("made_with_same_name", about);
  expect(sentence(voice, made)).toMatch(/If srv_1 is not the one that is replaced, and/);
});

test("an id that a shell would take for an option is quoted in what is to be pasted", () => {
  expect(pluginVoice.importCommand("server", "--file=x")).toMatch(/ '--file=x'$/);
  expect(pluginVoice.importCommand("server", "srv_1")).toMatch(/ srv_1$/);
});

describe("the catalogue", () => {
  test.each(definitions)("a sentence says when the message %s is shown", (_, { when, summary }) => {
    expect(when).toMatch(/^[A-Z`].*\.$/s);
    expect(summary).toMatch(/^[A-Z][^.]*$/);
  });

  test("a message with an unknown code is a programming error", () => {
    expect(() => say(plainVoice, { code: "no_such_code", parts: {} })).toThrow("no_such_code");
  });

  test("the path of a message begins its sentence", () => {
    expect(say(plainVoice, message("required", {}, { path: ["members", 0, "email"] }))).toEqual({
      ...{ summary: "Missing input", apart: "", place: "members[0].email", remedy: "" },
      ...{ text: "is required", reason: "is required" },
      clause: "members[0].email is required",
      sentence: "members[0].email is required.",
    });
  });

  test("a message without a path is a whole sentence, too, and an id at its beginning keeps its letters", () => {
    expect(sentence(plainVoice, message("required", {}))).toBe("Is required.");
    const unreadable = message("record_unreadable", { id: "srv_1" });
    expect(sentence(plainVoice, unreadable)).toMatch(/^srv_1 is in the list/);
    const twinOf = { baseUrl: "https://erp.example/v1", environment: "live" };
    const address = message("not_a_twin", { baseUrl: "http://a/v1", twinOf, says: undefined });
    expect(sentence(plainVoice, address)).toMatch(/^http:\/\/a/);
  });
});
