import { beforeEach, describe, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../support/ask";
import { EmulatorCore } from "../../emulator/core";
import { serviceErrorOf } from "../../emulator/http/errors";
import { Database } from "../../emulator/store/database";
import { refusalOf } from "../../emulator/store/data-file";
import { resolveContract } from "../../provider/contract";
import { atEnd, folder as newFolder } from "../support/folder";
import { send, idsOf, newEmulator, manualTime, control, type Body } from "./support";

let folder = "";
beforeEach(() => void (folder = newFolder()));
const dataFile = () => join(folder, "state.db");
/** Everything on disk, the write-ahead log of the database included. */
const onDisk = () =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("");

/** A core with a data file, whose requests can all arrive in one turn of the event loop. */
function newCore() {
  const core = new EmulatorCore(
    { dataFile: dataFile(), provisionMs: 0 },
    resolveContract(undefined),
  );
  atEnd(() => core.stop());
  const call = async (method: string, name?: string, key?: string) => {
    const headers: Record<string, string | undefined> = {
      ...{ authorization: `Bearer ${core.adminKey}`, "content-type": "application/json" },
      "idempotency-key": key,
    };
    const { answer } = await core.api.handle({
      ...{ method, path: "/servers", query: new URLSearchParams(), remoteAddress: "127.0.0.1" },
      body: name === undefined ? "" : JSON.stringify({ name }),
      header: (header) => headers[header],
    });
    const replayed = answer?.headers["Idempotent-Replayed"] === "true";
    return { status: answer?.status, replayed, body: JSON.parse(answer?.body ?? "") as Body };
  };
  /** As from several connections: one after the other, before the event loop continues. */
  const inOneTurn = async (...requests: readonly Readonly<Parameters<typeof call>>[]) => {
    const calls = [];
    for (const request of requests) {
      calls.push(call(...request));
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    return Promise.all(calls);
  };
  const total = async () => (await call("GET")).body.pagination["total_items"];
  return { ...core.service, core, call, inOneTurn, total };
}

describe("a full disk", () => {
  test("a full disk is said to be one, keeps what was answered, and serves again with space", async () => {
    const { core, database, call, inOneTurn, total } = newCore();
    expect((await call("POST", "before")).status).toBe(201);
    database.run("PRAGMA max_page_count = 1");
    const large = "x".repeat(250);
    const replies = [];
    for (let turn = 0; turn < 200 && replies.at(-1)?.status !== 507; turn += 1) {
      const requests = Array.from({ length: 10 }, () => ["POST", large] as const);
      replies.push(...(await inOneTurn(...requests)));
    }
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([507, "insufficient_storage"]);
      expect(body.error.message).toMatch(/disk .* is full.*Free some space/);
    }
    expect(await total()).toBe(1 + replies.length - refused.length);
    const keys = Array.from({ length: 100 }, () => () => core.control.createKey());
    expect(() => keys.forEach((create) => create())).toThrow("is full");
    database.run("PRAGMA max_page_count = 100000");
    expect((await call("POST", "after")).status).toBe(201);
  });

  test("where SQLite has rolled back by itself, as on a full disk, its reason is shown", () => {
    const database = new Database(undefined);
    const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
    const write = (): void => {
      database.run("ROLLBACK");
      throw full;
    };
    expect(() => database.transaction(write)).toThrow(full);
    expect(serviceErrorOf(full).status).toBe(507);
    database.close();
  });

  test("a start on a full disk says so, and what to do", () => {
    expect(String(refusalOf("state.db", { code: "ENOSPC" }))).toContain(
      "state.db cannot be written: the disk is full. Free some space, or use a file on another disk",
    );
  });
});

describe("requests of one turn", () => {
  const triggerFor = (name: string, then: string) =>
    `CREATE TRIGGER ${name} AFTER INSERT ON objects
     WHEN new.body LIKE '%${name}%' BEGIN ${then}; END`;
  const creates = (...names: string[]) =>
    names.map((name) => ["POST", name, `key of ${name}`] as const);
  const idsAndStates = (replies: readonly { status: number | undefined; body: Body }[]) =>
    replies.map(({ status, body }) => (status === 201 ? body.data.id : status));

  test("one whose commit fails is refused, and nothing of it is kept", async () => {
    const { core, database, inOneTurn, total } = newCore();
    // A reference that SQLite checks when it commits.
    database.run("CREATE TABLE parents (id INTEGER PRIMARY KEY)");
    const reference = "REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED";
    database.run(`CREATE TABLE children (id ${reference})`);
    database.run(triggerFor("late", "INSERT INTO children VALUES (1)"));
    const replies = await inOneTurn(...creates("a", "late", "b"));
    expect(idsAndStates(replies)).toEqual(["srv_1", 500, "srv_2"]);
    expect(core.control.journal().map(({ status }) => status)).toEqual([201, 500, 201]);
    core.control.registerWebhook({ url: "http://127.0.0.1:9" });
    // Whoever reads sees what is committed alone.
    const [failed, list] = await inOneTurn(["POST", "late"], ["GET"]);
    expect([failed?.status, list?.body.pagination["total_items"]]).toEqual([500, 2]);
    expect(core.control.deliveries()).toEqual([]);
    const again = await inOneTurn(...creates("a", "c"));
    expect(idsAndStates(again)).toEqual(["srv_1", "srv_3"]);
    expect(again.map(({ replayed }) => replayed)).toEqual([true, false]);
    expect(await total()).toBe(3);
  });

  test("one that fails takes no other with it, and leaves no gap in the ids", async () => {
    const { database, inOneTurn, total } = newCore();
    database.run(triggerFor("odd", "SELECT RAISE(ABORT, 'odd')"));
    const replies = await inOneTurn(...creates("a", "odd", "", "b"));
    expect(idsAndStates(replies)).toEqual(["srv_1", 500, 422, "srv_2"]);
    expect(await total()).toBe(2);
  });

  test("a repeated key is answered as the first time, with one object", async () => {
    const { inOneTurn, total } = newCore();
    const [first, second, third] = await inOneTurn(
      ...["a", "a", "other"].map((name) => ["POST", name, "one key"] as const),
    );
    expect([first?.body.data.id, first?.replayed]).toEqual(["srv_1", false]);
    expect([second?.body.data, second?.replayed]).toEqual([first?.body.data, true]);
    expect(third?.body.error.code).toBe("idempotency_conflict");
    expect(await total()).toBe(1);
  });
});

describe("the data file", () => {
  test("the data file keeps objects, keys, ids, replays, timers, webhooks with their pending messages and the clock", async () => {
    const options = { dataFile: dataFile(), adminKey: "acme_test_0123456789abcdef" };
    const first = await newEmulator({ ...options, provisionMs: 3_600_000 });
    const idempotent = { body: { name: "a" }, headers: { "Idempotency-Key": "k" } };
    first.testWebhook(first.registerWebhook({ url: "http://127.0.0.1:1/hook" }).id);
    await send(first, "POST /servers", idempotent);
    const rotated = (await send(first, "POST /api-keys/key_1/rotate")).body.data;
    first.advance("30m");
    const { now } = first.clock();
    await first.close();
    const second = await newEmulator(options);
    expect(second.webhooks()).toHaveLength(1);
    expect(second.deliveries()).toMatchObject([{ state: "pending", event: "instance.deployed" }]);
    expect(Date.parse(second.clock().now)).toBeGreaterThanOrEqual(Date.parse(now));
    const again = await send(second, "POST /servers", idempotent);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const status = async () => (await send(second, "GET /servers")).body.data[0].status;
    expect(await status()).toBe("provisioning");
    second.advance("30m");
    expect(await status()).toBe("running");
    const key = rotated.new_key.value;
    expect(idsOf(await send(second, "GET /api-keys", { key }))).toEqual(["key_2", "key_1"]);
    second.advance("2d");
    expect((await send(second, "GET /servers")).body.error.code).toBe("token_expired");
  });

  test("the clock of the data file continues as if the process had kept running", async () => {
    const { realTime, pass } = manualTime();
    const options = { dataFile: dataFile(), realTime };
    const first = await newEmulator(options);
    first.advance("90d");
    first.setClock({ rate: 2 });
    const before = Date.parse(first.clock().now);
    await first.close();
    pass(3_600_000);
    const second = await newEmulator(options);
    expect(second.clock().rate).toBe(2);
    expect(Date.parse(second.clock().now) - before).toBe(7_200_000);
  });

  test("the data file holds no secret in plain text", async () => {
    const emulator = await newEmulator({ dataFile: dataFile() });
    const { url } = emulator;
    const headers = { "Idempotency-Key": "k" };
    const body = { name: "planted-canary", permissions: ["admin"] };
    const created = await send(emulator, "POST /api-keys", { body, headers });
    const rotated = await send(emulator, "POST /api-keys/key_2/rotate", { headers });
    const hook = await control(emulator, "POST /webhooks", { url });
    const dashboard = emulator.createKey({ name: "k" });
    const notification_email = "ops@example.com";
    emulator.createKey({ auto_rotate: true, rotation_period: "30d", notification_email });
    emulator.advance("31d");
    const secrets = [
      emulator.adminKey,
      created.body.data.value,
      rotated.body.data.new_key.value,
      hook.body.secret,
      dashboard.value,
      emulator.mails()[0]?.new_key.value ?? "",
      (await control(emulator, `POST /webhooks/${hook.body.id}/rotate-secret`)).body.secret,
    ];
    const searched = () => {
      const text = onDisk();
      // The search finds what is stored, so it would find a secret.
      expect(text).toContain("planted-canary");
      for (const secret of secrets) {
        expect(secret.length).toBeGreaterThan(40);
        expect(text).not.toContain(secret);
        expect(text).not.toContain(secret.slice(-24));
        expect(text).not.toContain(Buffer.from(secret).toString("base64").slice(0, 40));
      }
    };
    searched();
    await emulator.close();
    searched();
    const again = await newEmulator({ dataFile: dataFile() });
    expect(JSON.stringify(again.snapshot())).not.toContain(created.body.data.value);
    expect(statSync(`${dataFile()}.key`).mode & 0o077).toBe(0);
  });
});

// A separate process, because the test kills it. Prints its address.
const CHILD = `
  require("ts-node/register/transpile-only");
  const { startEmulator } = require("./emulator");
  startEmulator({ dataFile: process.argv[1], adminKey: process.argv[2], provisionMs: 0 })
    .then((emulator) => console.log(emulator.baseUrl));
`;

test("a kill at any moment leaves no effect without its replay and no replay without its effect", async () => {
  const adminKey = "acme_test_0123456789abcdef";
  const child = spawn(process.execPath, ["-e", CHILD, dataFile(), adminKey], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const baseUrl = await new Promise<string>((resolve) =>
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
  );
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const post = (at: string, number: number) => {
    const headers = { "idempotency-key": `k-${number}` };
    const service = { baseUrl: at, adminKey };
    return ask(service, "POST /servers", { headers, body: { name: `s-${number}` } });
  };
  const count = 150;
  const answered: number[] = [];
  await Promise.allSettled(
    Array.from({ length: count }, async (_, number) => {
      await (await post(baseUrl, number)).text();
      answered.push(number);
      if (answered.length === 30) child.kill("SIGKILL");
    }),
  );
  await exited;
  const emulator = await newEmulator({ dataFile: dataFile(), adminKey });
  const before = emulator.objects("server").map(({ name }) => name);
  expect(before.length).toBeGreaterThanOrEqual(30);
  for (const number of answered) expect(before).toContain(`s-${number}`);
  for (let number = 0; number < count; number += 1) {
    const replayed = (await post(emulator.baseUrl, number)).headers.get("idempotent-replayed");
    expect(replayed === "true").toBe(before.includes(`s-${number}`));
  }
  const names = emulator.objects("server").map(({ name }) => name);
  expect(new Set(names).size).toBe(count);
  expect(names).toHaveLength(count);
}, 60_000);
