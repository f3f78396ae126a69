/** Several accounts in one program, each with a provider and a process of its own; and the log. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone } from "../support/output";
import { placePlugin } from "../support/pulumi-plugin";

let first: Emulator;
let second: Emulator;
let stack: PulumiStack;
beforeAll(async () => {
  [first, second] = await Promise.all([
    startEmulator({ provisionMs: 0 }),
    startEmulator({ provisionMs: 0 }),
  ]);
  stack = await PulumiStack.create({
    program: join(__dirname, "programs"),
    env: { ERPHOST_BASE_URL: first.baseUrl, ERPHOST_API_KEY: first.adminKey },
  });
  await placePlugin(stack);
});
afterAll(async () => {
  stack.remove();
  await Promise.all([first.close(), second.close()]);
});

const namesOf = (emulator: Emulator) => emulator.objects("server").map(({ name }) => name);

/** @param tier of both servers */
const write = (tier: number, apiKey: string): void => {
  const server = (name: string, options: object) => ({
    type: "erphost:Server",
    properties: { name, properties: { tier } },
    options,
  });
  const resources = {
    second: {
      type: "pulumi:providers:erphost",
      properties: { baseUrl: second.baseUrl, apiKey: { "fn::secret": apiKey } },
    },
    ours: server("ours", {}),
    theirs: server("theirs", { provider: "${second}" }),
  };
  stack.write(
    "Pulumi.yaml",
    `name: every-kind\nruntime: yaml\nresources: ${JSON.stringify(resources)}\n`,
  );
};

test("the default provider and an explicit one work for an account each, through changes, a new key, a refresh and the end", async () => {
  write(1, second.adminKey);
  expectDone(await stack.up());
  expect(namesOf(first)).toEqual(["ours"]);
  expect(namesOf(second)).toEqual(["theirs"]);
  const { value } = second.createKey({ permissions: ["admin"] });
  write(2, value);
  expectDone(await stack.up("--refresh"));
  expect(first.objects("server")).toMatchObject([{ name: "ours", tier: 2 }]);
  expect(second.objects("server")).toMatchObject([{ name: "theirs", tier: 2 }]);
  expectDone(await stack.preview("--refresh", "--expect-no-changes"));
});

test("Pulumi's verbose log has a line for each call, and no key", async () => {
  const { output } = expectDone(
    await stack.run("destroy", "--yes", "--skip-preview", "-v=9", "--logtostderr"),
  );
  expect(output).toMatch(/DELETE \/servers\/srv_\d+ -> 20\d in \d+ ms, attempt 1\/\d+, req_\w+/);
  expect(namesOf(first)).toEqual([]);
  expect(namesOf(second)).toEqual([]);
  expect(output).not.toContain(first.adminKey);
});
