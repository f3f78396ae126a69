/** Functions that select, on the real engine: what the guide shows, and what is refused. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { furnish } from "../../support/finding";
import { expectDone, unwrapped } from "../support/output";
import { placePlugin } from "../support/pulumi-plugin";

const guide = readFileSync(join(__dirname, "../../../docs/guides/finding.md"), "utf8");
const shown = /^```yaml\nname: .*\n([^]*?)^```$/m.exec(guide)?.[1] ?? "";

let emulator: Emulator;
let stack: PulumiStack;
beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 10 });
  furnish(emulator);
  stack = await PulumiStack.create({
    program: join(__dirname, "programs"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
  await placePlugin(stack);
});
afterAll(async () => {
  stack.remove();
  await emulator.close();
});

const write = (program: string): void => stack.write("Pulumi.yaml", `name: every-kind\n${program}`);
const invoke = (name: string, args: object, dependsOn: readonly string[] = []) => ({
  "fn::invoke": {
    function: `erphost:${name}`,
    arguments: args,
    ...(dependsOn.length > 0 && { options: { dependsOn } }),
  },
});
const refusedWith = async (lookup: object): Promise<string> => {
  write(`runtime: yaml\nvariables: ${JSON.stringify({ lookup })}\n`);
  const { code, output } = await stack.preview();
  expect(code).not.toBe(0);
  return unwrapped(output);
};

test("the guide's functions find the newest completed backup, and the newest of all", async () => {
  write(shown);
  expectDone(await stack.up());
  const { restoreFrom, recent } = await stack.outputs();
  expect(restoreFrom).toBe("bak_2");
  expect(recent).toMatchObject(["bak_5", "bak_4", "bak_3", "bak_2"].map((id) => ({ id })));
});

test("a lookup by what the run creates waits for it, in the preview and in the run", async () => {
  const parts = {
    resources: {
      web: { type: "erphost:Server", properties: { name: "own" } },
      own: { type: "erphost:Instance", properties: { name: "own", serverId: "${web.id}" } },
      backup: { type: "erphost:Backup", properties: { instanceId: "${own.id}" } },
    },
    variables: {
      found: invoke("getBackup", { instanceId: "${backup.instanceId}", mostRecent: true }),
    },
    outputs: { made: "${backup.id}", found: "${found.id}" },
  };
  const lines = Object.entries(parts).map(([key, part]) => `${key}: ${JSON.stringify(part)}\n`);
  write(`runtime: yaml\n${lines.join("")}`);
  expectDone(await stack.preview());
  expectDone(await stack.up());
  const { made, found } = await stack.outputs();
  expect(found).toBe(made);
  expectDone(await stack.preview("--expect-no-changes"));
});

test("a time that is none is refused in the preview before any call, and several matches with their ids", async () => {
  emulator.clearJournal();
  expect(await refusedWith(invoke("getBackups", { createdBefore: "31.1.2026" }))).toContain(
    "must be an ISO 8601 timestamp or date, such as 2026-01-31",
  );
  expect(emulator.journal().filter(({ path }) => path === "/backups")).toEqual([]);
  const several = await refusedWith(invoke("getBackup", { instanceId: "ins_1" }));
  expect(several).toContain('3 backups match instanceId "ins_1": bak_3, bak_2, bak_1');
  expect(several).toContain("or set mostRecent to true");
});
