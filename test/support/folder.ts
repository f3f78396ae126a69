import { afterAll, afterEach } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ofTest: string[] = [];
const ofFile: string[] = [];

const made = (list: string[]): string => {
  const path = mkdtempSync(join(tmpdir(), "erphost-test-"));
  list.push(path);
  return path;
};
const remove = (list: string[]): void => {
  for (const path of list.splice(0)) rmSync(path, { recursive: true, force: true });
};
afterEach(() => remove(ofTest));
afterAll(() => remove(ofFile));

/** A folder that is removed when the test is over. */
export const folder = (): string => made(ofTest);

/** A folder that is removed when all tests of the file are over. */
export const sharedFolder = (): string => made(ofFile);
