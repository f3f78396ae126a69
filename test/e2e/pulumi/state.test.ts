/** What Pulumi keeps of dynamic resources: how much, and what an earlier release left there. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone } from "../support/output";

/** Of each resource, in `pulumi stack export`, however many of its fields are set. */
const BYTES_MAX = 3 * 1024;
/** What the SDK wrote of a closure, which states may still have. */
const CLOSURE = readFileSync(
  join(__dirname, "..", "..", "fixtures", "dynamic-closure.txt"),
  "utf8",
);

interface Exported {
  readonly deployment: { readonly resources: StoredResource[] };
}

interface StoredResource {
  readonly urn: string;
  readonly type: string;
  readonly inputs?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
}

let emulator: Emulator;
let stack: PulumiStack;

beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 0 });
  stack = await PulumiStack.create({
    program: join(__dirname, "programs", "all"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
  await stack.setConfig("canary", "a-root-password", "--secret");
  const { id } = emulator.createKey({ name: "dashboard", permissions: ["servers:read"] });
  await stack.setConfig("rotatedKey", id);
  expectDone(await stack.up());
});
afterAll(async () => {
  stack.remove();
  await emulator.close();
});

const isDynamic = ({ type }: StoredResource): boolean => type.startsWith("pulumi-nodejs:dynamic/");

async function exported(): Promise<Exported> {
  const { stdout } = expectDone(await stack.run("stack", "export"));
  return JSON.parse(stdout) as Exported;
}

test("every dynamic resource takes at most 3 KB of Pulumi's state, the program that runs it included", async () => {
  const { deployment } = await exported();
  const sizes = deployment.resources
    .filter(isDynamic)
    .map((resource) => [resource.urn.replace(/.*:/, ""), JSON.stringify(resource).length] as const);
  expect(sizes).toHaveLength(11);
  expect(sizes.filter(([, bytes]) => bytes > BYTES_MAX)).toEqual([]);
});

test("a preview as JSON holds no closure of a dynamic resource, and no source", async () => {
  await stack.setConfig("edited", "true");
  const { stdout } = expectDone(await stack.preview("--json"));
  await stack.setConfig("edited", "false");
  const programs = [...stdout.matchAll(/"__provider": "((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = ""]) => text,
  );
  expect(programs.length).toBeGreaterThan(0);
  for (const text of programs) expect(text).toMatch(/^exports\.handler=.{1,80}$/);
});

test("a stack whose state has closures that the SDK wrote has nothing to change, is refreshed, changed and destroyed", async () => {
  const state = await exported();
  for (const { type, inputs, outputs } of state.deployment.resources.filter(isDynamic)) {
    const title = /\w+$/.exec(type)?.[0] ?? "";
    const closure = CLOSURE.replace('title: "Server"', `title: ${JSON.stringify(title)}`);
    for (const properties of [inputs, outputs]) {
      if (properties) properties["__provider"] = closure;
    }
  }
  const file = join(stack.folder, "with-closures.json");
  writeFileSync(file, JSON.stringify(state));
  expectDone(await stack.run("stack", "import", "--file", file));
  emulator.clearJournal();
  expectDone(await stack.refresh("--expect-no-changes"));
  expectDone(await stack.up("--expect-no-changes"));
  expect(emulator.journal().every(({ method }) => method === "GET")).toBe(true);
  await stack.setConfig("edited", "true");
  expectDone(await stack.up());
  const { deployment } = await exported();
  const server = deployment.resources.find(({ urn }) => urn.endsWith("Server::full"));
  expect(String(server?.outputs?.["__provider"]).length).toBeLessThan(100);
  expectDone(await stack.destroy());
  expect(emulator.objects("server")).toEqual([]);
});
