import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { readList, type ListSource } from "../../../cli/import/account/list";
import { KeptPages } from "../../../cli/import/account/kept-pages";
import type { Page } from "../../../provider/engine";
import { resources } from "../../../provider/contract";
import { pagination } from "../../client/support/core";
import { findTexts } from "../../e2e/support/output";
import { importing, SERVERS } from "./support";

const KEPT = ".erphost-import";
const SECRET = "correct-horse-battery";

const many = (count: number, more = {}) =>
  Array.from({ length: count }, (_, index) => ({ name: `server-${index}`, ...more }));

/** Fails a list from its page `number` on. */
const failing = (path: string, number: number) => [
  { match: { path }, skip: number - 1, effect: { type: "status" as const, status: 422 } },
];

describe("reading an account", () => {
  test("each page of each list is read once", async () => {
    const { emulator, run, calls } = await importing();
    emulator.createObjects("server", many(250));
    expect(await run()).toMatchObject({ code: 0 });
    const others = ["auth/test", "instances", "backups", "teams", "api-keys"];
    const paths = [...others, "servers", "servers", "servers"];
    expect(calls().sort()).toEqual(paths.map((path) => `GET /${path}`).sort());
  });

  test("a reading that was interrupted continues at the page it came to, and keeps nothing when it is done", async () => {
    const { emulator, out, run, names, calls } = await importing();
    emulator.createObjects("server", many(250));
    emulator.setFaults(failing("/servers", 3));
    expect(await run(SERVERS)).toMatchObject({ code: 1 });
    expect(names()).toEqual([KEPT]);
    emulator.setFaults([]);
    calls();
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    expect(calls()).toEqual(["GET /auth/test", "GET /servers"]);
    expect(names()).not.toContain(KEPT);
    expect(readFileSync(join(out, "servers.tf"), "utf8").match(/^resource/gm)).toHaveLength(250);
  });

  test("what an interrupted reading keeps is for its user alone, is not committed, and holds no secret", async () => {
    const { emulator, out, run } = await importing();
    const secrets = { root_password: SECRET, login: { token: SECRET } };
    emulator.createObjects("server", many(101, secrets));
    const key = emulator.createKey({ name: "pipeline" });
    emulator.setFaults(failing("/teams", 1));
    expect(await run()).toMatchObject({ code: 1 });
    const kept = join(out, KEPT);
    expect(readdirSync(kept)).toContain("servers-2.json");
    if (process.platform !== "win32") {
      expect(statSync(kept).mode & 0o777).toBe(0o700);
      const files = readdirSync(kept).map((name) => statSync(join(kept, name)).mode & 0o777);
      expect(new Set(files)).toEqual(new Set([0o600]));
    }
    expect(readFileSync(join(kept, ".gitignore"), "utf8")).toBe("*\n");
    expect(findTexts([out], [SECRET, key.value, emulator.adminKey])).toEqual([]);
  });

  test("pages that another key read, or that are older than an hour, are read again", async () => {
    const { emulator, run, calls } = await importing();
    emulator.createObjects("server", many(250));
    const interrupt = async (): Promise<void> => {
      emulator.setFaults(failing("/servers", 3));
      expect(await run(SERVERS)).toMatchObject({ code: 1 });
      emulator.setFaults([]);
      calls();
    };
    await interrupt();
    const { value } = emulator.createKey({ permissions: ["servers:read"] });
    await run([...SERVERS, "--name", "none"], { env: { ERPHOST_API_KEY: value } });
    expect(calls().filter((call) => call === "GET /servers")).toHaveLength(3);
    await interrupt();
    await run([...SERVERS, "--name", "none"], { nowMs: () => Date.now() + 61 * 60_000 });
    expect(calls().filter((call) => call === "GET /servers")).toHaveLength(3);
  });

  test("a list that the key may not read is left out and reported; asked for by name, it is a failure", async () => {
    const { emulator, run, file } = await importing();
    emulator.createObjects("server", many(1));
    const { value } = emulator.createKey({ permissions: ["servers:read"] });
    const env = { ERPHOST_API_KEY: value };
    const refused = await run(["--kind", "team"], { env });
    expect(refused).toMatchObject({ code: 1, out: [] });
    expect(refused.err.join("\n")).toContain("insufficient_permissions");
    const report = await run(["--report"], { env });
    expect(report.code).toBe(0);
    expect(report.err.join("\n")).toMatch(/teams are left out: .*insufficient_permissions/);
    expect(report.out).toContain("| Team | unknown | 0 | 0 | unknown |");
    expect(file("servers.tf")).toContain("server-0");
  });

  test("a folder in the place of a file is refused before anything is written", async () => {
    const { emulator, out, refused, names } = await importing();
    emulator.createObjects("server", many(1));
    mkdirSync(join(out, "imports.tf"), { recursive: true });
    expect(await refused([], { code: 1 })).toContain("nothing was written");
    expect(names().filter((name) => name !== KEPT)).toEqual(["imports.tf"]);
  });
});

/** Pages of two records, as the service answers them one after the other. */
function source(rounds: readonly (readonly string[])[], serviceTime = "2026-01-01T00:01:00Z") {
  const reports: string[] = [];
  let calls = 0;
  const fetchPage = async (number: number): Promise<Page> => {
    const ids = rounds[Math.min(calls, rounds.length - 1)] ?? [];
    calls += 1;
    const records = ids.slice((number - 1) * 2, number * 2).map((id) => {
      return { id, fields: { id, created_at: `2026-01-01T00:00:${id}Z` }, properties: {} };
    });
    return {
      ...{ number, records, odd: [], size: records.length, serviceTime },
      pagination: pagination(number, 2, ids.length),
    };
  };
  const made: ListSource = {
    definition: resources.server,
    fetchPage,
    kept: new KeptPages(undefined, () => 0),
    report: (line) => reports.push(line),
  };
  return { made, reports, calls: () => calls };
}

describe("a list that changes while it is read", () => {
  test("is read again where an object was deleted, so that none is skipped", async () => {
    const { made, reports, calls } = source([
      ["01", "02", "03", "04"],
      ["01", "03", "04"],
    ]);
    const list = await readList(made);
    expect(list).toMatchObject({ moved: false });
    expect(list.records.map(({ id }) => id)).toEqual(["01", "03", "04"]);
    expect(reports).toEqual(["servers changed while they were read, and are read again."]);
    expect(calls()).toBe(4);
  });

  test("is read again where as many objects were created as deleted", async () => {
    const after = ["01", "03", "04", "59"];
    const { made } = source([["01", "02", "03", "04"], after], "2026-01-01T00:00:30Z");
    expect((await readList(made)).records.map(({ id }) => id)).toEqual(after);
  });

  test("is taken as it is after three times, and says that something may be missing", async () => {
    const rounds = Array.from({ length: 6 }, (_, round) =>
      Array.from({ length: 4 - (round % 2) }, (_each, index) => `0${index + 1}`),
    );
    const { made, calls } = source(rounds);
    expect(await readList(made)).toMatchObject({ moved: true });
    expect(calls()).toBe(6);
  });
});
