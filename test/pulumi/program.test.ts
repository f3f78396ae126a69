/** The program that Pulumi keeps of each dynamic resource, run as Pulumi's process runs it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { expect, jest, test } from "@jest/globals";
import type { Handler } from "../../provider/pulumi/dynamic/handler";
import { programOf } from "../../provider/pulumi/dynamic/program";
import { kinds } from "../../provider/resources";
import { given } from "../support/given";

/** What the SDK wrote of a closure, which states may still have. */
const CLOSURE = readFileSync(join(__dirname, "..", "fixtures", "dynamic-closure.txt"), "utf8");

/** Pulumi's process compiles the text as a CommonJS module and calls its `handler`. */
function run(text: string): Handler {
  const module: { exports: { handler?: () => Handler } } = { exports: {} };
  const require_ = (name: string): unknown => {
    if (name !== "erphost/pulumi/handler") throw new Error(`the program requires ${name}`);
    return require("../../provider/pulumi/dynamic/handler");
  };
  // What its parameters say.
  const compiled = compileFunction(text, ["exports", "require"]) as (
    exports: object,
    require: (name: string) => unknown,
  ) => void;
  compiled(module.exports, require_);
  if (!module.exports.handler) throw new Error("the program exports no handler");
  return module.exports.handler();
}

test("the program in a dynamic resource's state is one line that names the installed handler of its kind", () => {
  for (const { title } of Object.values(kinds)) {
    const text = programOf(title);
    expect(text.length).toBeLessThan(100);
    expect(Object.keys(run(text)).sort()).toEqual(
      ["check", "configure", "create", "delete", "diff", "read", "update"].sort(),
    );
  }
});

test("the program in a dynamic resource's state of a kind that is not installed says so", () => {
  expect(() => run(programOf("Printer"))).toThrow(
    "erphost has no Printer. A newer release may have written this state.",
  );
});

test("a dynamic resource whose state has a closure written by the SDK is checked, read, compared and deleted by the installed code", async () => {
  const { emulator, intents } = await given();
  process.env["ERPHOST_INTENTS_DIR"] = intents;
  jest.resetModules();
  const settings: Record<string, string> = {
    "erphost:apiKey": emulator.adminKey,
    "erphost:baseUrl": emulator.baseUrl,
  };
  const old = run(CLOSURE);
  await old.configure({ config: { get: (key) => settings[key] } });
  const news = {
    name: "s",
    __identity: "urn:pulumi:dev::p::pulumi-nodejs:dynamic/erphost:Server::s",
    __provider: CLOSURE,
  };
  const { inputs, failures } = await old.check({}, news);
  expect(failures).toEqual([]);
  const { id, outs } = await old.create(inputs);
  const state = { ...outs, __provider: CLOSURE };
  await expect(old.read(id, state)).resolves.toMatchObject({ id, props: { name: "s" } });
  const renamed = { ...news, name: "t", __provider: programOf("Server") };
  // The program that is installed now brings its own text; its difference alone changes nothing.
  await expect(
    run(programOf("Server")).diff(id, state, { ...renamed, name: "s" }),
  ).resolves.toMatchObject({ changes: false, replaces: [] });
  await expect(old.update(id, state, renamed)).resolves.toMatchObject({ outs: { name: "t" } });
  await old.delete(id, state);
  expect(emulator.objects("server")).toEqual([]);
});
