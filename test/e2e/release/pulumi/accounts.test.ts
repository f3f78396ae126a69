/** Several accounts in one program with the dynamic classes, on the real engine. */
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import type { Emulator } from "../../../../emulator";
import type { PulumiStack } from "../../../harness/pulumi-stack";
import { findTexts } from "../../support/files";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone, unwrapped } from "../../support/output";
import { openCompiled } from "../../pulumi/stack";

let all: Emulator[];
let own: Emulator;
let eu: Emulator;
let us: Emulator;
let stack: PulumiStack;
/** Everything that Pulumi has printed. */
let printed = "";

beforeAll(async () => {
  [own, eu, us] = [await openedEmulator(), await openedEmulator(), await openedEmulator()];
  all = [own, eu, us];
  const onOutput = (text: string) => (printed += text);
  stack = opened(await openCompiled("accounts", own, { onOutput }));
});

const namesIn = (emulator: Emulator) =>
  ["server", "instance"].flatMap((kind) => emulator.objects(kind).map(({ name }) => name));

const clearJournals = (): void => {
  for (const emulator of all) emulator.clearJournal();
};

const refusal = async (command: "up" | "destroy"): Promise<string> => {
  clearJournals();
  const { code, output } = await stack[command]();
  expect(code).not.toBe(0);
  expect(output).not.toContain("    at ");
  return unwrapped(output);
};

const writes = () => all.flatMap((each) => each.journal()).filter(({ method }) => method !== "GET");

test("each object, its children and lookups are in the account that the program names", async () => {
  const values = Object.entries({ eu, us }).map(([name, { baseUrl, adminKey }]) => [
    ...["--plaintext", `erphost:accounts.${name}.baseUrl=${baseUrl}`],
    ...["--secret", `erphost:accounts.${name}.apiKey=${adminKey}`],
  ]);
  expectDone(await stack.run("config", "set-all", "--path", ...values.flat()));
  expectDone(await stack.up());
  expect([own, eu, us].map(namesIn)).toEqual([["own"], ["shop", "erp"], ["single"]]);
  expect(await stack.outputs()).toEqual({ servers: 1, key: "key_1" });
  expectDone(await stack.preview("--json", "--refresh", "--expect-no-changes"));
});

test("an object that is declared in another account stays where it is, unless its replacement is asked for", async () => {
  stack.configure({ single: "eu" });
  const said = await refusal("up");
  expect(said).toContain(
    "Server srv_1 (single) is in account us, but the program declares it in account eu, and an object cannot move to another account.",
  );
  const urn = /pulumi up --replace '?(urn:\S+?)'?`/.exec(said)?.[1] ?? "no URN";
  expect(writes()).toEqual([]);
  expectDone(await stack.up("--replace", urn));
  expect([own, eu, us].map(namesIn)).toEqual([["own"], ["shop", "single", "erp"], []]);
});

test("another name of the same account, here of the environment, changes the state alone", async () => {
  expectDone(await stack.run("config", "rm", "erphost:accounts.eu", "--path"));
  stack.env["ERPHOST_ACCOUNT_EUROPE_BASE_URL"] = eu.baseUrl;
  stack.env["ERPHOST_ACCOUNT_EUROPE_API_KEY"] = eu.adminKey;
  stack.configure({ shop: "europe", single: "europe" });
  clearJournals();
  const { output } = expectDone(await stack.up());
  expect(unwrapped(output)).toContain("Account eu is account europe now");
  expect(writes()).toEqual([]);
});

test("what is in an account that is not configured any more is not deleted", async () => {
  // Where the key is in the stack's configuration, Pulumi itself keeps it for these commands.
  const env = { ...stack.env };
  delete stack.env["ERPHOST_ACCOUNT_EUROPE_BASE_URL"];
  delete stack.env["ERPHOST_ACCOUNT_EUROPE_API_KEY"];
  expect(await refusal("destroy")).toMatch(
    /(?:Server|Instance) \w+ \((?:shop|single|erp)\) is in account europe, which is not configured/,
  );
  expect(namesIn(eu)).toEqual(["shop", "single", "erp"]);
  Object.assign(stack.env, env);
  expectDone(await stack.destroy());
  expect(all.flatMap(namesIn)).toEqual([]);
});

test("no key of an account is in what Pulumi printed or wrote", () => {
  stack.write("printed.txt", printed);
  const keys = all.map(({ adminKey }) => adminKey);
  expect(findTexts([stack.folder], keys)).toEqual([]);
  stack.write("planted.txt", keys.join());
  const file = join(stack.program, "planted.txt");
  expect(findTexts([stack.folder], keys)).toEqual(keys.map((text) => ({ file, text })));
});
