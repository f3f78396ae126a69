/** An account of whatever names, as a program of `erphost import` for Pulumi. */
import { expect } from "@jest/globals";
import type { Emulator } from "../../../emulator";
import { erphost } from "../../cli/support";
import { folder } from "../../support/folder";
import { plantAnyAccount } from "./any-account";
import { opened, openedEmulator } from "./opened";
import { expectDone } from "./output";
import { openStack } from "./pulumi-plugin";

/**
 * Writes the program, and opens a stack for it with the plugin.
 * @param format of `erphost import --to`
 * @param env variables of Pulumi
 */
export async function taking(
  format: string,
  env: Readonly<Record<string, string>> = {},
  plant: (emulator: Emulator) => number = plantAnyAccount,
) {
  const emulator = await openedEmulator();
  const own = { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey };
  const out = folder();
  const count = plant(emulator);
  const words = ["import", "--to", format, "--out", out, "--property", "*"];
  const { code, err } = await erphost(words, { env: own });
  if (code !== 0) throw new Error(err.join("\n"));
  // As the guide says for large accounts: the state is written once.
  const once = { PULUMI_SKIP_CHECKPOINTS: "true", ...env };
  const stack = opened(await openStack(emulator, once, out));
  emulator.clearJournal();
  return { emulator, stack, count };
}

/** An up imports everything, and no run so far has changed anything. */
export async function expectTakenOver({
  emulator,
  stack,
  count,
}: Awaited<ReturnType<typeof taking>>): Promise<void> {
  const { output } = expectDone(await stack.up());
  expect(output).toContain(` = ${count} imported`);
  // The stack itself is what is created.
  expect(output).toMatch(/ \+ 1 created/);
  expect(output).not.toMatch(/\d (?:updated|replaced|deleted)/);
  expect(emulator.journal().filter(({ method }) => method !== "GET")).toEqual([]);
}
