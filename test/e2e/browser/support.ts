/** A browser for the tests of a file, and pages of emulators in it. */
import { afterAll, beforeAll } from "@jest/globals";
import type { Emulator, EmulatorOptions } from "../../../emulator";
import { newEmulator } from "../../emulator/support";
import { Browser, type Look, type Visit } from "../../harness/browser";
import { atEnd } from "../../support/folder";

let browser: Browser;
beforeAll(async () => void (browser = await Browser.open()));
afterAll(() => browser.close());

/** The ways in which people go through every flow. */
export const ways: readonly Look[] = [
  { width: 1280, scheme: "light" },
  { width: 1280, scheme: "dark", by: "keyboard" },
  { width: 390, scheme: "light", by: "keyboard" },
];

export async function visited(emulator: Emulator, view: string, look?: Look): Promise<Visit> {
  const visit = await browser.visit(`${emulator.url}/#/${view}`, look);
  atEnd(() => visit.leave());
  return visit;
}

/** A page of an emulator of its own. */
export async function opened(view: string, options: EmulatorOptions = {}, look?: Look) {
  const emulator = await newEmulator(options);
  return { emulator, visit: await visited(emulator, view, look) };
}
