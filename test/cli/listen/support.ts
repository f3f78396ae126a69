import { createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { systemInjectables } from "../../../provider/client";
import { atEnd, folder } from "../../support/folder";
import { pause, until } from "../../support/wait";
import { erphost, type CommandResult, type Surroundings } from "../support";

export { pause, until };

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
export const OTHER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;

/** Without the times that each line begins with. */
const untimed = (lines: readonly string[]): string[] =>
  lines.map((line) => {
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /);
    return line.slice(21);
  });

/** Waits of seconds in milliseconds. */
export const quickly = (ms: number, work: () => void) =>
  systemInjectables().clock.after(ms / 1_000, work);

/** A listener that runs until the test ends it. */
export async function listening(
  words: readonly string[],
  { env = {}, ...world }: Pick<Surroundings, "env" | "after" | "nowMs"> = {},
) {
  const stop = new AbortController();
  const lines: string[] = [];
  const finished = erphost(["listen", "--port", "0", "--debounce", "0", ...words], {
    env: { ERPHOST_WEBHOOK_SECRET: `${OTHER} ${SECRET}`, PATH: process.env["PATH"], ...env },
    ...world,
    stopped: stop.signal,
    onLine: (line) => lines.push(...untimed([line])),
  });
  await until(() => lines.some((line) => line.startsWith("Listening on ")));
  const end = async (): Promise<CommandResult> => {
    stop.abort();
    const { code, out, err } = await finished;
    return { code, out: untimed(out), err: untimed(err) };
  };
  atEnd(end);
  const url = lines.find((line) => line.startsWith("Listening on "))?.slice(13) ?? "";
  const runs = (): string[] => lines.filter((line) => line.startsWith("run: started"));
  return { url, lines, runs, end };
}

/** A command that appends what it was given to a file, waits, and fails as often as it is asked to. */
export function recorder(waitMs = 0, failures = 0) {
  const file = join(folder(), "runs");
  const program = `
    const input = require("node:fs").readFileSync(0, "utf8");
    const { ERPHOST_EVENT: event, ERPHOST_EVENT_COUNT: count, ERPHOST_WEBHOOK_SECRET: secret } = process.env;
    require("node:fs").appendFileSync(${JSON.stringify(file)}, JSON.stringify({ event, count, secret, input: JSON.parse(input) }) + "\\n");
    const runs = require("node:fs").readFileSync(${JSON.stringify(file)}, "utf8").trim().split("\\n").length;
    setTimeout(() => process.exit(runs > ${failures} ? 0 : 7), ${waitMs});`;
  const records = (): Record<string, unknown>[] => {
    // The last may be half written.
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  /** Ids of all events of all runs, in their order. */
  const ids = (): string[] => records().flatMap(({ input }) => idsOf(JSON.stringify(input)));
  return { ids, words: ["--", process.execPath, "-e", program], records };
}

export const idsOf = (text: string): string[] =>
  [...text.matchAll(/"id":"(.+?)"/g)].map(([, id = ""]) => id);

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
