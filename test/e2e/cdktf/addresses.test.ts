/** What only a real engine shows of addresses: which edits of a program leave every object in its place. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { LocalBackend, TerraformStack, TerraformVariable, Testing } from "cdktf";
import { ErphostProvider, l1, moveConstruct, Server, ServerFleet } from "../../../cdktf-bindings";
import { startEmulator, type Emulator } from "../../../emulator";
import { buildMirror, hasEngine, TerraformWorkspace } from "../../harness/terraform-workspace";
import { expectDone } from "../support/output";

const engine = hasEngine("terraform") ? "terraform" : "tofu";
let emulator: Emulator;
let workspace: TerraformWorkspace;

beforeAll(async () => {
  buildMirror();
  emulator = await startEmulator({ provisionMs: 10 });
  const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
  workspace = await TerraformWorkspace.create({ engine, env }, "");
});
afterAll(async () => {
  workspace.remove();
  await emulator.close();
});

function write(build: (stack: TerraformStack) => void): void {
  const stack = new TerraformStack(Testing.app(), "erp");
  new LocalBackend(stack, { path: "terraform.tfstate" });
  new ErphostProvider(stack, "provider");
  build(stack);
  workspace.write("cdk.tf.json", Testing.synth(stack, true));
}

/** A fleet with a member whose name Terraform alone knows. */
function declareFleet(stack: TerraformStack): void {
  const name = new TerraformVariable(stack, "name", { type: "string", default: "trial" });
  new ServerFleet(stack, "fleet", { servers: [{ id: "trial", name: name.stringValue }] });
}

test("a construct takes a generated one's place, by its id or by a move, and one whose name is a variable stays when another is declared above it", async () => {
  write((stack) => {
    for (const name of ["web", "bare"]) new l1.server.Server(stack, name, { name });
    declareFleet(stack);
  });
  expectDone(await workspace.run("init"));
  expectDone(await workspace.apply());
  const before = emulator.objects("server");

  write((stack) => {
    const other = new TerraformVariable(stack, "other", { type: "string", default: "x" });
    new Server(stack, "above", { name: other.stringValue });
    new Server(stack, "web");
    const bare = new l1.server.Server(stack, "bare", { name: "bare" });
    moveConstruct(bare, new Server(stack, "written", { name: "bare" }));
    declareFleet(stack);
  });
  const changes = await workspace.changes();
  // Of those that are taken over, only the identity is new, which the service never sees.
  expect(changes.map(({ address, actions }) => `${address} ${actions.join()}`)).toEqual([
    "erphost_server.above create",
    "erphost_server.web update",
    "erphost_server.written update",
  ]);
  emulator.clearJournal();
  expectDone(await workspace.run("apply", "plan.bin"));
  const written = emulator.journal().filter(({ method }) => method !== "GET");
  expect(written.map(({ operation }) => operation)).toEqual(["server.create"]);
  expect(emulator.objects("server")).toEqual(expect.arrayContaining(before));
  expectDone(await workspace.plan());
  expectDone(await workspace.destroy());
});
