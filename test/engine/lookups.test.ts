/** What lookups find, at the engine: the suite that every face shares, and how the service is asked. */
import { describe, expect, test } from "@jest/globals";
import { resources } from "../../provider/contract";
import { plainVoice, sentence } from "../../provider/messages";
import { checkSelection, lookups, selectorsOf, UNKNOWN } from "../../provider/resources";
import { Lookups } from "../../provider/engine/lookup/lookups";
import { clientOn, ok } from "../client/support/core";
import { ListService } from "../client/support/list-service";
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

describe("a list that may lack something is refused", () => {
  type Spoil = (service: ListService) => unknown;
  const spoilt: Readonly<Record<string, readonly [Spoil, RegExp]>> = {
    "because a record cannot be read": [
      (service) => service.insert({ name: 7, status: 7 }),
      /srv_7 is in the list, but cannot be read: .* profile\./,
    ],
    "because a record has no id": [
      (service) => service.insert({ id: undefined }),
      /1 of its records have no id/,
    ],
    "because it changed while it was read, in no order": [
      (service) => {
        let pages = 0;
        service.perPageMax = 2;
        service.rearrange = (items) => items.toReversed();
        service.beforePage = () => {
          pages += 1;
          if (pages % 3 === 2) service.remove(service.items[1]?.id ?? "");
          if (pages % 3 === 0) service.insert();
        };
      },
      /the list of \d records changed while it was read\. Try again/,
    ],
  };

  test.each(Object.entries(spoilt))("%s", async (_, [spoil, says]) => {
    const service = new ListService(6);
    const { core, clock, failed } = clientOn(service.respond);
    const lookups = new Lookups(core);
    spoil(service);
    const [first] = service.items;
    const asked = [
      () => lookups.list("server", {}),
      () => lookups.list("backup", { created_after: "2025-01-01" }),
      () => lookups.one("server", { name: "n6" }),
      () => lookups.one("server", { id: "srv_none" }),
    ];
    for (const ask of asked) expect(String(await failed(ask()))).toMatch(says);
    // Whatever the list lacks, it is not this one.
    const found = await clock.run(lookups.one("server", { id: first?.id }));
    expect(found.id).toBe(first?.id);
  });

  test("but not for the missing pagination of a service that has none", async () => {
    const { core, clock } = clientOn(() => ok(new ListService(40).items));
    expect(await clock.run(new Lookups(core).list("server", {}))).toHaveLength(40);
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
  const some = ["backup.instance_id", "instance.server_id", "api_key.auto_rotate"];
  expect(names).toEqual(expect.arrayContaining(some));
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
