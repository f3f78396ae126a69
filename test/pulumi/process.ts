/** Pulumi's dynamic provider process, driven as Pulumi's engine drives it, without an engine. */
import { jest } from "@jest/globals";
import type { Emulator, EmulatorOptions } from "../../emulator";
import { given } from "../support/given";

export type Properties = Record<string, unknown>;

/** What the class adds to the inputs, where a test does not look at it. */
export const CLOSURE = "exports.handler = …";

/** A service, and a folder of this test's own for the intents of its runs. */
export async function serve(options?: EmulatorOptions): Promise<Emulator> {
  const { emulator, intents } = await given(options);
  process.env["ERPHOST_INTENTS_DIR"] = intents;
  return emulator;
}

/** A new process, as each command of Pulumi has one. @param settings of the stack, by their names */
export async function newProcess(settings: Readonly<Record<string, string>>) {
  jest.resetModules();
  const { handler } =
    require("../../provider/pulumi/dynamic/handler") as typeof import("../../provider/pulumi/dynamic/handler");
  const rawConfig: Record<string, string> = { "app:size": "3" };
  for (const [key, value] of Object.entries(settings)) rawConfig[`erphost:${key}`] = value;
  await handler("Server").configure({ config: { rawConfig, get: (key) => rawConfig[key] } });
  return handler;
}

/** The inputs that a class registers. */
export const input = (identity: string, properties: Properties): Properties => ({
  ...properties,
  __identity: identity,
  __provider: CLOSURE,
});

/** What a person is shown meanwhile. */
export async function shownBy(work: () => Promise<unknown>): Promise<string> {
  const shown: string[] = [];
  const stderr = jest.spyOn(process.stderr, "write");
  stderr.mockImplementation((text) => shown.push(String(text)) > 0);
  try {
    await work();
  } finally {
    stderr.mockRestore();
  }
  return shown.join("");
}
