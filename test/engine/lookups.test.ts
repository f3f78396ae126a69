/** What lookups find, at the engine: the suite that every face shares, and how the service is asked. */
import { describe, expect, test } from "@jest/globals";
import { resources } from "../../provider/contract";
import { plainVoice, sentence } from "../../provider/messages";
import { checkSelection, lookups, selectorsOf, UNKNOWN } from "../../provider/resources";
import { found, furnish, refused, type Selected } from "../support/finding";
import { given, type Run } from "../support/given";

async function furnished(): Promise<Run> {
  const run = (await given()).engine();
  furnish(run.emulator);
  return run;
}

type Asked = Pick<(typeof found)[number], "kind" | "form" | "by">;

const idsOf = async ({ engine }: Run, { kind, form, by }: Asked): Promise<string[]> =>
  (form === "one" ? [await engine.lookups.one(kind, by)] : await engine.lookups.list(kind, by)).map(
    ({ id }) => id,
  );

/** The queries of the lists that were read. */
const asked = ({ emulator }: Run): string[] =>
  emulator.journal().map(({ path, query }) => `${path}?${decodeURIComponent(query)}`);

describe("a lookup", () => {
  test.each(found)("$claim", async ({ ids, ...lookup }) => {
    expect(await idsOf(await furnished(), lookup)).toEqual(ids);
  });

  test.each(refused)("$claim", async ({ place, says, early, ...lookup }) => {
    const run = await furnished();
    run.emulator.clearJournal();
    const error: unknown = await idsOf(run, lookup).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(says);
    const { path, issues } = error as { path?: string[]; issues?: { path: string[] }[] };
    expect((path ?? issues?.[0]?.path ?? []).join(".")).toBe(place);
    expect(run.emulator.journal().length === 0).toBe(early);
  });

  test("many candidates are counted, and the first ten are named", async () => {
    const run = await furnished();
    const made = Array.from({ length: 12 }, () => ({ name: "many", status: "running" }));
    run.emulator.createObjects("server", made);
    await expect(run.engine.lookups.one("server", { name: "many" })).rejects.toThrow(
      /12 servers match name "many": (?:srv_\d+, ){9}srv_\d+ and 2 more\./,
    );
  });
});

test("the service is asked to narrow a list only by what it documents", async () => {
  const run = await furnished();
  run.emulator.clearJournal();
  await run.engine.lookups.list("backup", { instance_id: "ins_1", created_after: "2026-01-02" });
  await run.engine.lookups.list("instance", { server_id: "srv_1", created_after: "2026-01-02" });
  const [backups = "", instances = ""] = asked(run);
  expect(backups).toMatch(/^\/backups\?.*created_after=2026-01-02/);
  expect(backups).not.toContain("instance_id");
  expect(instances).not.toMatch(/created_after|server_id/);
});

test("the service is asked for its whole list once where many lookups narrow it", async () => {
  const run = await furnished();
  run.emulator.clearJournal();
  for (let count = 0; count < 30; count += 1) {
    const by: Selected = { instance_id: "ins_1", created_after: "2026-01-01", limit: count + 1 };
    expect(await run.engine.lookups.list("backup", by)).not.toEqual([]);
  }
  const whole = asked(run).filter((path) => !path.includes("created_after"));
  expect(asked(run).length - whole.length).toBe(10);
  // Lookups share a walk for a second; a slow machine may need another one.
  expect(whole.length).toBeLessThan(20);
});

test("what a lookup selects by is checked when it is known: a value of a later time passes, and counts as given", () => {
  expect(checkSelection(resources.backup, "one", { instance_id: UNKNOWN }).issues).toEqual([]);
  expect(checkSelection(resources.backup, "many", { created_after: UNKNOWN }).issues).toEqual([]);
});

test("what a lookup selects by is any text or flag that its list shows, and never a secret", () => {
  const names = lookups.flatMap((resource) =>
    selectorsOf(resource, "one").map(({ name }) => `${resource.name}.${name}`),
  );
  expect(names).toEqual(
    expect.arrayContaining(["backup.instance_id", "instance.server_id", "api_key.auto_rotate"]),
  );
  expect(names).not.toContain("api_key.value");
  expect(names).not.toContain("api_key.expires_at");
  expect(names).not.toContain("team.members");
});

test("what a lookup selects by is said with the nearest name where one is misspelt", () => {
  const { issues } = checkSelection(resources.backup, "one", { instnace_id: "ins_1" });
  expect(issues.map((issue) => sentence(plainVoice, issue))).toEqual([
    expect.stringContaining("did you mean instance_id?"),
  ]);
});
