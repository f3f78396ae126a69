/** The messages of each call, and what the generator makes of the official protocols. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { HELD } from "../../provider/terraform/host/plugin";
import { methodsOf, streamsOf, TERRAFORM_CALLS } from "../../provider/terraform/server/methods";
import * as tables from "../../provider/terraform/wire/messages.gen";
import { terraformFacts } from "../../scripts/generate/wire/facts";
import { rendered, tableOf, usedOf, wireMessages } from "../../scripts/generate/wire/messages";
import { terraform } from "../../scripts/generate/wire/terraform";
import { TestProvider } from "./support/provider";

const facts = terraformFacts();
const used = usedOf(terraform, facts);
const provider = new TestProvider({});
afterAll(() => provider.close());

/** The names of the tables that were made from an official message. */
const tablesOf = (official: string | undefined): unknown[] =>
  used
    .filter((each) => official !== undefined && each.official.includes(official))
    .map(({ name }): unknown => Reflect.get(tables, tableOf(name)));

test.each([
  ...Object.entries(methodsOf(provider.session)).map(([name, it]) => [name, "unary", it] as const),
  ...Object.entries(streamsOf(provider.session)).map(([name, it]) => [name, "stream", it] as const),
])(
  "%s answers as the protocol says (%s), and its messages are made from its own",
  (name, kind, { request, answer }) => {
    const official = facts.methods.get(`/tfplugin6.Provider/${name}`);
    expect(official?.kind).toBe(kind);
    expect(tablesOf(official?.request)).toContain(request);
    expect(tablesOf(official?.answer)).toContain(answer);
  },
);

test("every call of the newest protocol is served, but those that keep states", () => {
  const calls = [...facts.methods.keys()].filter((path) => path.startsWith("/tfplugin6."));
  const unserved = calls.filter((path) => !TERRAFORM_CALLS.includes(path));
  expect(unserved).toHaveLength(8);
  expect(unserved.filter((path) => !/State(?:s|Bytes|StoreConfig|Store)?$/.test(path))).toEqual([]);
  expect(TERRAFORM_CALLS.filter((path) => !calls.includes(path))).toEqual([]);
});

test.each(HELD)("%s is a stream of the official protocol", (path) => {
  expect(["held", "stream"]).toContain(facts.methods.get(path)?.kind);
});

/** A text by its parts, without what Prettier decides. */
const partsOf = (text: string): string[] => text.replace(/[\s,;()]+/g, "").split("/**");

test.each(Object.entries(wireMessages()))("%s is made of the official messages", (path, made) => {
  expect(partsOf(readFileSync(join(__dirname, "../..", path), "utf8"))).toEqual(partsOf(made));
});

describe("the generator", () => {
  const made = (list: string): string => rendered("sample", list, facts);

  test("takes number, type and label of a field from the official message", () => {
    const text = made(
      "Schema = Schema: version block\nBlock = Schema.Block: attributes deprecated?",
    );
    expect(text).toContain('({ version: [1, "integer"], block: [2, () => block] })');
    expect(text).toContain('({ attributes: [2, "bytes", "list"], deprecated: [6, "bool"] })');
    expect(text).toContain("readonly block?: Block | undefined;");
    expect(text).toContain("readonly attributes: readonly Buffer[];");
    expect(text).toContain("readonly deprecated?: boolean | undefined;");
  });

  test("tells a value that was left out from the default where the protocol does", () => {
    const text = made("Failure = FunctionError: text function_argument");
    expect(text).toContain(
      '({ text: [1, "string"], function_argument: [2, "integer", "optional"] })',
    );
    expect(text).toContain("readonly function_argument?: number | undefined;");
  });

  test("takes a message that is never left out at its word", () => {
    const text = made("Schema = Schema: block!\nBlock = Schema.Block: version");
    expect(text).toContain("readonly block: Block;");
  });

  test.each([
    ["a message", "A = NoSuchMessage: name", /NoSuchMessage is 0 messages/],
    ["a field", "A = Schema: no_such_field", /tfplugin6\.Schema has no field no_such_field/],
    ["one field of both", "A = Schema, Schema.Block: block", /Schema\.Block has no field block/],
    [
      "one number in both",
      "A = ReadResource.Response, ApplyResourceChange.Response: private",
      /private is not the same in/,
    ],
    ["a form", "A Schema: version", /^this names no message: A Schema/],
  ])("refuses a list for which the protocol lacks %s", (_, list, message) => {
    expect(() => made(list)).toThrow(message);
  });
});
