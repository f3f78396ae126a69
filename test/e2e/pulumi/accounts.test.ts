/** Several accounts in one program with the dynamic classes, on the real engine. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone, unwrapped } from "../support/output";

let own: Emulator;
let eu: Emulator;
let us: Emulator;
let stack: PulumiStack;
/** Everything that Pulumi has printed. */
let printed = "";

beforeAll(async () => {
  [own, eu, us] = await Promise.all(
    [1, 2, 3].map(() => startEmulator({ provisionMs: 0 })) as [
      Promise<Emulator>,
      Promise<Emulator>,
      Promise<Emulator>,
    ],
  );
  stack = await PulumiStack.create({
    program: join(__dirname, "programs", "accounts"),
    env: { ERPHOST_BASE_URL: own.baseUrl, ERPHOST_API_KEY: own.adminKey },
    onOutput: (text) => (printed += text),
  });
});
afterAll(async () => {
  stack.remove();
  await Promise.all([own, eu, us].map((emulator) => emulator.close()));
});

const configure = async (account: string, { baseUrl, adminKey }: Emulator): Promise<void> => {
  const key = `erphost:accounts.${account}`;
  const { code, output } = await stack.run(
    ...["config", "set-all", "--path", "--plaintext", `${key}.baseUrl=${baseUrl}`],
    ...["--secret", `${key}.apiKey=${adminKey}`],
  );
  expect(output).not.toContain(adminKey);
  expect(code).toBe(0);
};

const namesIn = (emulator: Emulator) =>
  ["server", "instance"].flatMap((kind) => emulator.objects(kind).map(({ name }) => name));

const refusal = async (command: "preview" | "up" | "refresh" | "destroy"): Promise<string> => {
  for (const emulator of [own, eu, us]) emulator.clearJournal();
  const { code, output } = await stack[command]();
  expect(code).not.toBe(0);
  expect(output).not.toContain("    at ");
  return unwrapped(output);
};

const writesTo = (...emulators: Emulator[]) =>
  emulators.flatMap((each) => each.journal().filter(({ method }) => method !== "GET"));

test("an account without a configuration, or without a key, is refused in the preview with what to run", async () => {
  await configure("us", us);
  expect(await refusal("preview")).toContain(
    "Account eu is not configured; the stack's configuration has us. For its address, run `pulumi config set --path erphost:accounts.eu.baseUrl`",
  );
  await stack.setConfig("erphost:accounts.eu.baseUrl", eu.baseUrl, "--path");
  expect(await refusal("preview")).toContain(
    "accounts.eu.apiKey is missing. Run `pulumi config set --path --secret erphost:accounts.eu.apiKey` or set ERPHOST_ACCOUNT_EU_API_KEY.",
  );
  expect(eu.journal()).toEqual([]);
});

test("each object, its children and lookups are in the account that the program names", async () => {
  await configure("eu", eu);
  expectDone(await stack.up());
  expect([own, eu, us].map(namesIn)).toEqual([["own"], ["shop", "erp"], ["single"]]);
  expect(await stack.outputs()).toEqual({ servers: 1, key: "key_1" });
  expectDone(await stack.up("--refresh", "--expect-no-changes"));
});

test("an object that is declared in another account stays where it is, unless its replacement is asked for", async () => {
  stack.configure({ single: "eu" });
  const said = await refusal("up");
  expect(said).toContain(
    "Server srv_1 (single) is in account us, but the program declares it in account eu, and an object cannot move to another account.",
  );
  const urn = /pulumi up --replace '?(urn:\S+?)'?`/.exec(said)?.[1] ?? "no URN";
  expect(writesTo(own, eu, us)).toEqual([]);
  expectDone(await stack.up("--replace", urn));
  expect([own, eu, us].map(namesIn)).toEqual([["own"], ["shop", "single", "erp"], []]);
});

test("another name of the same account, here of the environment, changes the state alone", async () => {
  await stack.run("config", "rm", "erphost:accounts.eu", "--path");
  stack.env["ERPHOST_ACCOUNT_EUROPE_BASE_URL"] = eu.baseUrl;
  stack.env["ERPHOST_ACCOUNT_EUROPE_API_KEY"] = eu.adminKey;
  stack.configure({ shop: "europe", single: "europe" });
  for (const emulator of [own, eu, us]) emulator.clearJournal();
  const { output } = expectDone(await stack.up());
  expect(unwrapped(output)).toContain("Account eu is account europe now");
  expect(writesTo(own, eu, us)).toEqual([]);
  expectDone(await stack.preview("--expect-no-changes"));
});

test("what is in an account that is not configured any more is neither read nor deleted", async () => {
  // Where the key is in the stack's configuration, Pulumi itself keeps it for these commands.
  const env = { ...stack.env };
  delete stack.env["ERPHOST_ACCOUNT_EUROPE_BASE_URL"];
  delete stack.env["ERPHOST_ACCOUNT_EUROPE_API_KEY"];
  const says =
    /(?:Server|Instance) \w+ \((?:shop|single|erp)\) is in account europe, which is not configured/;
  expect(await refusal("refresh")).toMatch(says);
  expect(await refusal("destroy")).toMatch(says);
  expect(namesIn(eu)).toEqual(["shop", "single", "erp"]);
  Object.assign(stack.env, env);
  expectDone(await stack.destroy());
  expect([own, eu, us].flatMap(namesIn)).toEqual([]);
});

test("no key of an account is in what Pulumi printed or wrote", async () => {
  const { stdout } = expectDone(await stack.run("preview", "--json"));
  const files = readdirSync(join(stack.folder, "backend"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  expect(files.length).toBeGreaterThan(1);
  const all = [printed, stdout, stack.settingsText(), ...files].join("\n");
  for (const { adminKey } of [own, eu, us]) expect(all).not.toContain(adminKey);
});
