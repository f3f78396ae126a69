import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { startEmulator, type Emulator } from "../../emulator";
import { Intents, type IntentEntry } from "../../provider/engine";
import { erphost } from "./support";

const DAY_MS = 86_400_000;
const ID = "3f2a0000-0000-4000-8000-000000000001";
const OTHER = "3f2b0000-0000-4000-8000-000000000002";
const SECRET = "a-very-secret-body";

let emulator: Emulator;
let folder: string;

beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(() => emulator.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "erphost-intents-"));
  emulator.reset();
});
afterEach(() => rmSync(folder, { recursive: true }));

const env = () => ({
  ERPHOST_INTENTS_DIR: folder,
  ERPHOST_BASE_URL: emulator.baseUrl,
  ERPHOST_API_KEY: emulator.adminKey,
});
const run = (words: string[], more: Parameters<typeof erphost>[1] = {}) =>
  erphost(["intents", ...words], { env: env(), ...more });

/** Leaves an intent as a process would that died right after. */
async function left(change: Partial<IntentEntry> = {}, place = "one"): Promise<IntentEntry> {
  const entry: IntentEntry = {
    version: 1,
    id: ID,
    account: { baseUrl: emulator.baseUrl, environment: "test" },
    operation: "create",
    kind: "server",
    identity: "urn:pulumi:dev::demo::Server::web",
    name: "web",
    idempotencyKey: "key-of-the-request",
    bodyHash: "hash",
    body: SECRET,
    time: Date.now(),
    ...change,
  };
  const processes = { self: `${place.length}-dead`, isAlive: () => false };
  await new Intents(join(folder, place), processes, () => undefined, Date.now).begin(entry);
  return entry;
}

/** Creates a server as somebody else's create would. */
async function server(name: string): Promise<string> {
  const reply = await fetch(`${emulator.baseUrl}/servers`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${emulator.adminKey}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ name }),
  });
  const { data } = (await reply.json()) as { data: { id: string } };
  return data.id;
}

describe("erphost intents list", () => {
  it("has nothing to show where nothing was interrupted, and where no folder ever was", async () => {
    const said = ["No interrupted run has left anything behind."];
    expect(await run(["list"])).toEqual({ code: 0, out: said, err: [] });
    const never = { ...env(), ERPHOST_INTENTS_DIR: join(folder, "never") };
    expect(await run(["list"], { env: never })).toMatchObject({ code: 0, out: said });
    expect(JSON.parse((await run(["list", "--json"])).out.join(""))).toEqual([]);
  });

  it("shows those of all folders, oldest first, without what was sent", async () => {
    await left({ id: OTHER, name: "young", answer: "srv_7" }, "two");
    await left({ time: Date.now() - 3 * DAY_MS - 1_000 });
    const { code, out } = await run(["list"]);
    expect(code).toBe(0);
    expect(out).toHaveLength(3);
    expect(out[1]).toContain(`${ID}  create  server web    3 d  –`);
    expect(out[1]).toContain("urn:pulumi:dev::demo::Server::web");
    expect(out[2]).toContain("srv_7");
    expect(out.join("\n")).not.toContain(SECRET);
    const json = (await run(["list", "--json"])).out.join("\n");
    expect(json).not.toContain(SECRET);
    expect(json).not.toContain("key-of-the-request");
    expect(JSON.parse(json)).toMatchObject([{ id: ID }, { id: OTHER, answer: "srv_7" }]);
  });

  it("leaves out those of processes that live", async () => {
    await left();
    const processes = { self: "1-1", isAlive: (owner: string) => owner === "3-dead" };
    expect((await run(["list"], { processes })).out[0]).toContain("No interrupted run");
  });
});

describe("erphost intents drop", () => {
  it("removes the one whose id begins so, and no other", async () => {
    await left();
    await left({ id: OTHER });
    const { code, out } = await run(["drop", "3f2a"]);
    expect({ code, out }).toEqual({
      code: 0,
      out: ["Dropped the create of server web (not answered)."],
    });
    expect(readdirSync(join(folder, "one"))).toEqual([expect.stringContaining(OTHER)]);
  });

  it.each([
    { id: "3f2", said: "too short" },
    { id: "0000", said: "is no intent" },
    { id: "3f2a", said: "begins 2 ids" },
  ])("refuses $id: $said", async ({ id, said }) => {
    await left();
    await left({ id: ID.replace(/1$/, "2") });
    const { code, err } = await run(["drop", id]);
    expect(code).toBe(2);
    expect(err[0]).toContain(said);
    expect(readdirSync(join(folder, "one"))).toHaveLength(2);
  });
});

describe("erphost intents resolve", () => {
  it("finds the object that was answered", async () => {
    const id = await server("web");
    await left({ answer: id });
    const { code, out } = await run(["resolve", ID]);
    expect(code).toBe(0);
    expect(out[1]).toBe(`The create made server ${id}, and it exists.`);
    expect(out.join("\n")).toContain(`erphost intents drop ${ID}`);
  });

  it("says that what was answered is gone", async () => {
    await left({ answer: "srv_404" });
    expect((await run(["resolve", ID])).out[1]).toContain("does not list it any more");
  });

  it("finds what an unanswered create made, by name and time", async () => {
    await server("other");
    const id = await server("web");
    await left();
    const { out } = await run(["resolve", ID]);
    expect(out[1]).toContain(id);
    expect(out[2]).toContain("same idempotency key");
  });

  it("says that nothing was made", async () => {
    await server("other");
    await left();
    expect((await run(["resolve", ID])).out[1]).toContain("No server web was created");
  });

  it("asks which one it was, past the window, and notes the answer for the next run", async () => {
    const begun = emulator.clock().now;
    const ids = [await server("web"), await server("web")];
    const time = Date.parse(begun);
    await left({ time });
    const nowMs = () => time + 2 * DAY_MS;
    const asked = await run(["resolve", ID], { nowMs });
    expect(asked.out.join("\n")).toContain(`resolve ${ID} --object`);
    for (const id of ids) expect(asked.out[1]).toContain(id);
    const [, second = ""] = ids;
    expect((await run(["resolve", ID, "--object", second], { nowMs })).code).toBe(0);
    expect((await run(["list"])).out[1]).toContain(second);
  });

  it("notes no object that the service does not list", async () => {
    await left();
    const { code, err } = await run(["resolve", ID, "--object", "srv_404"]);
    expect(code).toBe(2);
    expect(err[0]).toContain("lists no server with that id");
    expect((await run(["list"])).out[1]).not.toContain("srv_404");
  });

  it("refuses to look in another account", async () => {
    await left({ account: { baseUrl: "https://api.example.com/v1", environment: "live" } });
    const { code, err } = await run(["resolve", ID]);
    expect(code).toBe(2);
    expect(err[0]).toContain("https://api.example.com/v1");
  });

  it("finds the keys that a lost rotation made", async () => {
    const { id } = emulator.createKey({ name: "pipeline", permissions: ["servers:read"] });
    const rotated = await fetch(`${emulator.baseUrl}/api-keys/${id}/rotate`, {
      method: "POST",
      headers: { authorization: `Bearer ${emulator.adminKey}` },
    });
    const { data } = (await rotated.json()) as { data: { new_key: { id: string } } };
    const { name: _, ...change } = {
      name: "",
      operation: "rotate",
      kind: "api_key",
      target: id,
    } as const;
    const entry = await left(change);
    const { out } = await run(["resolve", ID, "--json"]);
    expect(JSON.parse(out.join("\n"))).toMatchObject({
      target: id,
      verdict: "likely",
      ids: [data.new_key.id],
    });
    expect(out.join("\n")).not.toContain(entry.idempotencyKey);
  });
});
