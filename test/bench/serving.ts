/** Starts `served` in a separate process, so that what is measured has a core to itself. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { EmulatorOptions } from "../../emulator";
import { bundled } from "../chaos/support/bundle";
import type { Served } from "./served";

export interface Serving extends Served {
  /** The remote control of the emulator. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** What it still holds on to. */
  memoryMib(): Promise<number>;
  close(): void;
}

/** What it runs, as it is bundled by default. */
export const PROGRAM = require.resolve("./served");
const START_MS_MAX = 30_000;

export async function serving(
  kind: "emulator" | "bare",
  options: Pick<EmulatorOptions, "limits" | "strict" | "seed" | "dataFile" | "provisionMs"> = {},
  program = bundled(PROGRAM),
): Promise<Serving> {
  const args = [program, kind, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout);
  const served = await new Promise<Served>((resolve, reject) => {
    const late = () => reject(new Error(`The ${kind} server did not start.`));
    const timer = setTimeout(late, START_MS_MAX);
    lines.once("line", (line) => {
      clearTimeout(timer);
      // Printed by `served`.
      resolve(JSON.parse(line) as Served);
    });
    child.once("error", reject);
  });
  return {
    ...served,
    control: async (method, path, body) => {
      const answer = await fetch(`${served.url}/_emulator${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: { "Content-Type": "application/json" },
        signal: AbortSignal.timeout(60_000),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
      return answer.json();
    },
    memoryMib: () =>
      new Promise((resolve) => {
        lines.once("line", (line) => resolve(Number(line)));
        child.stdin.write("memory\n");
      }),
    close: () => child.stdin.end(),
  };
}

/** Records of servers that no request created. */
export const manyServers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `server-${index}`, status: "running" }));
