/** What the page shows stays true: while others change it, where it is cut, and while nothing is heard. */
import { connect } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { ask } from "../../support/ask";
import { newEmulator } from "../../emulator/support";
import { atEnd } from "../../support/folder";
import { opened, visited } from "./support";

describe("what the page shows", () => {
  test("each of seven tabs is live, because those that nobody sees leave the connections to others", async () => {
    const { emulator, visit } = await opened("objects/server");
    let tab = visit;
    for (let count = 1; count < 7; count += 1) {
      // Without a window, the browser takes every tab for one that is seen.
      await tab.hide(true);
      tab = await visit.tab(`${emulator.url}/#/objects/server`);
    }
    emulator.createObjects("server", { name: "seen-by-the-last" });
    await tab.sees("seen-by-the-last");
    await tab.hide(true);
    await visit.hide(false);
    await visit.sees("seen-by-the-last");
    emulator.createObjects("server", { name: "seen-by-the-first" });
    await expect(visit.sees("seen-by-the-first")).resolves.toBeDefined();
  });

  test("a page that is refused events says so, and is live when there is room", async () => {
    const emulator = await newEmulator();
    const sockets = Array.from({ length: 50 }, () => connect(emulator.port, "127.0.0.1"));
    atEnd(() => sockets.forEach((socket) => socket.destroy()));
    const opens = sockets.map((socket) => new Promise((done) => socket.once("data", done)));
    for (const socket of sockets) {
      socket.write("GET /_emulator/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    await Promise.all(opens);
    const visit = await visited(emulator, "objects/server");
    await visit.sees("Not connected");
    sockets[0]?.destroy();
    await visit.misses("Not connected");
    emulator.createObjects("server", { name: "late" });
    await expect(visit.sees("late")).resolves.toBeDefined();
  });

  test("a page whose first call fails says that it is not connected, and tries again", async () => {
    const { visit } = await opened("objects/server");
    await visit.find("Servers", "heading");
    await visit.reload(
      "{ const real = fetch; let calls = 0; fetch = (...all) => (calls++ ? real(...all) : Promise.reject(new TypeError())); }",
    );
    await visit.find("Not connected", "heading");
    await expect(visit.find("Servers", "heading")).resolves.toBeDefined();
  });

  test("a list shows what its filter finds, however late another answer comes", async () => {
    const { emulator, visit } = await opened("objects/server");
    emulator.createObjects("server", [{ name: "s2" }, { name: "s4" }]);
    await visit.reload(
      `{ const real = fetch; fetch = async (...all) => {
        const answer = await real(...all);
        if (!all[0].includes("text=s&")) return answer;
        await new Promise((end) => setTimeout(end, 1_500));
        document.documentElement.dataset.late = "";
        return answer; }; }`,
    );
    await visit.sees("s2");
    await visit.fill("Filter", "s", "searchbox");
    await visit.press("4");
    await visit.misses("s2");
    await visit.shows("html[data-late]");
    // Not until the network is idle: what a reload has cut off may count as running for good.
    await visit.evaluate("new Promise((end) => setTimeout(end, 600))");
    await expect(visit.evaluate('document.querySelectorAll("tbody tr").length')).resolves.toBe(1);
  });

  test("a request that is still running took no time yet", async () => {
    const { emulator, visit } = await opened("requests");
    emulator.setFaults([{ effect: { type: "delay", ms: 60_000 } }]);
    void ask(emulator, "GET /teams").catch(() => undefined);
    await visit.sees("running");
    await expect(visit.evaluate("document.body.innerText")).resolves.not.toContain("0.0");
  });

  test("a profile's names of fields are those that the page reads", async () => {
    const profile = {
      resources: {
        server: { fields: { status: "phase", name: "title" } },
        instance: { fields: { server_id: "host" } },
        api_key: { fields: { name: "label", permissions: "rights", expires_at: "end" } },
      },
    };
    const { emulator, visit } = await opened("overview", { profile });
    emulator.createObjects("server", { title: "erp-main" });
    emulator.createObjects("instance", { name: "on-it", host: "srv_1" });
    await visit.sees("on-it");
    await visit.shows("li li [href$=ins_1]");
    await visit.click("Objects", "link");
    await visit.find("Title", "columnheader");
    await visit.click("srv_1", "link");
    await visit.choose("State", "failed");
    await visit.clickUntil("Set state", "failed");
    await visit.still();
    expect(emulator.objects("server")).toMatchObject([{ title: "erp-main", phase: "failed" }]);
    emulator.createKey({ name: "ci", expires_at: "2099-01-01T00:00:00Z" });
    emulator.advance("27000d");
    await visit.click("Keys", "link");
    await visit.sees("expired");
    await expect(visit.find("ci", "link")).resolves.toBeDefined();
  });

  test("the map of a twin shows an instance whose server its key could not read", async () => {
    const instance = [{ id: "ins_1", name: "alone", server_id: "srv_9" }];
    const of = { baseUrl: "https://erp.example.com/v1;id", environment: "live" } as const;
    const read = { version: 1, of, readAt: "2026-11-22T12:00:00Z" } as const;
    const twin = { ...read, limits: [], objects: { instance } };
    const { emulator, visit } = await opened("overview", { twin });
    await visit.submit({ "Admin key": emulator.adminKey }, "Sign in", "alone");
    await visit.sees("export ERPHOST_TWIN_OF='https://erp.example.com/v1;id'");
    await visit.clickUntil("Reset", "The copy of the account is put back.");
    expect(emulator.counts()).toMatchObject({ instance: 1 });
  });

  test("details of an object that somebody has deleted say so", async () => {
    const { emulator, visit } = await opened("objects/server");
    emulator.createObjects("server", { name: "doomed" });
    await visit.click("srv_1", "link");
    await visit.find("Delete", "button");
    emulator.removeObject("server", "srv_1");
    await visit.sees("It does not exist any more.");
    await visit.misses("doomed");
    await expect(visit.sees("It does not exist any more.")).resolves.toBeDefined();
  });

  test("in one column details come into view, above the list that they are of", async () => {
    const look = { width: 390, scheme: "light" } as const;
    const { emulator, visit } = await opened("requests", {}, look);
    for (let count = 0; count < 40; count += 1) await ask(emulator, "GET /servers");
    await visit.find("GET /servers", "link");
    await visit.still();
    const last = 'document.querySelector("tbody tr:last-child a")';
    await visit.evaluate(`${last}.scrollIntoView(), ${last}.click()`);
    await visit.find("Request 1", "heading");
    const top =
      '[...document.querySelectorAll("h2")].find((h) => h.textContent === "Request 1").getBoundingClientRect().top';
    expect(Number(await visit.evaluate(top))).toBeLessThan(400);
    expect(Number(await visit.evaluate(top))).toBeGreaterThanOrEqual(0);
  });

  test("a list that the map cuts says so, of every kind", async () => {
    const { emulator, visit } = await opened("overview");
    const many = Array.from({ length: 201 }, (_, index) => ({ name: `t${index}` }));
    emulator.createObjects("team", many);
    await expect(visit.sees("Teams: the first 200 of 201, see all")).resolves.toBeDefined();
  });
});
