/**
 * A server in a separate process: `served emulator [OPTIONS AS JSON]`, or `served bare` for Hono with
 * fixed answers, which writes a row of SQLite for each create where it is given a data file.
 * Prints its address and its key, and exits when its standard input ends.
 */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { startEmulator, type EmulatorOptions } from "../../emulator";
import { reachableMib } from "../support/memory";

/** What it prints, as one line of JSON. */
export interface Served {
  readonly url: string;
  readonly apiKey: string;
}

const announce = (served: Served): void => void process.stdout.write(`${JSON.stringify(served)}\n`);

const page = JSON.stringify({
  success: true,
  data: Array.from({ length: 20 }, (_, index) => ({
    id: `srv_${index}`,
    created_at: "2026-01-01T00:00:00.000Z",
    name: `server-${index}`,
    status: "running",
  })),
  meta: { timestamp: "2026-01-01T00:00:00.000Z", request_id: "req_0" },
});

// Written by `serving`.
const options = JSON.parse(process.argv[3] ?? "{}") as EmulatorOptions;

/** Writes a row as durably as the emulator does: a crash of the process loses none. */
function writer({ dataFile }: EmulatorOptions): (fields: object) => unknown {
  if (dataFile === undefined) return () => "srv_0";
  const database = new DatabaseSync(dataFile);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  const insert = database.prepare("INSERT INTO rows (body) VALUES (?)");
  return (fields) => `srv_${insert.run(JSON.stringify(fields)).lastInsertRowid}`;
}

function bare(): void {
  const app = new Hono();
  const write = writer(options);
  const json = { "Content-Type": "application/json" };
  app.get("/v1/servers", (context) => context.body(page, 200, json));
  app.post("/v1/servers", async (context) => {
    const fields = await context.req.json<Record<string, unknown>>();
    return context.json({ success: true, data: { id: write(fields), ...fields } }, 201);
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, (info: AddressInfo) =>
    announce({ url: `http://127.0.0.1:${info.port}`, apiKey: "erp_test_bare_0123456789abcdef" }),
  );
  process.stdin.on("end", () => server.close(() => process.exit(0)));
}

async function emulator(): Promise<void> {
  const { url, adminKey } = await startEmulator({ provisionMs: 0, ...options });
  announce({ url, apiKey: adminKey });
  process.stdin.on("end", () => process.exit(0));
}

// A line asks for what is still reachable, in MiB.
process.stdin.on("data", () => process.stdout.write(`${reachableMib()}\n`));
if (process.argv[2] === "bare") bare();
else void emulator();
