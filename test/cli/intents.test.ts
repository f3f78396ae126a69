import {
  mkdirSync,
  promises,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { ask } from "../support/ask";
import { startEmulator, type Emulator } from "../../emulator";
import { systemInjectables } from "../../provider/client";
import { Journal, type IntentEntry } from "../../provider/engine";
import { seal } from "../../provider/engine/journal/ours";
import { kind } from "../engine/support";
import { folder as newFolder, given } from "../support/given";
import { complaint, erphost } from "./support";

const DAY_MS = 86_400_000;
const ID = "3f2a0000-0000-4000-8000-000000000001";
const OTHER = "3f2b0000-0000-4000-8000-000000000002";
const SECRET = "a-very-secret-body";
let emulator: Emulator;
let folder: string;

beforeAll(async () => void (emulator = await startEmulator()));
afterAll(() => emulator.close());
beforeEach(() => {
  folder = newFolder();
  emulator.reset();
});

const env = () => ({
  ERPHOST_INTENTS_DIR: folder,
  ERPHOST_BASE_URL: emulator.baseUrl,
  ERPHOST_API_KEY: emulator.adminKey,
});
const run = (words: string[], more: Parameters<typeof erphost>[1] = {}) =>
  erphost(["intents", ...words], { env: env(), ...more });
const list = async (more?: Parameters<typeof erphost>[1]) => (await run(["list"], more)).out;
const listed = async (more?: Parameters<typeof erphost>[1]): Promise<unknown> =>
  JSON.parse((await run(["list", "--json"], more)).out.join(""));
const files = () => readdirSync(join(folder, "one"));

/** Leaves an intent, as a process does that is killed right after writing it. */
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
  const { clock } = systemInjectables();
  const secrets = async () => [emulator.adminKey];
  const at = { folder: join(folder, place), processes, clock, secrets };
  await new Journal(at, () => undefined).begin(entry);
  return entry;
}

/** Creates a server by some other means. */
const server = (name: string): string =>
  String(emulator.createObjects("server", { name })[0]?.["id"]);

describe("erphost intents list", () => {
  test("intents list shows nothing if no run was interrupted or no folder exists", async () => {
    const out = ["No interrupted run has left anything behind."];
    expect(await run(["list"])).toEqual({ code: 0, out, err: [] });
    const never = { ...env(), ERPHOST_INTENTS_DIR: join(folder, "never") };
    expect(await run(["list"], { env: never })).toMatchObject({ code: 0, out });
    expect(await listed()).toEqual([]);
  });

  test("intents list shows the intents of all folders, oldest first, without their bodies", async () => {
    await left({ id: OTHER, name: "young", answer: "srv_7" }, "two");
    await left({ time: Date.now() - 3 * DAY_MS - 1_000 });
    const out = await list();
    expect(out).toHaveLength(3);
    expect(out[1]).toContain(`${ID}  create     server web    3 d  –`);
    expect(out[1]).toContain("urn:pulumi:dev::demo::Server::web");
    expect(out[2]).toContain("srv_7");
    expect(out.join("\n")).not.toContain(SECRET);
    const shown = await listed();
    expect(JSON.stringify(shown)).not.toMatch(/a-very-secret-body|key-of-the-request/);
    expect(shown).toMatchObject([{ id: ID }, { id: OTHER, answer: "srv_7" }]);
  });

  test("intents list leaves out the intents of running processes", async () => {
    await left();
    const processes = { self: "1-1", isAlive: (owner: string) => owner === "3-dead" };
    expect((await list({ processes }))[0]).toContain("No interrupted run");
  });
});

test("intents list shows what it does not understand as well, with what to do, and intents drop leaves it", async () => {
  await left();
  await left({ id: OTHER });
  const name = files().find((file) => file.startsWith(OTHER)) ?? "";
  const file = join(folder, "one", name);
  writeFileSync(file, readFileSync(file, "utf8").replace('"version":1', '"version":2'));
  const { code, out, err } = await run(["list"]);
  expect(code).toBe(0);
  expect(out[1]).toContain(`${ID}  create`);
  expect(out[2]).toContain(OTHER);
  expect(out[2]).toContain("not read, stops creates, rotations and deletes");
  expect(out[2]).toContain(file);
  expect(err.join("\n")).toContain("Run the newest release that has worked in this folder.");
  expect(await listed()).toMatchObject([{ id: ID }, { id: OTHER, operation: null, unread: file }]);
  expect((await run(["drop", OTHER])).err.join("\n")).toContain(`annot understand ${file}`);
  expect(await run(["drop", ID])).toMatchObject({ code: 0 });
  expect(files()).toEqual([name]);
});

describe("an intent that nothing shows to be ours", () => {
  /** What somebody else wrote, with words that would be read as an answer of the service. */
  async function planted(): Promise<void> {
    await left({ name: "planted\nresolved: srv_9", identity: "planted", answer: "srv_9" });
  }
  const stranger = () => ({ env: { ...env(), ERPHOST_API_KEY: "erph_test_another1234" } });

  test("intents list names the file of an intent that is not ours, and nothing that it says", async () => {
    await planted();
    const out = await list(stranger());
    expect(out[1]).toContain(`${ID}  create     server  –    –       not ours, never followed`);
    expect(out.join("\n")).not.toMatch(/planted|srv_9/);
    expect(await listed(stranger())).toMatchObject([{ foreign: true }]);
  });

  test("intents resolve refuses an intent that is not ours, and intents drop deletes it", async () => {
    await planted();
    const refused = await run(["resolve", ID, "--object", "srv_9"], stranger());
    expect(refused.code).not.toBe(0);
    expect(refused.err.join("\n")).toContain("signed neither by this user nor with this API key");
    const dropped = await run(["drop", ID], stranger());
    expect(dropped).toMatchObject({ code: 0, out: [expect.stringContaining("never followed")] });
    expect(files()).toEqual([]);
  });
});

test("an intent that is not ours and was handed over stops a create, until intents drop deletes it as the message says", async () => {
  const service = await given();
  const account = { baseUrl: service.emulator.baseUrl, environment: "test" } as const;
  await left({ account, handedAt: Date.now(), answer: "srv_9" });
  const file = join(folder, "one", files()[0] ?? "");
  const entry = JSON.parse(readFileSync(file, "utf8")) as IntentEntry;
  writeFileSync(file, JSON.stringify({ ...entry, signatures: [] }));
  const create = () => {
    const { engine } = service.engine({ intents: join(folder, "one") });
    return engine.create(kind("server"), { name: "web" }, { identity: entry.identity });
  };
  await expect(create()).rejects.toThrow(`erphost intents drop ${ID}`);
  expect((await list())[1]).toContain("not ours, never followed");
  expect(await run(["drop", ID])).toMatchObject({ code: 0 });
  await create();
  expect(service.emulator.objects("server")).toHaveLength(1);
});

describe("without an API key", () => {
  const keyless = () => ({ env: { ...env(), ERPHOST_API_KEY: undefined } });

  test("without an API key, intents list says that an intent cannot be checked, not that it is somebody else's", async () => {
    await left();
    const { code, out } = await run(["list"], keyless());
    expect(code).toBe(0);
    expect(out[1]).toContain("cannot be checked: set ERPHOST_API_KEY");
    expect(out.join("\n")).not.toContain("not ours");
    expect(await listed(keyless())).toMatchObject([{ id: ID, foreign: null }]);
  });

  test("without an API key, intents drop keeps an intent that cannot be checked, unless it is forced", async () => {
    await left();
    const refused = run(["drop", ID], keyless());
    expect(await complaint(2, refused)).toMatch(/cannot be checked without an API key.*--force/);
    expect(files()).toHaveLength(1);
    const forced = await run(["drop", ID, "--force"], keyless());
    expect(forced).toMatchObject({ code: 0, out: [expect.stringContaining("was not checked")] });
    expect(files()).toEqual([]);
  });
});

/** Makes a link, by default one that leads to itself. */
function linked(path: string, to = path): string {
  symlinkSync(to, path);
  return path;
}

test.each<[what: string, said: string, spoil: (two: string) => string]>([
  ["that is not private", "is a symbolic link", (two) => linked(two, folder)],
  [
    "of which an intent cannot be read",
    "(ELOOP)",
    (two) => {
      mkdirSync(two, { mode: 0o700 });
      return linked(join(two, `${OTHER}.7-7.json`));
    },
  ],
])("a folder %s is reported by intents list, and the others are listed", async (_, said, spoil) => {
  const path = spoil(join(folder, "two"));
  const before = await run(["list"]);
  expect(before.code).toBe(0);
  expect(before.out.join("\n")).not.toContain("No interrupted run");
  await left();
  const { code, out, err } = await run(["list"]);
  expect(code).toBe(0);
  expect(out[1]).toContain(`${ID}  create     server web`);
  expect(err.join("\n")).toContain(`${path} ${said}`);
  // A script takes it for the whole list only where it has a row for what was refused.
  const json = await run(["list", "--json"]);
  const { length } = JSON.parse(json.out.join("")) as unknown[];
  expect([json.code, length]).toEqual(path.endsWith(".json") ? [0, 2] : [1, 1]);
});

test("a folder of all intents that cannot be read is an error, and does not count as empty", async () => {
  const loop = linked(join(folder, "loop"));
  const failed = run(["list"], { env: { ...env(), ERPHOST_INTENTS_DIR: loop } });
  expect(await complaint(1, failed)).toContain(`annot read ${loop} (ELOOP)`);
});

describe("erphost intents drop", () => {
  test("intents drop removes only the intent whose id starts as given", async () => {
    await left();
    await left({ id: OTHER });
    const out = ["Dropped the create of server web (not answered)."];
    expect(await run(["drop", "3f2a"])).toMatchObject({ code: 0, out });
    expect(files()).toEqual([expect.stringContaining(OTHER)]);
  });

  test.each([
    ["3f2", "is too short"],
    ["0000", "is not the id of an unfinished intent"],
    ["3f2a", "matches 2 intents"],
  ])("intents drop refuses the id %s, which %s", async (id, sentence) => {
    await left();
    await left({ id: ID.replace(/1$/, "2") });
    expect(await complaint(2, run(["drop", id]))).toContain(sentence);
    expect(files()).toHaveLength(2);
  });
});

test.each([
  ["drop", "unlink", "Nothing was dropped"],
  ["resolve", "writeFile", "Nothing was recorded"],
] as const)("intents %s says so where the disk takes no %s", async (does, refused, said) => {
  await left();
  const words = [does, ID, ...(does === "resolve" ? ["--object", server("web")] : [])];
  const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
  const disk = jest.spyOn(promises, refused).mockRejectedValue(full);
  const failed = await complaint(1, run(words)).finally(() => disk.mockRestore());
  expect(failed).toContain(said);
  expect(failed).toContain(files()[0]);
  expect(await listed()).toMatchObject([{ id: ID, answer: null }]);
});

describe("erphost intents resolve", () => {
  test("intents resolve finds the object in the answer, or says that it no longer exists", async () => {
    const id = server("web");
    await left({ answer: id });
    const { code, out } = await run(["resolve", ID]);
    expect(code).toBe(0);
    expect(out[1]).toBe(`The request created server ${id}, which exists.`);
    expect(out.join("\n")).toContain(`erphost intents drop ${ID}`);
    emulator.removeObject("server", id);
    expect((await run(["resolve", ID])).out[1]).toContain(`server ${id}, which no longer exists`);
  });

  test("intents resolve finds the object of an unanswered create by name and time", async () => {
    server("other");
    const id = server("web");
    await left();
    const { out } = await run(["resolve", ID]);
    expect(out[1]).toContain(id);
    expect(out[2]).toContain("same idempotency key");
  });

  test("intents resolve says that no object was created", async () => {
    server("other");
    await left();
    expect((await run(["resolve", ID])).out[1]).toContain("No server web was created");
  });

  test("intents resolve asks which of two objects it is after the window, and records the choice", async () => {
    const time = Date.parse(emulator.clock().now);
    const ids = [server("web"), server("web")];
    await left({ time });
    const nowMs = () => time + 2 * DAY_MS;
    const asked = await run(["resolve", ID], { nowMs });
    expect(asked.out.join("\n")).toContain(`resolve ${ID} --object`);
    for (const id of ids) expect(asked.out[1]).toContain(id);
    const [, second = ""] = ids;
    const recorded = await run(["resolve", ID, "--object", second, "--json"], { nowMs });
    expect(JSON.parse(recorded.out.join(""))).toMatchObject({ id: ID, answer: second });
    expect((await list())[1]).toContain(second);
  });

  test.each<[what: string, made: Record<string, string>]>([
    ["was created long before", { name: "erp", created_at: "2025-01-01T00:00:00Z" }],
    ["has another name", { name: "customer-erp" }],
    ["is on another server", { name: "erp", server_id: "$other" }],
  ])("intents resolve does not record an object that %s", async (_, made) => {
    const server_id = server("web");
    const other = { ...made, ...(made["server_id"] && { server_id: server("other") }) };
    const [object] = emulator.createObjects("instance", { server_id, ...other });
    const id = String(object?.["id"]);
    const of = { id: ID, account: { baseUrl: emulator.baseUrl, environment: "test" } } as const;
    const entry = { ...of, kind: "instance", name: "erp" };
    const sealing = { apiKey: emulator.adminKey, nonce: Buffer.alloc(12), intent: entry };
    await left({ ...entry, body: seal(JSON.stringify({ name: "erp", server_id }), sealing) });
    const said = await complaint(2, run(["resolve", ID, "--object", id]));
    const created = String(object?.["created_at"]);
    expect(said).toContain(`is ${id} (${made["name"]}, created at ${created})`);
    expect(await listed()).toMatchObject([{ answer: null }]);
  });

  test("intents resolve calls what the service does not show well unclear, and advises no drop", async () => {
    const [id = ""] = ["web", "second", "third", "fourth"].map(server);
    emulator.changeObject("server", id, { name: 5, odd: true });
    const verdict = async (answer?: string) => {
      await left({ answer });
      const { out } = await run(["resolve", ID, "--json"]);
      expect(out.join("\n")).not.toContain("erphost intents drop");
      return (JSON.parse(out.join("\n")) as { verdict: unknown }).verdict;
    };
    expect([await verdict(id), await verdict()]).toEqual(["unclear", "unclear"]);
    expect(await complaint(1, run(["resolve", ID, "--object", id]))).toContain("odd_record");
    emulator.changeObject("server", id, { name: "lost" });
    // Two pages of two, of which the second shows one of the first again.
    emulator.setFaults([
      { effect: { type: "clamp-per-page", max: 2 } },
      { effect: { type: "shift-pages", by: -1 } },
    ]);
    expect(await verdict()).toBe("unclear");
  });

  test.each([
    ["before", 5, "repeats the request with the same idempotency key"],
    ["after", -5, "adopts this object"],
  ])("intents resolve advises what the engine does %s its deadline", async (_, minutes, advice) => {
    const id = server("web");
    const time = Date.parse(emulator.clock().now);
    await left({ time });
    // The engine stops repeating requests ten minutes before the window of the service ends.
    const nowMs = () => time + DAY_MS - (10 + minutes) * 60_000;
    const { out } = await run(["resolve", ID], { nowMs });
    expect(out[1]).toContain(id);
    expect(out[2]).toContain(advice);
  });

  test("intents resolve does not record an object that the service does not list", async () => {
    await left();
    const said = await complaint(2, run(["resolve", ID, "--object", "srv_404"]));
    expect(said).toContain("the service has no server with that id");
    expect((await list())[1]).not.toContain("srv_404");
  });

  test("intents resolve refuses to look in another account", async () => {
    await left({ account: { baseUrl: "https://api.example.com/v1", environment: "live" } });
    expect(await complaint(2, run(["resolve", ID]))).toContain("https://api.example.com/v1");
  });

  test("intents resolve finds the keys that a lost rotation created", async () => {
    const { id } = emulator.createKey({ name: "pipeline", permissions: ["servers:read"] });
    const rotated = await ask(emulator, `POST /api-keys/${id}/rotate`);
    const { data } = (await rotated.json()) as { data: { new_key: { id: string } } };
    const entry = await left({ operation: "rotate", kind: "api_key", target: id });
    const { out } = await run(["resolve", ID, "--json"]);
    const found = { target: id, verdict: "likely", ids: [data.new_key.id] };
    expect(JSON.parse(out.join("\n"))).toMatchObject(found);
    expect(out.join("\n")).not.toContain(entry.idempotencyKey);
  });
});
