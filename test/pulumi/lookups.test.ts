/** Lookups of programs with the dynamic resources: the suite that every face shares. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as pulumi from "@pulumi/pulumi";
import { startEmulator, type Emulator } from "../../emulator";
import { camel, pascal, resources } from "../../provider/contract";
import * as erphost from "../../provider/pulumi";
import { found, furnish, refused } from "../support/finding";
import { folder } from "../support/given";

let emulator: Emulator;
const before = { ...process.env };
beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 0 });
  furnish(emulator);
  // The program's engine reads its environment when it is first used.
  process.env["ERPHOST_API_KEY"] = emulator.adminKey;
  process.env["ERPHOST_BASE_URL"] = emulator.baseUrl;
  process.env["ERPHOST_INTENTS_DIR"] = folder();
});
afterAll(async () => {
  process.env = before;
  await emulator.close();
});

type Asked = Pick<(typeof found)[number], "kind" | "form" | "by">;
type Function = (args: object) => Promise<{ id: string } | { id: string }[]>;

const ask = async ({ kind, form, by }: Asked): Promise<string[]> => {
  const name = `get${pascal(form === "one" ? kind : resources[kind].plural)}`;
  // The functions are generated for every resource, under these names.
  const lookup = (erphost as unknown as Readonly<Record<string, Function>>)[name];
  const args = Object.fromEntries(Object.entries(by).map(([key, value]) => [camel(key), value]));
  return [(await lookup?.(args)) ?? []].flat().map(({ id }) => id);
};

describe("a lookup of a program", () => {
  test.each(found)("$claim", async ({ ids, ...lookup }) => {
    expect(await ask(lookup)).toEqual(ids);
  });

  test.each(refused)("$claim", async ({ says, early, ...lookup }) => {
    emulator.clearJournal();
    await expect(ask(lookup)).rejects.toThrow(says);
    if (early) expect(emulator.journal()).toEqual([]);
  });

  test("takes outputs, and waits for them", async () => {
    const instanceId = pulumi.output(Promise.resolve("ins_1"));
    const newest = erphost.getBackupOutput({ instanceId, mostRecent: true });
    expect(await new Promise((resolve) => newest.id.apply(resolve))).toBe("bak_3");
    const all = erphost.getBackupsOutput({ instanceId });
    expect(await new Promise((resolve) => all.length.apply(resolve))).toBe(3);
  });
});
