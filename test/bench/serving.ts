/** Starts `served` in a separate process, so that what is measured has a core to itself. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildSync } from "esbuild";
import type { EmulatorOptions } from "../../emulator";
import type { Served } from "./served";

export type Serving = Awaited<ReturnType<typeof serving>>;

const START_MS_MAX = 30_000;
let program: string | undefined;

/** What it runs: bundled once, so that each start is quick, and removed when this process exits. */
function bundled(): string {
  if (program !== undefined) return program;
  const folder = mkdtempSync(join(tmpdir(), "erphost-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  program = join(folder, "served.cjs");
  const how = { bundle: true, platform: "node", target: "node22", format: "cjs" } as const;
  const entryPoints = [require.resolve("./served")];
  buildSync({ ...how, entryPoints, outfile: program, logLevel: "error" });
  return program;
}

export async function serving(
  options: Pick<EmulatorOptions, "limits" | "strict" | "seed" | "provisionMs"> = {},
) {
  const args = [bundled(), JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout);
  const served = await new Promise<Served>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The emulator did not start.")), START_MS_MAX);
    lines.once("line", (line) => {
      clearTimeout(timer);
      // Printed by `served`.
      resolve(JSON.parse(line) as Served);
    });
    child.once("error", reject);
  });
  return {
    ...served,
    /** The remote control of the emulator. */
    control: async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const answer = await fetch(`${served.url}/_emulator${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: { "Content-Type": "application/json" },
        signal: AbortSignal.timeout(60_000),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
      return answer.json();
    },
    close: () => child.stdin.end(),
  };
}

/** Records of servers that no request created. */
export const manyServers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `server-${index}`, status: "running" }));
