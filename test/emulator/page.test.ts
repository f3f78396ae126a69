import { describe, expect, jest, test } from "@jest/globals";
import { request } from "node:http";
import { connect } from "node:net";
import type { Emulator, EmulatorOptions, Twin } from "../../emulator";
import { Feed, type Stream } from "../../emulator/control/feed";
import { control, eachWithEmulator, newEmulator, send, until } from "./support";

let emulator: Emulator;
eachWithEmulator((made) => (emulator = made));
const FILES = ["/", "/page/main.js", "/page/main.css", "/page/icon.svg"];

/** Reads the events of an emulator until the test is over. */
async function events(emulator: Emulator, headers: Record<string, string> = {}) {
  const response = await fetch(`${emulator.url}/_emulator/events`, { headers });
  const heard: string[] = [];
  const listen = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) heard.push(decoder.decode(chunk as Uint8Array));
  };
  // The emulator ends the stream when it is closed.
  const ended = listen().catch(() => undefined);
  const topics = () => String(heard.join("").match(/(?<=^data: ).*$/gm));
  return { status: response.status, topics, ended };
}

test.each(FILES)("%s is served with a policy that keeps other pages out", async (path) => {
  const { status, headers } = await fetch(emulator.url + path);
  const policy = headers.get("content-security-policy") ?? "";
  expect(status).toBe(200);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("the page holds no secret and nothing inline; its script is at most 120 KB, its styles 21", async () => {
  const [html = "", script = "", styles = ""] = await Promise.all(
    FILES.map(async (path) => (await fetch(emulator.url + path)).text()),
  );
  expect(html).not.toMatch(/<script>|<style>|style=| on\w+=/);
  expect(html + script).not.toContain(emulator.adminKey);
  expect(script.length).toBeLessThan(120 * 1_024);
  expect(styles.length).toBeLessThan(21 * 1_024);
  expect(/localStorage|sessionStorage|indexedDB/.test(script)).toBe(false);
});

describe("what a page can make forms from", () => {
  test("forms hold the fields of every kind, and the scopes that a key can have", async () => {
    const { body } = await control(emulator, "GET /forms");
    expect(body["key"]).toMatchObject({
      properties: {
        permissions: { items: { enum: expect.arrayContaining(["servers:read", "admin"]) } },
        environment: { enum: ["live", "test"] },
      },
    });
    expect(body["kinds"]).toContainEqual(
      expect.objectContaining({ kind: "instance", states: expect.arrayContaining(["stopped"]) }),
    );
    expect(body["fault"]).toHaveProperty("properties.effect.oneOf");
  });

  test("a page of a list is sorted, filtered by any value, and says how many there are", async () => {
    emulator.createObjects("team", { name: "Ärger" });
    const servers = ["a", "B", "ab", "c"].map((name) => ({ name, size: { note: "Xy" } }));
    emulator.createObjects("server", servers);
    const list = async (query: string) =>
      (await control(emulator, `GET /objects/server?per_page=2&${query}`)).body;
    const [last, found] = ["c", "B"].map((name) => [{ name: "ab" }, { name }]);
    expect(await list("sort=name&order=asc&page=2")).toMatchObject({ objects: last, total: 4 });
    expect(await list("text=b&sort=name")).toMatchObject({ objects: found, total: 2 });
    expect((await list("text=xY"))["total"]).toBe(4);
    expect((await list("text=size"))["total"]).toBe(0);
    const { body } = await control(emulator, "GET /objects/team?per_page=2&text=ärG");
    expect(body["total"]).toBe(1);
  });

  test("a key is rotated as the dashboard would, and a second time only by its new key", async () => {
    const { id } = emulator.createKey({ name: "ci", permissions: ["read"] });
    const { status, body } = await control(emulator, `POST /keys/${id}/rotate`);
    expect(status).toBe(201);
    expect((await send(emulator, "GET /servers", { key: body.value })).status).toBe(200);
    expect((await control(emulator, `POST /keys/${id}/rotate`)).status).toBe(409);
  });

  test("a list of requests can leave bodies out, be filtered, and be followed by one request", async () => {
    await send(emulator, "POST /servers", { body: { name: "a" } });
    await send(emulator, "GET /teams");
    const { requests } = (await control(emulator, "GET /requests?text=SERVERS&bodies=false")).body;
    expect(requests).toMatchObject([{ path: "/servers" }]);
    expect(Object.keys(requests[0] ?? {}).join()).not.toContain("_body");
    const one = await control(emulator, `GET /requests/${requests[0]?.seq}`);
    expect(one.body).toMatchObject({ method: "POST", path: "/servers" });
    expect((await control(emulator, "GET /requests/99")).status).toBe(404);
  });
});

describe("server-sent events", () => {
  test("an event names what has changed, and nothing of what it is now", async () => {
    const { topics } = await events(emulator);
    await send(emulator, "POST /servers", { body: { name: "unspoken" } });
    emulator.setFaults([{ effect: "html-502" }]);
    emulator.advance("1d");
    const all = ["objects", "requests", "faults", "settings"];
    await until(() => all.every((topic) => topics().includes(`"${topic}"`)));
    expect(topics()).not.toContain("unspoken");
  });

  test("a HEAD for events is answered without a stream", async () => {
    const complained = jest.spyOn(console, "error").mockImplementation(() => undefined);
    expect((await control(emulator, "HEAD /events")).status).toBe(200);
    expect(complained).not.toHaveBeenCalled();
  });

  test("at most 50 pages hear events at a time, and one that leaves makes room", async () => {
    const sockets = Array.from({ length: 50 }, () => connect(emulator.port, "127.0.0.1"));
    for (const socket of sockets) {
      socket.write("GET /_emulator/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    await Promise.all(sockets.map((socket) => new Promise((done) => socket.once("data", done))));
    expect((await control(emulator, "GET /events")).status).toBe(429);
    sockets[0]?.destroy();
    await until(async () => (await events(emulator)).status === 200);
    sockets.forEach((socket) => socket.destroy());
  });

  test("a reader that leaves events unread is dropped; the others learn of every change, and that time has passed", async () => {
    jest.useFakeTimers();
    const feed = new Feed();
    const heard: string[] = [];
    const stream = (writableLength: number) => {
      let isDropped = false;
      let leave = (): void => undefined;
      const self = {
        writableLength,
        writeHead: () => self,
        write: (text: string) => heard.push(text) > 0,
        on: (_: string, listener: () => void) => void (leave = listener),
        destroy: () => (isDropped = true),
      };
      // As much of an answer as a stream uses.
      return { self: self as unknown as Stream, isDropped: () => isDropped, leave: () => leave() };
    };
    const [reloaded, slow, quick] = [stream(0), stream(20_000), stream(0)];
    feed.open(reloaded.self);
    reloaded.leave();
    feed.open(slow.self);
    feed.open(quick.self);
    feed.touch("objects");
    await jest.advanceTimersByTimeAsync(15_000);
    expect([slow.isDropped(), quick.isDropped()]).toEqual([true, false]);
    expect(heard.slice(3)).toEqual(['data: ["objects"]\n\n', 'data: ["settings","requests"]\n\n']);
    jest.useRealTimers();
  });
});

const twin: Twin = {
  version: 1,
  of: { baseUrl: "https://erp.example.com/v1", environment: "live" },
  readAt: "2026-11-22T12:00:00Z",
  limits: [],
  objects: { team: [{ id: "tea_1", name: "ops", members: [{ email: "a@example.com" }] }] },
};

describe("who gets in", () => {
  const guarded: readonly [string, EmulatorOptions][] = [
    ["another host than loopback", { host: "0.0.0.0" }],
    ["a twin on loopback", { twin }],
  ];

  /** Signs in; answers the status, the cookie and what goes with it. */
  const signIn = async (key: string) => {
    const { status, headers } = await control(emulator, "POST /session", { key });
    const [cookie = "", ...attributes] = headers.get("set-cookie")?.split("; ") ?? [];
    return { status, cookie, attributes };
  };
  const statusOf = async (path: string, headers: Record<string, string>, method = "GET") =>
    (await fetch(`${emulator.url}/_emulator${path}`, { method, headers })).status;

  test.each(guarded)("%s shows nothing without the admin key", async (_, options) => {
    emulator = await newEmulator(options);
    for (const call of ["GET /health", "GET /objects/team", "GET /events", "POST /keys"]) {
      expect((await control(emulator, call)).status).toBe(401);
    }
    expect((await signIn(emulator.createKey({ permissions: ["read"] }).value)).status).toBe(403);
    expect((await signIn("nonsense")).status).toBe(401);
    expect((await fetch(emulator.url)).status).toBe(200);
  });

  test.each(guarded)("%s keeps a session in a cookie that no script reads", async (_, options) => {
    emulator = await newEmulator(options);
    const { cookie, attributes } = await signIn(emulator.adminKey);
    expect(attributes).toEqual(["Path=/_emulator", "HttpOnly", "SameSite=Strict"]);
    expect(cookie).not.toContain(emulator.adminKey);
    expect(await statusOf("/objects/team", { cookie })).toBe(200);
    expect((await events(emulator, { cookie })).status).toBe(200);
    expect(await statusOf("/session", { cookie }, "DELETE")).toBe(200);
    expect(await statusOf("/objects/team", { cookie })).toBe(401);
  });

  test.each(guarded)("%s refuses an admin key from where it may not be used", async (_, opts) => {
    emulator = await newEmulator(opts);
    const { id, value } = emulator.createKey({ permissions: ["admin"] });
    const { cookie } = await signIn(value);
    const statuses = async () => [
      await statusOf("", { cookie }),
      await statusOf("", { authorization: `Bearer ${value}` }),
      (await signIn(value)).status,
    ];
    expect(await statuses()).toEqual([200, 200, 200]);
    emulator.changeObject("api_key", id, { ip_whitelist: ["198.51.100.7"] });
    expect(await statuses()).toEqual([403, 403, 403]);
  });

  test("a session ends with its key", async () => {
    emulator = await newEmulator({ twin });
    const { id, value } = emulator.createKey({ permissions: ["admin"] });
    const { cookie } = await signIn(value);
    expect(await statusOf("/health", { cookie })).toBe(200);
    emulator.removeObject("api_key", id);
    expect(await statusOf("/health", { cookie })).toBe(401);
  });

  test.each([
    ["GET /events", { "sec-fetch-site": "cross-site" }, 403],
    ["GET /events", { origin: "http://evil.example" }, 403],
    ["GET /events", { host: "evil.example" }, 403],
    ["POST /session", { origin: "http://evil.example" }, 403],
    ["PUT /clock", { "sec-fetch-site": "same-site" }, 403],
    ["POST /reset", { origin: "http://evil.example" }, 403],
    ["POST /reset", { origin: "its own", "sec-fetch-site": "same-origin" }, 200],
    // As it is behind what ends TLS.
    ["POST /reset", { host: "localhost", origin: "https://localhost" }, 200],
    ["POST /reset", { origin: "null" }, 403],
    ["POST /reset", {}, 200],
  ])("%s of a page with %j is answered with %i", async (call, from, status) => {
    const [method, path = ""] = call.split(" ");
    const headers =
      "origin" in from && from.origin === "its own" ? { ...from, origin: emulator.url } : from;
    const answered = await new Promise((resolve) => {
      request(`${emulator.url}/_emulator${path}`, { method, headers, agent: false }, (response) => {
        resolve(response.statusCode);
        response.destroy();
      }).end();
    });
    expect(answered).toBe(status);
  });
});
