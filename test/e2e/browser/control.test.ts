import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { ask } from "../../support/ask";
import { addressOf, folder as newFolder } from "../../support/folder";
import { opened, ways } from "./support";

describe.each(ways)("requests, webhooks, clock, faults and state, at %j", (look) => {
  test("a request shows as it is made, with its replay, its fault and all that is known", async () => {
    const limits = [{ requests: 4, windowMs: 6e4 }];
    const { emulator, visit } = await opened("requests", { limits }, look);
    await visit.sees("None yet");
    const seen = { body: { name: "seen" }, headers: { "Idempotency-Key": "once" } };
    const create = () => ask(emulator, "POST /servers", seen);
    await create();
    await visit.sees("POST /servers");
    await create();
    await visit.sees("replay");
    await visit.find("key_1: 2 of 4 in 60 s", "meter");
    emulator.setFaults([{ effect: "html-502" }]);
    await ask(emulator, "GET /teams");
    await visit.sees("html-502");
    await visit.clickUntil("POST /servers", "Idempotency key", "link");
    await visit.sees("once");
    await visit.fill("Filter", "/teams", "searchbox");
    await visit.misses("replay");
    await visit.click("Clear");
    await visit.misses("GET /teams");
    expect(emulator.journal()).toEqual([]);
  });

  test("an endpoint gets a test event of a kind, whose attempts show, and is sent it again", async () => {
    const bodies: string[] = [];
    const receiver = createServer((request, response) => {
      request.on("data", (chunk: Buffer) => bodies.push(chunk.toString()));
      request.on("end", () => response.end());
    });
    const { visit } = await opened("webhooks", {}, look);
    await visit.click("Add endpoint");
    await visit.submit({ URL: `${await addressOf(receiver)}/hook` }, "Add", "New endpoint");
    expect(await visit.value("Secret")).toMatch(/^whsec_/);
    await visit.click("Close");
    await visit.click("Send test event");
    await visit.choose("Event", "backup.failed");
    await visit.clickUntil("Send", "delivered");
    await visit.click("backup.failed", "link");
    await visit.clickUntil("Redeliver", "delivered");
    expect(bodies.join()).toContain('"event":"backup.failed"');
    await visit.clickUntil("Remove", "are dropped");
    await visit.clickUntil("Remove", "None yet");
  });

  test("the clock jumps, goes to a date and changes its rate", async () => {
    const { emulator, visit } = await opened("clock", {}, look);
    const before = Date.parse(emulator.clock().now);
    const later = new Date(before + 90 * 86_400_000).toISOString();
    await visit.submit({ Advance: "90d" }, "Set", later.slice(0, 10));
    await visit.submit({ Advance: "", Now: "2099-01-01" }, "Set", "2099-01-01");
    await visit.evaluate("location.reload()");
    await visit.submit({ Rate: "0" }, "Set", "It stands still.");
    expect(emulator.clock().rate).toBe(0);
  });

  test("a fault is set by a form of its effect, strikes, and is cleared", async () => {
    const { emulator, visit } = await opened("faults", {}, look);
    await visit.click("Add fault");
    await visit.fill("Path", "/servers");
    await visit.choose("Effect", "delay");
    await visit.submit({ Ms: "5" }, "Add", "0 of 0");
    await ask(emulator, "GET /servers");
    await visit.sees("1 of 1");
    expect(emulator.faults()).toMatchObject([{ fault: { effect: { type: "delay", ms: 5 } } }]);
    await visit.click("Add fault");
    await visit.clickUntil("Add", "0 of 0");
    await visit.sees("1 of 1");
    await visit.clickUntil("Clear", "the service works");
  });

  test("a snapshot is restored from a file, and a reset asks first", async () => {
    const seed = { objects: { team: [{ name: "seeded" }] } };
    const { emulator, visit } = await opened("overview", { seed }, look);
    const file = join(newFolder(), "state.json");
    emulator.createObjects("server", { name: "kept" });
    writeFileSync(file, JSON.stringify(emulator.snapshot()));
    emulator.removeObject("server", "srv_1");
    await visit.upload("Restore snapshot", file);
    await visit.sees("kept");
    await visit.sees("The snapshot is restored.");
    await visit.clickUntil("Reset", "The admin key stays. The seed is planted again.");
    await visit.press("Escape");
    expect(emulator.counts()["server"]).toBe(1);
    await visit.click("Reset");
    await visit.clickUntil("Reset", "No server yet.");
  });
});
