/** What only a real engine shows of CDKTF programs: two accounts, addresses, HCL, a stack's own folder. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { App, LocalBackend, TerraformStack, TerraformVariable, Testing } from "cdktf";
import {
  ApiKey,
  BackedUpInstance,
  Backup,
  ErphostProvider,
  l1,
  moveConstruct,
  RotatedApiKey,
  Server,
  ServerFleet,
  Team,
} from "../../../cdktf-bindings";
import { startEmulator, type Emulator } from "../../../emulator";
import { startCommand } from "../../harness/command";
import { buildMirror, hasEngine, TerraformWorkspace } from "../../harness/terraform-workspace";

const engine = hasEngine("terraform") ? "terraform" : "tofu";
let first: Emulator;
let second: Emulator;
let workspace: TerraformWorkspace;

beforeAll(async () => {
  buildMirror();
  [first, second] = (await Promise.all([1, 2].map(() => startEmulator({ provisionMs: 10 })))) as [
    Emulator,
    Emulator,
  ];
});
beforeEach(async () => {
  const env = { ERPHOST_API_KEY: first.adminKey, ERPHOST_BASE_URL: first.baseUrl };
  workspace = await TerraformWorkspace.create({ engine, env }, "");
});
afterEach(() => {
  workspace.remove();
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
});

type Build = (stack: TerraformStack, second: ErphostProvider) => void;

/** A stack with an account by the environment, and another. */
function stackOf(build: Build, app = Testing.app()): TerraformStack {
  const stack = new TerraformStack(app, "erp");
  new LocalBackend(stack, { path: "terraform.tfstate" });
  new ErphostProvider(stack, "provider");
  const { adminKey: apiKey, baseUrl } = second;
  build(stack, new ErphostProvider(stack, "second", { alias: "second", apiKey, baseUrl }));
  return stack;
}

const write = (build: Build): void => {
  workspace.write("cdk.tf.json", Testing.synth(stackOf(build), true));
};

async function expectDone(...words: [string, ...string[]]): Promise<void> {
  const { code, output } = await workspace.run(...words);
  if (code !== 0) throw new Error(`${words.join(" ")}\n${output}`);
}

const apply = ["apply", "-auto-approve", "-input=false"] as const;

test("a child's object is in its parent's account, and is destroyed there", async () => {
  const key = second.createKey({ name: "dashboard", permissions: ["read"] });
  write((stack, provider) => {
    const server = new Server(stack, "web", { provider });
    server.addInstance("erp").addBackup("first");
    new BackedUpInstance(stack, "accounting", { server, version: "17.0", provider });
    const found = ApiKey.fromApiKeyName(stack, "found", "dashboard", { provider });
    new RotatedApiKey(stack, "rotation", { key: found, provider });
    new Server(stack, "here");
  });
  await expectDone("init");
  await expectDone(...apply);
  expect(first.counts()).toMatchObject({ server: 1, instance: 0, backup: 0 });
  expect(second.counts()).toMatchObject({ server: 1, instance: 2, backup: 2 });
  const [line] = second
    .objects("api_key")
    .filter((each) => each["id"] !== key.id)
    .slice(-1);
  expect(line).toMatchObject({ name: "dashboard" });
  await expectDone("destroy", "-auto-approve", "-input=false");
  expect([first, second].map((each) => each.counts()["server"])).toEqual([0, 0]);
});

test("an object whose name is a variable is not replaced when another is declared above it", async () => {
  const program =
    (isAbove: boolean): Build =>
    (stack) => {
      if (isAbove) {
        const other = new TerraformVariable(stack, "other", { type: "string", default: "x" });
        new Server(stack, "above", { name: other.stringValue });
      }
      const name = new TerraformVariable(stack, "name", { type: "string", default: "web" });
      new ServerFleet(stack, "fleet", { servers: [{ id: "web", name: name.stringValue }] });
    };
  write(program(false));
  await expectDone("init");
  await expectDone(...apply);
  write(program(true));
  expect(await workspace.changes()).toEqual([
    { address: "erphost_server.above", actions: ["create"], importing: false },
  ]);
  await expectDone("destroy", "-auto-approve", "-input=false");
});

test("a construct takes a generated one's place, by its id or by a move, and nothing changes in the service", async () => {
  write((stack) => {
    for (const name of ["web", "bare"]) new l1.server.Server(stack, name, { name });
  });
  await expectDone("init");
  await expectDone(...apply);
  write((stack) => {
    new Server(stack, "web");
    const bare = new l1.server.Server(stack, "bare", { name: "bare" });
    moveConstruct(bare, new Server(stack, "written", { name: "bare" }));
  });
  const actions = (await workspace.changes()).map((each) => each.actions);
  // Only the identity is new, which the service never sees.
  expect(actions).toEqual([["update"], ["update"]]);
  first.clearJournal();
  await expectDone(...apply);
  expect(first.journal().filter(({ method }) => method !== "GET")).toEqual([]);
  expect((await workspace.plan()).code).toBe(0);
  expect(Object.keys(await workspace.state())).toEqual([
    "erphost_server.web",
    "erphost_server.written",
  ]);
  await expectDone("destroy", "-auto-approve", "-input=false");
});

test("every kind can be written as HCL, which the engine takes, and lists stay lists", async () => {
  const stack = stackOf((scope) => {
    const properties = { tags: ["x", "y"], nested: { list: [{ a: 1 }] } };
    const server = new Server(scope, "web", { properties, timeouts: { create: "5m" } });
    new Backup(scope, "backup", { server, triggers: { day: "1" } });
    server.addInstance("erp", { version: "17.0", readyStates: ["running"] });
    new Team(scope, "team", { members: [{ email: "ada@example.com", role: "admin" }] });
    new ApiKey(scope, "key", { permissions: ["read"], ipWhitelist: ["203.0.113.0/24"] });
    const key = ApiKey.fromApiKeyId(scope, "old", "key_1");
    new RotatedApiKey(scope, "rotation", { key, rotateOnCreate: false });
  });
  workspace.write("main.tf", String(Testing.synthHcl(stack, true)));
  await expectDone("init");
  await expectDone("validate");
  await expectDone(...apply, "-target=erphost_server.web", "-target=erphost_team.team");
  const [server] = first.objects("server").slice(-1);
  expect(server).toMatchObject({ tags: ["x", "y"], nested: { list: [{ a: 1 }] } });
  await expectDone("destroy", "-auto-approve", "-input=false");
});

test("a stack is initialised in its own folder, with the mirror in a command line configuration", async () => {
  const outdir = join(workspace.folder, "cdktf.out");
  const app = new App({ outdir });
  stackOf((stack) => new Server(stack, "web"), app);
  app.synth();
  const folder = join(outdir, "stacks/erp");
  const options = { folder, env: workspace.env, timeoutMs: 60_000, onOutput: undefined };
  const { code, output } = await startCommand(engine, ["init", "-no-color"], options).finished;
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(existsSync(join(folder, ".terraform.lock.hcl"))).toBe(true);
});
