/** What `erphost listen --queue` keeps, over kills, full disks, damage and two listeners. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { Queue } from "../../../cli/listen/queue";
import { Store, type Batch } from "../../../cli/listen/store";
import { DatabaseSync } from "../../../emulator/store/sqlite";
import { atEnd, folder } from "../../support/folder";
import { erphost } from "../support";
import { idsOf, listening, quickly } from "./support";
import { pause, recorder, SECRET, signed, statusOf, until } from "./support";

afterEach(() => void jest.restoreAllMocks());
/** Where a test's queue may be; nothing is there yet. */
let place: string;
beforeEach(() => void (place = join(folder(), "queue")));

const MIB = 1024 * 1024;
const event = (id: string, shown = "{}") => ({ id, event: "server.deleted", shown });
const idsIn = (store: Store): string[] => store.next()?.events.map(({ id }) => id) ?? [];
const modeOf = (path: string): number => fs.statSync(path).mode & 0o777;
const SIGNED = { env: { ERPHOST_WEBHOOK_SECRET: SECRET } };
const isPosix = process.platform !== "win32";

const database =
  (...sql: string[]) =>
  (file: string) => {
    const made = new DatabaseSync(file);
    for (const each of sql) made.exec(each);
    made.close();
  };

/** A queue that waits a thousandth of the time, and the ids of its runs. */
function quickQueue(store: Store, debounceMs = 0, outcome: "done" | "failed" = "done") {
  const runs: string[][] = [];
  const run = async ({ events }: Batch) => (runs.push(events.map(({ id }) => id)), outcome);
  const rest = { after: quickly, nowMs: Date.now, say: () => undefined };
  const queue = new Queue({ store, debounceMs, retries: 0, run, ...rest });
  atEnd(() => queue.close());
  queue.begin();
  return { queue, runs };
}

describe("a queue", () => {
  test("is on disk before an event is answered, and runs it once, killed right then or after its run", async () => {
    const { words, ids } = recorder();
    const queue = join(folder(), "new", "queue");
    const first = await listening(["--debounce", "3600", "--queue", queue, ...words]);
    const message = signed("msg_1", { data: { root_password: "c4n4ry" } });
    expect(await statusOf(first.url, message)).toBe(200);
    // What a kill leaves at this moment.
    const left = join(folder(), "left");
    fs.cpSync(queue, left, { recursive: true, mode: fs.constants.COPYFILE_FICLONE });
    fs.chmodSync(left, 0o700);
    const second = await listening(["--queue", left, ...words]);
    expect(second.lines).toContain(`queue: 1 events wait in ${left}`);
    await until(() => second.lines.includes("run: ended with 0"));
    await second.end();
    const third = await listening(["--queue", left, ...words]);
    expect(await statusOf(third.url, message)).toBe(200);
    expect(await statusOf(third.url, signed("msg_2"))).toBe(200);
    await until(() => ids().length > 1);
    expect((await third.end()).err).toEqual(["seen before: server.deleted msg_1"]);
    expect(ids()).toEqual(["msg_1", "msg_2"]);
    expect(fs.readFileSync(join(queue, "queue.db"), "latin1")).not.toContain("c4n4ry");
    const modes = ["", ...fs.readdirSync(queue)].map((name) => modeOf(join(queue, name)));
    const others = modes.slice(1).map(() => 0o600);
    expect(modes).toEqual(isPosix ? [0o700, ...others] : modes);
  });

  test("of a killed process is run by the listener that shares its folder", async () => {
    const { words, ids } = recorder();
    const all = ["listen", "--port", "0", "--debounce", "3600", "--queue", place, ...words];
    const child = spawn(process.execPath, ["-r", "ts-node/register", "cli/main.ts", ...all], {
      env: { PATH: process.env["PATH"], ERPHOST_WEBHOOK_SECRET: SECRET },
      stdio: ["ignore", "pipe", "inherit"],
    });
    atEnd(() => child.kill("SIGKILL"));
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await until(() => said.includes("Listening on "));
    const other = await listening(["--queue", place, ...words]);
    expect(await statusOf(other.url, signed("msg_1"))).toBe(200);
    // Who read its log ends, and it does not.
    child.stdout.destroy();
    for (const id of ["msg_2", "msg_3"]) {
      expect(await statusOf(/http\S+/.exec(said)?.[0] ?? "", signed(id))).toBe(200);
    }
    child.kill("SIGKILL");
    await once(child, "close");
    await until(() => ids().length === 3);
    expect(ids()).toEqual(["msg_1", "msg_2", "msg_3"]);
  }, 20_000);

  test("that two listeners share runs each event once, in its order, and takes no other command", async () => {
    const { words, ids } = recorder();
    const listeners = [0, 1].map(() => listening(["--queue", place, ...words]));
    const urls = (await Promise.all(listeners)).map(({ url }) => url);
    const sent = Array.from({ length: 10 }, (_, index) => `msg_${index}`);
    for (const id of sent) {
      expect(await Promise.all(urls.map((url) => statusOf(url, signed(id))))).toEqual([200, 200]);
    }
    await until(() => ids().length >= sent.length);
    expect(ids()).toEqual(sent);
    const why = expect.stringContaining(`${place} is the queue of another listener`);
    const other = await erphost(["listen", "--queue", place, "--", "true"], SIGNED);
    expect(other).toMatchObject({ code: 1, err: [why] });
  });

  test("starts a run again that its service manager stopped, once a listener listens", async () => {
    const { words, ids } = recorder(300, 1);
    const all = ["--queue", place, "--debounce", "0", ...words];
    const first = await listening(all);
    await statusOf(first.url, signed("msg_1"));
    await until(() => ids().length === 1);
    expect((await first.end()).err).toEqual([]);
    const { port } = new URL((await listening(words)).url);
    const cannot = await erphost(["listen", "--port", port, ...all], SIGNED);
    expect(cannot).toMatchObject({ code: 1, out: [] });
    await listening(all);
    await until(() => ids().length === 2);
  });

  test("waits for the debounce of events that another listener takes", async () => {
    const { runs } = quickQueue(new Store(place), 300_000);
    const second = new Store(place);
    atEnd(() => second.close());
    second.add(event("msg_1"), 0);
    await pause(50);
    second.add(event("msg_2"), 0);
    await until(() => runs.length > 0);
    expect(runs).toEqual([["msg_1", "msg_2"]]);
  });

  test("belongs to listeners that start the same, from the moment that one of them makes it", () => {
    const first = new Store(place, "plan");
    const file = join(place, "queue.db");
    database("UPDATE queue SET target = NULL")(file);
    fs.renameSync(file, `${file}.new`);
    spawn("sh", ["-c", 'sleep 0.2; mv "$0.new" "$0"', file]);
    const second = new Store(place, "plan");
    first.close();
    new Store(place, "apply").close();
    expect(() => second.add(event("msg_1"), 0)).toThrow("is the queue of another listener");
    expect(() => second.next()).toThrow("is the queue of another listener");
    const again = new Store(place, "apply");
    again.add(event("msg_2"), 0);
    expect(idsIn(again)).toEqual(["msg_2"]);
    for (const each of [second, again]) each.close();
  });

  test("tries a run again while it fails, and is unhealthy meanwhile", async () => {
    const { words, ids } = recorder(100, 2);
    const { url, lines, end } = await listening(["--queue", place, "--retry", "5", ...words], {
      after: (ms, work) => quickly(ms === 3_600_000 ? 1e9 : ms * 20, work),
    });
    await statusOf(url, signed("msg_1"));
    await until(() => lines.includes("run: ended with 7"));
    expect(await statusOf(`${url}health`, {})).toBe(503);
    await until(() => lines.includes("run: ended with 0"));
    expect(await statusOf(`${url}health`, {})).toBe(200);
    expect(ids()).toEqual(["msg_1", "msg_1", "msg_1"]);
    const again = [5, 10].map((s, index) => `run: tried again in ${s} s, ${index + 1} of 5`);
    expect((await end()).err).toEqual(again);
  });

  test("sets aside what fails too often, by name and as a command gets it, and takes the next", async () => {
    const { words, ids } = recorder(0, 1);
    const { url, lines, end } = await listening(["--queue", place, ...words]);
    await statusOf(url, signed("msg_1"));
    await until(() => lines.includes("run: ended with 7"));
    expect(await statusOf(url, signed("msg_2"))).toBe(200);
    await until(() => lines.includes("run: ended with 0"));
    expect(ids()).toEqual(["msg_1", "msg_2"]);
    const [name = ""] = fs.readdirSync(join(place, "failed"));
    const file = join(place, "failed", name);
    expect((await end()).err).toEqual([`set aside: server.deleted msg_1 in ${file}`]);
    expect(idsOf(fs.readFileSync(file, "utf8"))).toEqual(["msg_1"]);
    expect(modeOf(file)).toBe(isPosix ? 0o600 : modeOf(file));
  });

  test("does not run again what failed for good while the disk does not take that", async () => {
    const store = new Store(undefined);
    store.add(event("msg_1"), 0);
    const setAside = jest.spyOn(store, "setAside").mockImplementation(() => {
      if (setAside.mock.calls.length < 5) throw new Error("disk is full");
      return undefined;
    });
    const { runs } = quickQueue(store, 0, "failed");
    await until(() => store.count() === 0);
    expect([setAside.mock.calls.length, runs]).toEqual([5, [["msg_1"]]]);
  });

  test("is unhealthy while it is full, and healthy once there is room", async () => {
    const { queue } = quickQueue(new Store(undefined), 500_000);
    const large = "x".repeat(8 * MIB);
    for (let index = 0; index < 8; index += 1) queue.add(event(`msg_${index}`, large));
    const full = [queue.isHealthy, queue.add(event("msg_x", large)), queue.isHealthy];
    expect(full).toEqual([true, "full", false]);
    await until(() => queue.isHealthy);
  });

  test("answers 503 while the disk is full, and keeps events again when it is not", async () => {
    // What the spy takes the place of.
    const exec: (sql: string) => void = Reflect.get(DatabaseSync.prototype, "exec");
    const open = jest.spyOn(DatabaseSync.prototype, "exec");
    open.mockImplementation(function (this: InstanceType<typeof DatabaseSync>, sql: string) {
      exec.call(this, sql);
      if (sql.includes("busy_timeout")) exec.call(this, "PRAGMA max_page_count = 40");
    });
    const { words, ids } = recorder();
    const { url, lines, end } = await listening(["--debounce", "1", "--queue", place, ...words]);
    const data = { text: "x".repeat(100_000) };
    expect(await statusOf(url, signed("msg_1", { data }))).toBe(200);
    expect(await statusOf(url, signed("msg_2", { data }))).toBe(503);
    expect(await statusOf(`${url}health`, {})).toBe(503);
    await until(() => lines.includes("run: ended with 0"));
    expect(await statusOf(url, signed("msg_2", { data }))).toBe(200);
    expect(await statusOf(`${url}health`, {})).toBe(200);
    await until(() => ids().length === 2);
    expect((await end()).err).toEqual([
      expect.stringMatching(/^failed: The queue .*queue.db cannot be used: .*disk is full[.]$/),
      "refused, it cannot be kept: server.deleted msg_2",
    ]);
  });

  test("whose file is removed under it refuses events, because nobody would find them", () => {
    const store = new Store(place);
    const file = join(place, "queue.db");
    fs.renameSync(file, `${file}.away`);
    expect(() => store.add(event("msg_1"), 0)).toThrow(`${file} cannot be used: it was removed`);
    store.close();
  });

  test("begins without the journal that a kill left of one whose file was removed", () => {
    const first = new Store(place);
    for (let index = 0; index < 5; index += 1) first.add(event(`old_${index}`, "x".repeat(999)), 0);
    first.close();
    const old = new DatabaseSync(join(place, "queue.db"));
    old.exec("PRAGMA cache_size = 1; BEGIN; UPDATE events SET shown = shown || 'y'");
    fs.rmSync(join(place, "queue.db"));
    const store = new Store(place);
    store.add(event("msg_1"), 0);
    expect(idsIn(store)).toEqual(["msg_1"]);
    for (const each of [store, old]) each.close();
  });

  test("takes at most 10,000 events or 64 MiB, and keeps their order and ids when the clock jumps", () => {
    const store = new Store(undefined);
    const clock = [5e12, 0, 1e12];
    for (const [index, nowMs] of clock.entries()) store.add(event(`msg_${index}`), nowMs);
    expect(idsIn(store)).toEqual(["msg_0", "msg_1", "msg_2"]);
    for (let index = 3; index < 10_000; index += 1) store.add(event(`msg_${index}`), 0);
    expect(store.add(event("msg_x"), 0)).toBe("full");
    expect(store.add(event("msg_1"), 9e12)).toBe("seen");
    for (let batch = store.next(); batch; batch = store.next()) store.finish(batch, 9e12);
    const large = "x".repeat(4 * MIB);
    for (let index = 0; index < 16; index += 1) {
      expect(store.add(event(`large_${index}`, large), 0)).toBe("new");
    }
    expect(store.add(event("msg_x"), 0)).toBe("full");
    expect(store.add(event("msg_1"), 9e12)).toBe("seen");
    expect(idsIn(store)).toEqual(["large_0", "large_1"]);
    store.close();
  });
});

describe("a queue is refused by its name, and left as it is", () => {
  const damaged = (file: string): void => {
    const store = new Store(join(file, ".."));
    for (let index = 0; index < 500; index += 1) store.add(event(`msg_${index}`), 0);
    store.close();
    fs.writeFileSync(file, fs.readFileSync(file).fill(7, 8_192, 20_000));
  };

  test.each([
    ["of which nothing is left", (file: string) => fs.writeFileSync(file, ""), "it is empty"],
    ["of other things", (file: string) => fs.writeFileSync(file, "x".repeat(5_000)), "not a data"],
    ["of another program", database("CREATE TABLE a (b)"), "it is not a queue"],
    [
      "of a newer release",
      database("PRAGMA application_id = 1701998705; PRAGMA user_version = 2"),
      "it is not a queue",
    ],
    ["that is damaged", damaged, "damaged|malformed"],
    ["that is a folder", (file: string) => fs.mkdirSync(file), "unable to open"],
  ])("a file %s", (_, make, why) => {
    fs.mkdirSync(place, { mode: 0o700 });
    const file = join(place, "queue.db");
    make(file);
    const read = () => (fs.statSync(file).isFile() ? fs.readFileSync(file, "hex") : "");
    const before = read();
    expect(() => new Store(place)).toThrow(new RegExp(`${file} cannot be used: .*(?:${why})`));
    expect(read()).toBe(before);
  });

  (isPosix ? test : test.skip)("a folder that others may read, or a link to one", () => {
    const open = folder();
    fs.chmodSync(open, 0o755);
    const link = join(folder(), "link");
    fs.symlinkSync(folder(), link);
    for (const each of [open, link]) {
      expect(() => new Store(each)).toThrow("listen: --queue must be a folder of this user alone");
      expect(fs.readdirSync(each)).toEqual([]);
    }
  });
});

test("a listener without a queue gives an event up by name after its tries", async () => {
  const { words } = recorder(0, 9);
  const { url, lines, end } = await listening(["--retry", "1", ...words], {
    after: (ms, work) => quickly(ms === 3_600_000 ? 1e9 : ms, work),
  });
  await statusOf(url, signed("msg_1"));
  await until(() => lines.filter((line) => line === "run: ended with 7").length === 2);
  const given = "given up: server.deleted msg_1";
  expect((await end()).err).toEqual(["run: tried again in 5 s, 1 of 1", given]);
});

describe("before it listens, a listener refuses", () => {
  const { env } = SIGNED;
  const tried = (words: readonly string[], surroundings = {}) =>
    erphost(["listen", "--port", "0", ...words], { env, ...surroundings });

  test.each([
    [["--on", "server.delete", "--", "true"], "is server.delete, not an event", "server.deleted?"],
    [["--on", "servers.*", "--", "true"], "is servers.*, not an event", "server.*?"],
    [["--on", "zzz", "--", "true"], "not an event", "Events are server.created, "],
    [["--", "./no-such-program"], "is ./no-such-program, which is not there", ""],
    [["--", "no-such-program"], "is no-such-program, which is not on PATH", ""],
    [["--", join(__dirname, "support.ts")], "may not be executed", "chmod +x /"],
    [["--", __dirname], "listen, which is not there", ""],
  ])("%j", async (words, why, remedy) => {
    const { code, out, err } = await tried(words);
    expect({ code, out }).toEqual({ code: 2, out: [] });
    expect(err.join()).toContain(why);
    expect(err.join()).toContain(remedy);
  });

  test("on Windows, what only a shell starts and what no folder of PATH holds, and finds an .exe", async () => {
    const programs = folder();
    fs.writeFileSync(join(programs, "plan.exe"), "");
    const windows = { platform: "win32", env: { ...env, PATH: `C:\\none;${programs}` } };
    const stopped = AbortSignal.abort();
    expect((await tried(["--", "plan"], { ...windows, stopped })).code).toBe(0);
    expect((await tried(["--", "plan.cmd"], windows)).err[0]).toContain("only a shell can start");
    expect((await tried(["--", "other"], windows)).err[0]).toContain("which is not on PATH");
  });
});
