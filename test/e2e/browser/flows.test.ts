/** What people do on the emulator's page, in a real browser: by names, and by keyboard alone. */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../../emulator";
import type { Look, Visit } from "../../harness/browser";
import { folder as newFolder } from "../../support/folder";
import { ask, ends, opened } from "./support";

const VIEWS = ["Overview", "Objects", "Keys", "Requests", "Webhooks", "Clock", "Faults"];

/** Fills an emulator with some of everything. */
async function furnish(emulator: Emulator): Promise<void> {
  emulator.createObjects("server", [{ name: "main" }, { name: "old", status: "failed" }]);
  emulator.createObjects("instance", { name: "erp", server_id: "srv_1", version: "17.0" });
  emulator.createObjects("backup", { instance_id: "ins_1" });
  emulator.createObjects("team", {
    ...{ name: "ops", members: [{ email: "a@example.com", role: "admin" }] },
  });
  emulator.setFaults([{ match: { path: "/teams" }, effect: "html-502" }]);
  const { id } = emulator.registerWebhook({ url: "http://127.0.0.1:9/hook" });
  emulator.testWebhook(id);
  await ask(emulator, "GET /servers");
  await ask(emulator, "GET /teams");
}

describe("looks", () => {
  test.each<Look>([
    { width: 1280, scheme: "light" },
    { width: 1280, scheme: "dark" },
    { width: 390, scheme: "light" },
    { width: 390, scheme: "dark" },
  ])(
    "no view has a barrier at %j, with something in it and without",
    async (look) => {
      const { emulator, visit } = await opened(
        "overview",
        { limits: [{ requests: 9, windowMs: 6e4 }] },
        look,
      );
      const found: string[] = [];
      for (const state of ["empty", "full"]) {
        if (state === "full") await furnish(emulator);
        for (const view of VIEWS) {
          await visit.click(view, "link");
          await visit.find(view, "heading");
          found.push(...(await visit.barriers()).map((each) => `${view}, ${state}: ${each}`));
        }
      }
      await visit.click("Add fault");
      found.push(...(await visit.barriers()));
      expect(found).toEqual([]);
      // A pipe of events and all answers: nothing that the policy or the browser refused.
      expect(visit.complaints).toEqual([]);
    },
    90_000,
  );
});

describe("keys", () => {
  test("a key that a person creates by keyboard alone is one that a program can use", async () => {
    const { emulator, visit } = await opened("overview");
    await visit.find("Create key", "button");
    await visit.tabTo("Keys");
    await visit.press("Enter");
    await visit.find("Keys", "heading");
    await visit.tabTo("Create key");
    await visit.press("Enter");
    await visit.tabTo("Name");
    await visit.fill("Name", "pipeline");
    await visit.tabTo("Permissions");
    await visit.fill("Permissions", "servers:read");
    await visit.fill("Expires at", "2099-01-01");
    await visit.tabTo("Create");
    await visit.press("Enter");
    const secret = await visit.value("Secret");
    expect(await ask(emulator, "GET /servers", undefined, secret)).toBe(200);
    expect(await ask(emulator, "POST /servers", { name: "a" }, secret)).toBe(403);
    expect(emulator.keys().at(-1)).toMatchObject({ expires_at: "2099-01-01T00:00:00Z" });
    await visit.tabTo("Copy");
    await visit.press("Enter");
    await visit.sees("Copied");
    await visit.press("Escape");
    await visit.sees("pipeline");
    expect(await visit.evaluate("document.documentElement.outerHTML")).not.toContain(secret);
  });

  test("scopes are chosen from the contract's, and a refusal says what is wrong", async () => {
    const { emulator, visit } = await opened("keys");
    await visit.click("Create key");
    await visit.fill("Name", "x");
    await visit.evaluate('document.querySelector(".choices summary").click()');
    await visit.click("admin", "checkbox");
    await visit.click("instances:*", "checkbox");
    await visit.choose("Environment", "live");
    await visit.fill("Expires at", "soon");
    await visit.click("Create");
    await visit.sees("expires_at");
    expect(emulator.keys()).toHaveLength(1);
    await visit.fill("Expires at", "2099-01-01");
    await visit.click("Create");
    expect(await visit.value("Secret")).toMatch(/^erp_live_/);
    expect(emulator.keys().at(-1)).toMatchObject({ permissions: ["instances:*"] });
  });

  test("next to a live admin key the page makes live keys", async () => {
    const { emulator, visit } = await opened("keys", { adminKey: "acme_live_0123456789abcdef" });
    await visit.click("Create key");
    await visit.fill("Name", "x");
    expect(await visit.value("Environment")).toBe("live");
    await visit.click("Create");
    const secret = await visit.value("Secret");
    expect(secret).toMatch(/^acme_live_/);
    expect(await ask(emulator, "GET /servers", undefined, secret)).toBe(200);
  });

  test("the dialog of a key begins at its name, and shows its button without its list of scopes", async () => {
    const { visit } = await opened("keys");
    await visit.click("Create key");
    await visit.find("Name", "textbox");
    expect(await visit.evaluate("document.activeElement.labels?.[0].textContent")).toBe("Name");
    const shown = 'document.querySelector(".choices label").checkVisibility()';
    expect(await visit.evaluate(shown)).toBe(false);
    const end =
      'document.querySelector("dialog form footer button").getBoundingClientRect().bottom';
    expect(await visit.evaluate(`${end} <= innerHeight`)).toBe(true);
    await visit.evaluate('document.querySelector(".choices summary").click()');
    expect(await visit.evaluate(shown)).toBe(true);
  });

  test("a key is rotated, revoked and seen to expire", async () => {
    const { emulator, visit } = await opened("keys");
    emulator.createKey({ name: "ci", permissions: ["read"], expires_at: "2099-01-01T00:00:00Z" });
    await visit.sees("ci");
    await visit.evaluate('document.querySelectorAll("td button")[0].click()');
    const secret = await visit.value("Secret");
    expect(await ask(emulator, "GET /servers", undefined, secret)).toBe(200);
    await visit.click("Close");
    await visit.sees("key_3");
    await visit.evaluate('document.querySelectorAll("td button.danger")[0].click()');
    await visit.sees("are refused from now on");
    await visit.evaluate('document.querySelector("dialog form button").click()');
    await visit.misses("are refused from now on");
    expect(await ask(emulator, "GET /servers", undefined, secret)).toBe(401);
    emulator.createKey({ name: "late", expires_at: "2099-01-01T00:00:00Z" });
    emulator.advance("27000d");
    await visit.sees("expired");
  });
});

describe("objects", () => {
  test("an object is created, edited, set to a state and deleted by forms", async () => {
    const { emulator, visit } = await opened("objects/server");
    await visit.click("Create server");
    await visit.fill("Name", "erp-main");
    await visit.click("Create");
    await visit.find("srv_1", "heading");
    await visit.click("Edit");
    await visit.fill("Name", "erp-renamed");
    await visit.click("Save");
    await visit.sees("erp-renamed");
    await visit.choose("State", "failed");
    await visit.click("Set state");
    await visit.sees("failed");
    expect(emulator.objects("server")).toMatchObject([{ name: "erp-renamed", status: "failed" }]);
    await visit.click("Delete");
    await visit.sees("even if others refer to it");
    await visit.evaluate('document.querySelector("dialog form button").click()');
    await visit.sees("None yet");
    expect(emulator.objects("server")).toEqual([]);
  });

  test("members of a team and references are fields of its form", async () => {
    const { emulator, visit } = await opened("objects/team");
    await visit.click("Create team");
    await visit.fill("Name", "ops");
    await visit.click("Add");
    await visit.fill("Email", "a@example.com");
    await visit.fill("Role", "admin");
    await visit.click("Create");
    await visit.find("team_1", "heading");
    expect(emulator.objects("team")).toMatchObject([
      { members: [{ email: "a@example.com", role: "admin" }] },
    ]);
  });

  test("a list is sorted, filtered and turned, and a selection survives what others change", async () => {
    const { emulator, visit } = await opened("objects/server");
    const names = Array.from({ length: 60 }, (_, index) => ({ name: `erp-${100 + index}` }));
    emulator.createObjects("server", names);
    await visit.sees("erp-159");
    await visit.click("Name");
    await visit.sees("erp-100");
    await visit.click("Next");
    await visit.sees("erp-125");
    await visit.sees("Page 2 of 3");
    await visit.click("srv_26", "link");
    await visit.find("srv_26", "heading");
    emulator.changeObject("server", "srv_26", { status: "failed" });
    await visit.sees("failed");
    await visit.sees("Page 2 of 3");
    await visit.fill("Filter", "erp-14", "searchbox");
    await visit.sees("Page 1 of 1");
    await visit.misses("erp-100");
    await visit.find("srv_26", "heading");
    expect(visit.complaints).toEqual([]);
  });
});

describe("requests, webhooks, clock, faults and state", () => {
  test("a request shows as it is made, with its replay, its fault and all that is known", async () => {
    const { emulator, visit } = await opened("requests", {
      limits: [{ requests: 4, windowMs: 6e4 }],
    });
    await visit.sees("None yet");
    const create = () =>
      fetch(`${emulator.baseUrl}/servers`, {
        method: "POST",
        headers: {
          ...{ Authorization: `Bearer ${emulator.adminKey}`, "Idempotency-Key": "once" },
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ name: "seen" }),
      });
    await create();
    await visit.sees("POST /servers");
    await create();
    await visit.sees("replay");
    await visit.find("key_1: 2 of 4 in 60 s", "image");
    emulator.setFaults([{ effect: "html-502" }]);
    await ask(emulator, "GET /teams");
    await visit.sees("html-502");
    await visit.evaluate('document.querySelector("tbody tr:last-child a").click()');
    await visit.sees("Idempotency key");
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
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    ends.push(() => receiver.close());
    // A TCP server's address is always of this shape.
    const { port } = receiver.address() as AddressInfo;
    const { visit } = await opened("webhooks");
    await visit.click("Add endpoint");
    await visit.fill("URL", `http://127.0.0.1:${port}/hook`);
    await visit.click("Add");
    expect(await visit.value("Secret")).toMatch(/^whsec_/);
    await visit.click("Close");
    await visit.click("Send test event");
    await visit.choose("Event", "backup.failed");
    await visit.click("Send");
    await visit.sees("delivered");
    await visit.click("backup.failed", "link");
    await visit.click("Redeliver");
    await visit.sees("delivered");
    expect(bodies.join()).toContain('"event":"backup.failed"');
    await visit.click("Remove");
    await visit.sees("are dropped");
    await visit.evaluate('document.querySelector("dialog form button").click()');
    await visit.sees("None yet");
  });

  test("the clock jumps, goes to a date and changes its rate", async () => {
    const { emulator, visit } = await opened("clock");
    const before = Date.parse(emulator.clock().now);
    await visit.click("+ 90d");
    await visit.sees(new Date(before + 90 * 86_400_000).toISOString().slice(0, 10));
    await visit.fill("Now", "2099-01-01");
    await visit.click("Set");
    await visit.sees("2099-01-01");
    await visit.evaluate("location.reload()");
    await visit.fill("Rate", "0");
    await visit.click("Set");
    await visit.sees("It stands still.");
    expect(emulator.clock().rate).toBe(0);
  });

  test("a fault is set by a form of its effect, strikes, and is cleared", async () => {
    const { emulator, visit } = await opened("faults");
    await visit.click("Add fault");
    await visit.fill("Path", "/servers");
    await visit.choose("Effect", "delay");
    await visit.fill("Ms", "5");
    await visit.click("Add");
    await visit.sees("0 of 0");
    await ask(emulator, "GET /servers");
    await visit.sees("1 of 1");
    expect(emulator.faults()).toMatchObject([{ fault: { effect: { type: "delay", ms: 5 } } }]);
    await visit.click("Add fault");
    await visit.click("Add");
    await visit.sees("0 of 0");
    await visit.sees("1 of 1");
    await visit.click("Clear");
    await visit.sees("the service works");
  });

  test("a snapshot is restored from a file, and a reset asks first", async () => {
    const { emulator, visit } = await opened("overview");
    const file = join(newFolder(), "state.json");
    emulator.createObjects("server", { name: "kept" });
    writeFileSync(file, JSON.stringify(emulator.snapshot()));
    emulator.removeObject("server", "srv_1");
    await visit.upload("input[type=file]", file);
    await visit.sees("kept");
    await visit.sees("The snapshot is restored.");
    await visit.click("Reset");
    await visit.sees("The admin key stays.");
    await visit.press("Escape");
    expect(emulator.counts()["server"]).toBe(1);
    await visit.click("Reset");
    await visit.evaluate('document.querySelector("dialog form button").click()');
    await visit.sees("No server yet.");
  });
});

describe("who gets in", () => {
  const enter = async (visit: Visit, key: string) => {
    await visit.fill("Admin key", key);
    await visit.click("Sign in");
  };

  test("on another host the page asks for the admin key first, and keeps it nowhere in itself", async () => {
    const { emulator, visit } = await opened("overview", { host: "0.0.0.0" });
    await visit.find("Sign in", "heading");
    expect(await visit.barriers()).toEqual([]);
    await enter(visit, "erp_test_0123456789abcdef");
    await visit.sees("is not valid");
    await enter(visit, emulator.adminKey);
    await visit.find("Overview", "heading");
    emulator.createObjects("server", { name: "live-here" });
    await visit.sees("live-here");
    const kept =
      "document.documentElement.outerHTML + location + document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])";
    expect(await visit.evaluate(kept)).not.toContain(emulator.adminKey);
    await visit.evaluate("location.reload()");
    await visit.find("Overview", "heading");
    await visit.click("Sign out");
    await visit.find("Sign in", "heading");
    await visit.evaluate("location.reload()");
    await visit.find("Sign in", "heading");
  });
});
