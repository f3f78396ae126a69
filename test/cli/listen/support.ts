/** A listener in a test, and messages to it. */
import { createHmac } from "node:crypto";
import { expect } from "@jest/globals";
import { erphost, type CommandResult, type Surroundings } from "../support";

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
export const OTHER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
export const ends: (() => Promise<unknown>)[] = [];

/** Ends what a test has started. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

/** Waits until something holds; a limit ends the wait. */
export async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 400; waited += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  expect(holds()).toBe(true);
}

/** A listener that runs until the test ends it. */
export async function listening(
  words: readonly string[],
  { env = {}, ...world }: Pick<Surroundings, "env" | "after"> = {},
) {
  const stop = new AbortController();
  const lines: string[] = [];
  const finished = erphost(["listen", "--port", "0", "--debounce", "0", ...words], {
    env: { ERPHOST_WEBHOOK_SECRET: `${OTHER} ${SECRET}`, PATH: process.env["PATH"], ...env },
    ...world,
    stopped: stop.signal,
    onLine: (line) => lines.push(line),
  });
  await until(() => lines.some((line) => line.startsWith("Listening on ")));
  const end = (): Promise<CommandResult> => {
    stop.abort();
    return finished;
  };
  ends.push(end);
  const url = (lines[0] ?? "").replace("Listening on ", "");
  const runs = (): string[] => lines.filter((line) => line.startsWith("run: started"));
  return { url, lines, runs, end };
}

/** A message that whoever knows the secret could send; its data may be nested. */
export function signed(
  id: string,
  { secret = SECRET, ageS = 0, event = "server.deleted", data = {}, below = 0 } = {},
) {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageS);
  const values = JSON.stringify({ server_id: "srv_1", ...data }).slice(0, -1);
  const levels = `${'{"a":'.repeat(below)}0${"}".repeat(below)}`;
  const body = `{"event":${JSON.stringify(event)},"timestamp":"${new Date().toISOString()}","data":${values},"below":${levels}}}`;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    method: "POST",
    body,
    headers: { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` },
  };
}

export const statusOf = async (url: string, message: RequestInit): Promise<number> =>
  (await fetch(url, message)).status;
