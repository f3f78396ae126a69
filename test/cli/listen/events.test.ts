/** `erphost listen`, with webhooks that the emulator sends for real. */
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, jest, test } from "@jest/globals";
import { ask } from "../../support/ask";
import { receive } from "../../../cli/listen/receiver";
import { shownEvent } from "../../../cli/listen/targets";
import { eventNames } from "../../../provider/contract";
import { newEmulator } from "../../emulator/support";
import { addressOf, atEnd, folder } from "../../support/folder";
import { complaint, erphost } from "../support";
import { listening, OTHER, recorder, SECRET, signed, statusOf, until } from "./support";

describe("erphost listen", () => {
  test("a server that is deleted in the service starts the command, and other events do not", async () => {
    const emulator = await newEmulator();
    const { words, records } = recorder();
    const { url, lines } = await listening(["--on", "server.del*", ...words]);
    emulator.registerWebhook({ url, secret: SECRET });
    emulator.createObjects("server", { name: "web" });
    expect((await ask(emulator, "POST /servers", { body: { name: "b" } })).status).toBe(201);
    await ask(emulator, "DELETE /servers/srv_1");
    await until(() => records().length === 1);
    const input = { events: [{ event: "server.deleted", data: { server_id: "srv_1" } }] };
    expect(records()[0]).toMatchObject({ event: "server.deleted", count: "1", input });
    // The command never sees the secret of the webhooks.
    expect(records()[0]).not.toHaveProperty("secret");
    await until(() => lines.some((line) => line.startsWith("ignored: server.created")));
  });

  test("a forged, an old, a repeated and an oversized event start nothing", async () => {
    const { words, records } = recorder();
    const { url, runs, lines, end } = await listening(words);
    const forged = signed("msg_1", { secret: `whsec_${Buffer.alloc(32, 9).toString("base64")}` });
    expect(await statusOf(url, forged)).toBe(400);
    expect(await statusOf(url, signed("msg_2", { ageS: 301 }))).toBe(400);
    expect(await statusOf(url, { ...signed("msg_3"), body: "{}" })).toBe(400);
    const large = { ...signed("msg_4"), body: "x".repeat(1024 * 1024 + 1) };
    expect(await statusOf(url, large).catch(() => 413)).toBe(413);
    expect(await statusOf(url, { method: "PUT" })).toBe(405);
    expect(await statusOf(`${url}health`, {})).toBe(200);
    expect(runs()).toEqual([]);
    const genuine = signed("msg_5", { data: { root_password: "c4n4ry" } });
    expect(await statusOf(url, genuine)).toBe(200);
    await until(() => lines.some((line) => line === "run: ended with 0"));
    expect(await statusOf(url, genuine)).toBe(200);
    expect(await statusOf(url, signed("msg_6", { secret: OTHER }))).toBe(200);
    await until(() => records().length === 2);
    const ids = records().map(({ input }) => /msg_\d/.exec(JSON.stringify(input))?.[0]);
    expect(ids).toEqual(["msg_5", "msg_6"]);
    expect([JSON.stringify(records()), ...lines].join("\n")).not.toContain("c4n4ry");
    const { err } = await end();
    expect(err).toContain("refused: a body that is more than 1 MiB, or broke off");
  });

  test.each([
    ["data 65 levels deep", { below: 64 }, "nested more than 64 levels deep"],
    ["data 5,000 levels deep", { below: 5_000 }, "nested more than 64 levels deep"],
    ["a NUL in its name", { event: "server.\0deleted" }, "not an event's"],
    ["a name of 128 KB", { event: "a".repeat(128 * 1024) }, "not an event's"],
    ["a line of its own in its name", { event: "server.x\nrun: ended with 0" }, "not an event's"],
  ])("a genuine event with %s is refused, and the next one is run", async (_, odd, why) => {
    const { words, records } = recorder();
    const { url, end } = await listening(words);
    expect(await statusOf(url, signed("msg_1", odd))).toBe(400);
    expect(await statusOf(url, signed("msg_2", { event: "server.re-sized", below: 63 }))).toBe(200);
    await until(() => records().length === 1);
    expect(records()[0]).toMatchObject({ event: "server.re-sized", count: "1" });
    expect((await end()).err).toEqual([expect.stringMatching(`^refused: webhook msg_1.* ${why}`)]);
  });

  test("what a sender chooses is one short line of the log, without what a terminal obeys or a secret", async () => {
    const { url, lines, end } = await listening(["--", "true"]);
    const csi = "\u009b31m";
    expect(await statusOf(url, signed(`msg_${csi}`))).toBe(200);
    const long = signed(`msg_${csi}${"x".repeat(10_000)}`, { ageS: 301 });
    expect(await statusOf(url, long)).toBe(400);
    expect(await statusOf(url, signed("msg_ghp_0123456789abcdef"))).toBe(200);
    await until(() => lines.includes("event: server.deleted msg_\uFFFD31m"));
    await until(() => lines.includes("event: server.deleted msg_[redacted]"));
    const { err } = await end();
    expect(err).toEqual([expect.stringContaining("msg_\uFFFD31mxxx")]);
    expect(err[0]?.length).toBeLessThan(400);
  });

  test("a command that the system refuses to start is reported, and so is the next one", async () => {
    // More than a variable may hold: Node.js throws, and reports no event.
    const env = { LARGE: "x".repeat(2_000_000) };
    const { url, lines } = await listening(["--", "true"], { env });
    for (const count of [1, 2]) {
      expect(await statusOf(url, signed(`msg_${count}`))).toBe(200);
      const failed = () => lines.filter((line) => line === "run: cannot be started (E2BIG)");
      await until(() => failed().length === count);
    }
  });

  test("senders who say nothing are cut off, so that they keep nobody out", async () => {
    const receiver = await receive({
      ...{ host: "127.0.0.1", port: 0, secrets: [SECRET], nowMs: Date.now, requestMs: 100 },
      ...{ log: () => undefined, isHealthy: () => true, accept: () => 200 },
    });
    atEnd(() => receiver.close());
    const port = Number(new URL(receiver.url).port);
    const silent = Array.from({ length: 100 }, () => connect(port, "127.0.0.1"));
    await Promise.all(silent.map((socket) => once(socket.resume(), "close")));
    expect(await statusOf(receiver.url, signed("msg_1"))).toBe(200);
  }, 10_000);

  test("an event's id is known for as long as its time is accepted, from five minutes ahead to five behind", async () => {
    let laterMs = 0;
    const { url, lines } = await listening(["--", "true"], { nowMs: () => Date.now() + laterMs });
    const early = signed("msg_1", { ageS: -290 });
    for (const after of [0, 400_000, 580_000, 610_000]) {
      laterMs = after;
      expect(await statusOf(url, early)).toBe(after < 600_000 ? 200 : 400);
    }
    expect(lines.filter((line) => line.startsWith("event: "))).toHaveLength(1);
  });

  test("an event is looked through once, however deep it is nested", () => {
    let looks = 0;
    let deep: unknown = {
      get text() {
        looks += 1;
        return "open";
      },
    };
    for (let level = 2; level < 64; level += 1) deep = [deep];
    const data = { server_id: "srv_1", deep, settings: { db: [{ password: "c4n4ry" }] } };
    const event = { event: "unknown", name: "server.moved", timestamp: "", data } as const;
    const shown = shownEvent({ id: "msg_1", event });
    expect(looks).toBe(1);
    expect(shown.data).toEqual({ server_id: "srv_1", deep });
  });

  test("a burst of 100 events starts two runs at most, one after the other, and loses none", async () => {
    const { words, records } = recorder(500);
    const { url, runs, lines } = await listening(["--debounce", "1", ...words]);
    const messages = Array.from({ length: 100 }, (_, index) => signed(`msg_${index}`));
    const statuses = await Promise.all(messages.map((message) => statusOf(url, message)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await until(() => records().reduce((sum, { count }) => sum + Number(count), 0) === 100);
    const order = () =>
      lines.filter((line) => line.startsWith("run: ")).map((line) => line.slice(5, 12));
    await until(() => order().length === 2 * runs().length);
    expect(runs().length).toBeLessThanOrEqual(2);
    expect(order()).toEqual(runs().flatMap(() => ["started", "ended w"]));
  });

  test("when it is stopped it waits for the run, and ends it after the grace", async () => {
    const patient = await listening(recorder(300).words);
    await statusOf(patient.url, signed("msg_1"));
    await until(() => patient.runs().length === 1);
    expect((await patient.end()).out.slice(-2)).toEqual(["run: ended with 0", "Stopped."]);
    const { words, records } = recorder(60_000);
    const hurried = await listening(["--grace", "0", ...words]);
    await statusOf(hurried.url, signed("msg_1"));
    await until(() => records().length === 1);
    expect((await hurried.end()).out.slice(-2)).toEqual(["run: ended with SIGTERM", "Stopped."]);
  });

  test("a run that is stopped is over when all that it started has ended, not its shell alone", async () => {
    const file = join(folder(), "file");
    const engine = `trap 'sleep 0.3; : > ${file}.done; exit' TERM; : > ${file}; while :; do sleep 0.1; done`;
    const words = ["--grace", "0", "--", "sh", "-c", 'sh -c "$0"; true', engine];
    const { url, end } = await listening(words);
    await statusOf(url, signed("msg_1"));
    await until(() => existsSync(file));
    await end();
    expect(existsSync(`${file}.done`)).toBe(true);
  });

  test("a run that takes too long is ended, and a command that is gone is reported", async () => {
    const slow = await listening(["--timeout", "1", ...recorder(60_000).words]);
    await statusOf(slow.url, signed("msg_1"));
    await until(() => slow.lines.some((line) => line.endsWith("SIGTERM, after its time limit")));
    const program = join(folder(), "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    const missing = await listening(["--", program]);
    rmSync(program);
    await statusOf(missing.url, signed("msg_1"));
    await until(() => missing.lines.includes("run: cannot be started (ENOENT)"));
    expect([slow.runs(), missing.runs()].map((runs) => runs.length)).toEqual([1, 1]);
  });

  const having = (secret: string, more = {}) => ({ ERPHOST_WEBHOOK_SECRET: secret, ...more });

  test.each([
    ["no secret", ["--", "true"], {}, "ERPHOST_WEBHOOK_SECRET is missing or empty"],
    ["nothing to start", [], having(SECRET), "must be given after --"],
    ["a bad secret", ["--", "true"], having("YWI="), "ERPHOST_WEBHOOK_SECRET has 2 bytes"],
    ["one of two", ["--", "true"], having(`${SECRET} YWI=`), "ERPHOST_WEBHOOK_SECRET[1] has 2"],
    ["a dispatch and no token", ["--dispatch", "a/b"], having(SECRET), "GITHUB_TOKEN must be set"],
    [
      "a token over plain HTTP",
      ["--dispatch", "a/b", "--api", "http://127.0.0.1.example.com"],
      having(SECRET, { GITHUB_TOKEN: "t" }),
      "must be an https address",
    ],
  ])("listening is refused as invalid input: %s", async (_, words, env, why) => {
    const ended = erphost(["listen", "--port", "0", ...words], { env });
    expect(await complaint(2, ended)).toContain(why);
  });
});

const eventsOf = (input: unknown): [string, unknown][] =>
  (input as { events: { event: string; data: unknown }[] }).events.map((one) => [
    one.event,
    one.data,
  ]);

describe("erphost trigger", () => {
  test("has an emulator send one event of each kind, with its payload, and says what was answered", async () => {
    const emulator = await newEmulator();
    const { words, records } = recorder();
    const { url } = await listening(words);
    const env = { ERPHOST_WEBHOOK_SECRET: SECRET };
    const at = ["--emulator", emulator.url];
    const { code, out, err } = await erphost(["trigger", "*", "--to", url, ...at], { env });
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(out).toEqual(eventNames.map((name) => `${name} → ${url}: 200`));
    await until(() => records().flatMap(({ input }) => eventsOf(input)).length === out.length);
    const sent = new Map(records().flatMap(({ input }) => eventsOf(input)));
    expect(sent.get("server.deleted")).toMatchObject({ server_id: "srv_test" });
    expect(sent.get("backup.failed")).toMatchObject({ backup_id: "bak_test", status: "failed" });
    expect(emulator.webhooks()).toHaveLength(1);
    const wrong = { env: { ERPHOST_WEBHOOK_SECRET: OTHER.replaceAll("C", "D") } };
    const elsewhere = ["trigger", "server.created", "--to", `${url}?other`, ...at];
    const refused = { code: 1, out: [`server.created → ${url}?other: 400`], err: [] };
    expect(await erphost(elsewhere, wrong)).toEqual(refused);
    const unsigned = await erphost(["trigger", "*", "--to", `${url}?new`, ...at]);
    expect(unsigned.err.join()).toContain("ERPHOST_WEBHOOK_SECRET must be set");
    expect([unsigned.code, emulator.webhooks().length]).toEqual([2, 2]);
  });

  test.each([
    [["server.delete"], 2, "error: trigger: event is server.delete, not"],
    [["*", "--emulator", "notaurl"], 2, "--emulator must be an http or https address"],
    [["*", "--to", "notaurl"], 2, "--to must be an http or https address"],
    [["*", "--emulator", "http://127.0.0.1:1"], 1, "No emulator answers at http://127.0.0.1:1."],
  ])("%j is refused", async (words, expected, why) => {
    expect(await complaint(expected, erphost(["trigger", ...words]))).toContain(why);
  });

  const KEY = { ERPHOST_EMULATOR_KEY: "erp_test_0123456789abcdef" };
  test.each([
    ["127.0.0.1", {}, "401: set ERPHOST_EMULATOR_KEY to its admin key"],
    ["127.0.0.1", KEY, "has no webhook."],
    // Of any address but a loopback one nobody knows whose it is.
    ["0.0.0.0", KEY, "401: set ERPHOST_EMULATOR_KEY to its admin key"],
  ])("an emulator at %s that wants its admin key, asked with %j: %s", async (host, env, said) => {
    const adminKey = KEY.ERPHOST_EMULATOR_KEY;
    const { port } = await newEmulator({ host: "0.0.0.0", adminKey });
    const words = ["trigger", "*", "--emulator", `http://${host}:${port}`];
    // Node's own takes a proxy of the environment, even for this machine.
    const own = jest.spyOn(globalThis, "fetch");
    expect(await complaint(1, erphost(words, { env }))).toContain(said);
    expect(own.mock.calls.length > 0).toBe(host !== "127.0.0.1");
    own.mockRestore();
  });

  test.each(["<html>", "{}"])("is refused by a server that answers %j", async (body) => {
    const other = await addressOf(createServer((_, response) => response.end(body)));
    const said = await complaint(1, erphost(["trigger", "*", "--emulator", other]));
    expect(said).toContain(`${other} is not an emulator. Start one: erphost emulator.`);
  });
});
