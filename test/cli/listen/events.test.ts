/** `erphost listen`, with webhooks that the emulator sends for real. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { folder } from "../../support/given";
import { erphost } from "../support";
import { endAll, ends, listening, OTHER, SECRET, signed, statusOf, until } from "./support";

afterEach(endAll);

/** A command that appends what it was given to a file, and then waits. */
function recorder(waitMs = 0) {
  const file = join(folder(), "runs");
  const program = `
    const input = require("node:fs").readFileSync(0, "utf8");
    const { ERPHOST_EVENT: event, ERPHOST_EVENT_COUNT: count, ERPHOST_WEBHOOK_SECRET: secret } = process.env;
    require("node:fs").appendFileSync(${JSON.stringify(file)}, JSON.stringify({ event, count, secret, input: JSON.parse(input) }) + "\\n");
    setTimeout(() => undefined, ${waitMs});`;
  const records = (): Record<string, unknown>[] =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Record<string, unknown>)
      : [];
  return { words: ["--", process.execPath, "-e", program], records };
}

async function emulated(): Promise<Emulator> {
  const emulator = await startEmulator({ provisionMs: 0 });
  ends.push(() => emulator.close());
  return emulator;
}

describe("erphost listen", () => {
  test("a server that is deleted in the service starts the command, and other events do not", async () => {
    const emulator = await emulated();
    const { words, records } = recorder();
    const { url, lines } = await listening(["--on", "server.del*", ...words]);
    emulator.registerWebhook({ url, secret: SECRET });
    const [server] = emulator.createObjects("server", { name: "web" });
    const headers = {
      authorization: `Bearer ${emulator.adminKey}`,
      "content-type": "application/json",
    };
    const made = await fetch(`${emulator.baseUrl}/servers`, {
      method: "POST",
      headers,
      body: '{"name":"b"}',
    });
    expect(made.status).toBe(201);
    await fetch(`${emulator.baseUrl}/servers/${String(server?.["id"])}`, {
      method: "DELETE",
      headers,
    });
    await until(() => records().length === 1);
    expect(records()[0]).toMatchObject({
      event: "server.deleted",
      count: "1",
      input: { events: [{ event: "server.deleted", data: { server_id: server?.["id"] } }] },
    });
    // The command never sees the secret of the webhooks.
    expect(records()[0]).not.toHaveProperty("secret");
    await until(() => lines.some((line) => line.startsWith("ignored: server.created")));
  });

  test("a forged, an old, a repeated and an oversized event start nothing", async () => {
    const { words, records } = recorder();
    const { url, runs, lines } = await listening(words);
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
    expect(records().map(({ input }) => JSON.stringify(input))).toEqual([
      expect.stringContaining("msg_5"),
      expect.stringContaining("msg_6"),
    ]);
    expect([JSON.stringify(records()), ...lines].join("\n")).not.toContain("c4n4ry");
  });

  test("a burst of 100 events starts two runs at most, one after the other, and loses none", async () => {
    const { words, records } = recorder(500);
    const { url, runs, lines } = await listening(words);
    const messages = Array.from({ length: 100 }, (_, index) => signed(`msg_${index}`));
    const statuses = await Promise.all(messages.map((message) => statusOf(url, message)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await until(() => records().reduce((sum, { count }) => sum + Number(count), 0) === 100);
    await until(
      () => lines.filter((line) => line === "run: ended with 0").length === runs().length,
    );
    expect(runs().length).toBeLessThanOrEqual(2);
    const order = lines.filter((line) => line.startsWith("run: ")).map((line) => line.slice(5, 12));
    expect(order).toEqual(runs().flatMap(() => ["started", "ended w"]));
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

  test("a run that takes too long is ended, and a command that is not there is reported", async () => {
    const slow = await listening(["--timeout", "1", ...recorder(60_000).words]);
    await statusOf(slow.url, signed("msg_1"));
    await until(() => slow.lines.some((line) => line.endsWith("SIGTERM, after its time limit")));
    const missing = await listening(["--", "/nowhere/program"]);
    await statusOf(missing.url, signed("msg_1"));
    await until(() => missing.lines.includes("run: cannot be started (ENOENT)"));
    expect([slow.runs(), missing.runs()].map((runs) => runs.length)).toEqual([1, 1]);
  });

  test.each([
    ["no secret", ["--", "true"], {}, "ERPHOST_WEBHOOK_SECRET is missing or empty"],
    ["nothing to start", [], { ERPHOST_WEBHOOK_SECRET: SECRET }, "must be given after --"],
    [
      "a secret that proves nothing",
      ["--", "true"],
      { ERPHOST_WEBHOOK_SECRET: "short" },
      "secrets[0]",
    ],
    [
      "a dispatch without a token",
      ["--dispatch", "a/b"],
      { ERPHOST_WEBHOOK_SECRET: SECRET },
      "GITHUB_TOKEN must be set",
    ],
    [
      "a token over plain HTTP",
      ["--dispatch", "a/b", "--api", "http://127.0.0.1.example.com"],
      { ERPHOST_WEBHOOK_SECRET: SECRET, GITHUB_TOKEN: "t" },
      "must be an https address",
    ],
  ])("listening is refused as invalid input: %s", async (_, words, env, why) => {
    const { code, err } = await erphost(["listen", "--port", "0", ...words], { env });
    expect({ code, text: err.join() }).toEqual({ code: 2, text: expect.stringContaining(why) });
  });
});
