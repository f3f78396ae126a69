import { describe, expect, test } from "@jest/globals";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { emulatorCommand } from "../../emulator/command";
import { ask } from "../support/ask";
import { folder } from "../support/folder";
import { newEmulator } from "./support";

const file = (value: unknown) => {
  const path = join(folder(), "file.json");
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
};

const LINES = 7;

async function run(
  args: string[],
  use: (lines: string[]) => Promise<void> = () => Promise.resolve(),
  environment: Record<string, string> = {},
  report: (sentence: string) => void = () => undefined,
): Promise<void> {
  const startCount = args.includes("--json") ? 1 : LINES;
  const lines: string[] = [];
  const stop = new AbortController();
  const printed = Promise.withResolvers<void>();
  const command = emulatorCommand({
    environment,
    report,
    print: (line) => {
      lines.push(line);
      if (lines.length === startCount) printed.resolve();
    },
    stopped: stop.signal,
  })
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  const ended = command.parseAsync(args, { from: "user" });
  await Promise.race([printed.promise, ended]);
  try {
    if (lines.length > 0) await use(lines);
  } finally {
    stop.abort();
  }
  await ended;
}
/** Runs the command on a data file; answers its lines, and its warnings or what it fails with. */
async function runOn(data: string, more: string[] = []) {
  let lines: string[] = [];
  const reports: string[] = [];
  const use = async (printed: string[]) => void (lines = printed);
  const args = ["--port", "0", "--data", data, ...more];
  const running = run(args, use, {}, (report) => reports.push(report));
  await running.catch((error: unknown) => reports.push(String(error)));
  return { lines, reports };
}

const lastWordOf = (lines: string[], word: string) =>
  /\S*$/.exec(lines.find((line) => line.includes(word)) ?? "")?.[0] ?? "";

/** The service that a command has printed. */
const serviceIn = (lines: string[]) => ({
  baseUrl: lastWordOf(lines, "service"),
  adminKey: lastWordOf(lines, "admin key"),
});

test("the command prints its addresses and a key, and serves until it is stopped", async () => {
  let address = "";
  await run(["--port", "0", "--plan", "starter", "--limit", "3/1m"], async (lines) => {
    address = lastWordOf(lines, "service");
    const reply = await ask(serviceIn(lines), "GET /servers");
    expect([reply.status, reply.headers.get("x-ratelimit-limit")]).toEqual([200, "3"]);
  });
  await expect(fetch(`${address}/servers`)).rejects.toThrow();
});

test("a person who tries the command sees rate headers and a rate limit", async () => {
  const tried = async (args: string[]) => {
    let seen = {};
    await run(["--port", "0", ...args], async (lines) => {
      const reply = await ask(serviceIn(lines), "GET /auth/test");
      const { data } = (await reply.json()) as { data: { rate_limit?: { limit: number } } };
      const said = lines.find((line) => line.includes("limit "))?.trim();
      const header = reply.headers.get("x-ratelimit-limit");
      seen = { said, header, limit: data.rate_limit?.limit };
    });
    return seen;
  };
  for (const [args, words, limit] of [
    [[], "10000/1m for each key", 10_000],
    [["--plan", "starter"], "1000/1h, 100/1m for each key", 100],
    [["--limit", "90/1h", "--limit", "7/2s"], "90/1h, 7/2s for each key", 7],
    [["--limit", "none"], "none", undefined],
  ] as const) {
    const header = limit === undefined ? null : String(limit);
    expect(await tried([...args])).toEqual({ said: `limit       ${words}`, header, limit });
  }
});

describe("a line a request", () => {
  /** What is printed while three requests are made. */
  async function printed(args: string[], startCount: number) {
    let seen: string[] = [];
    const use = async (lines: string[]) => {
      const [, baseUrl] = /"base_url":"(.*?)"/.exec(lines[0] ?? "") ?? [];
      const [, adminKey = ""] = /"admin_key":"(.*?)"/.exec(lines[0] ?? "") ?? [];
      const service = baseUrl === undefined ? serviceIn(lines) : { baseUrl, adminKey };
      const headers = { "idempotency-key": "one-key" };
      const body = { name: "web", password: "canary-1" };
      for (let turn = 0; turn < 2; turn += 1) {
        await (await ask(service, "POST /servers", { body, headers })).text();
      }
      await (await ask(service, "GET /servers?token=canary-2&q=%1b[31m", { headers })).text();
      seen = lines.slice(startCount);
      expect(lines[0]).not.toContain("undefined");
    };
    await run(["--port", "0", ...args], use);
    expect(seen.join()).not.toContain("canary");
    return seen;
  }

  test("each request is a line for people, unless they want none", async () => {
    const [made, again, list] = await printed([], LINES);
    expect(made).toMatch(
      /^\d\d:\d\d:\d\d POST \/servers → 201, \d+ ms, key_1 \(admin\), idempotency one-key$/,
    );
    expect(again).toMatch(/idempotency one-key, replayed$/);
    expect(list).toMatch(/GET \/servers\?token=\(hidden\)/);
    expect(await printed(["--quiet"], LINES)).toEqual([]);
  });

  test("a program reads the start and each request as JSON", async () => {
    const lines = await printed(["--json"], 1);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { event: "request", method: "POST", path: "/servers", status: 201, replayed: false },
      { event: "request", status: 201, replayed: true, idempotency_key: "one-key" },
      { event: "request", method: "GET", key_name: "admin" },
    ]);
  });
});

test("the line for the shell quotes a key that the shell would read otherwise", async () => {
  const key = "acme_test_0123$(id)'; ls".replace(" ", "");
  const check = async (lines: string[]) => {
    const script = `${lines.at(-1)}; printf %s "$ERPHOST_API_KEY"`;
    const { stdout } = await promisify(execFile)("sh", ["-c", script]);
    expect(stdout).toBe(key);
  };
  await run(["--port", "0"], check, { ERPHOST_EMULATOR_KEY: key });
});

test("the command takes its key from the environment, and seed and profile from files", async () => {
  const key = "acme_live_0123456789abcdef";
  const seed = file({ objects: { server: [{ name: "seeded" }] } });
  const profile = file({ resources: { server: { path: "/machines" } } });
  const check = async (lines: string[]) => {
    const reply = await ask(serviceIn(lines), "GET /machines", { key });
    expect(await reply.json()).toMatchObject({ data: [{ name: "seeded" }] });
  };
  const env = { ERPHOST_EMULATOR_KEY: key };
  await run(["--port", "0", "--seed", seed, "--profile", profile], check, env);
});

test("of two emulators on one file the second is refused, and the next continues", async () => {
  const data = join(dirname(file({})), "state.db");
  const key = "acme_live_0123456789abcdef";
  const first = async (lines: string[]) => {
    expect(lines).toContain(`  state       ${data}, new`);
    const inUse = `Error: --data ${data} is in use by another emulator`;
    expect((await runOn(data)).reports).toEqual([expect.stringContaining(inUse)]);
    await ask(serviceIn(lines), "POST /servers", { key, body: { name: "a" } });
  };
  await run(["--port", "0", "--data", data], first, { ERPHOST_EMULATOR_KEY: key });
  const seed = file({ objects: { server: [{ name: "b" }] } });
  const { lines, reports } = await runOn(data, ["--seed", seed]);
  const state = `${data}, continued, with its admin key; it holds 2 objects`;
  expect(lines).toContain(`  state       ${state}`);
  expect(lastWordOf(lines, "  admin key ")).toBe(key);
  const warning = `warning: the seed is not the one that ${data} was started with, and is not applied.`;
  expect(reports).toEqual([expect.stringContaining(warning)]);
});

test("a key that no client takes is refused by its name", async () => {
  const badKey = run(["--port", "0"], undefined, { ERPHOST_EMULATOR_KEY: "secretsecretsecret" });
  const message = expect.stringContaining("emulator: ERPHOST_EMULATOR_KEY must be an API key");
  await expect(badKey).rejects.toMatchObject({ name: "InvalidInput", message });
});

describe("invalid options", () => {
  test.each([
    [["--port", "x"], /must be a port/],
    [["--limit", "100"], /must be requests per duration/],
    [["--plan", "royal"], /Allowed choices are starter/],
    [["--key-class", "royal"], /must be one of standard, high-volume/],
    [["--provision-ms", "soon"], /must be a duration such as .*, or plain milliseconds/],
    [["--colour"], /unknown option/],
    [["--port", "0", "--seed", "/nowhere.json"], /--seed \/nowhere.json: cannot be read/],
  ])("the options %j are refused with a reason", async (args, message) => {
    await expect(run(args)).rejects.toThrow(message);
  });

  test("a file that is not JSON is refused", async () => {
    await expect(run(["--port", "0", "--profile", file("{")])).rejects.toThrow(/is not valid JSON/);
  });

  test("a port in use is refused with a remedy", async () => {
    const { port } = await newEmulator();
    await expect(run(["--port", String(port)])).rejects.toThrow(
      `port ${port} is in use. Use --port 0 to pick a free one.`,
    );
  });
});
