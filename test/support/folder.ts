/** What is undone when a test, or all tests of a file, are over: the last first. */
import { afterAll, afterEach } from "@jest/globals";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Ends = (() => unknown)[];
const ofTest: Ends = [];
const ofFile: Ends = [];

async function endAll(ends: Ends): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
afterEach(() => endAll(ofTest));
afterAll(() => endAll(ofFile));

/** Runs when the test is over. */
export const atEnd = (end: () => unknown): void => void ofTest.push(end);

/** Runs when all tests of the file are over. */
export const atEndOfFile = (end: () => unknown): void => void ofFile.push(end);

const made = (ends: Ends): string => {
  const path = mkdtempSync(join(tmpdir(), "erphost-test-"));
  ends.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** A folder that is removed when the test is over. */
export const folder = (): string => made(ofTest);

/** A folder that is removed when all tests of the file are over. */
export const sharedFolder = (): string => made(ofFile);

/** Listens until the test is over, or until another end. @returns where */
export async function addressOf(server: Server, ending = atEnd): Promise<string> {
  ending(() => (server.closeAllConnections(), server.close()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
