/** What the dynamic provider process does in the hard cases, against the emulator. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { ask, strike } from "../support/ask";
import type { Emulator } from "../../emulator";
import { PULUMI_UNKNOWN } from "../../provider/pulumi/values";
import { movedTo, writesTo } from "../e2e/support/places";
import { folder } from "../support/given";
import { CLOSURE, input, newProcess, serve, shownBy, type Properties } from "./process";

let emulator: Emulator;
let handler: Awaited<ReturnType<typeof newProcess>>;

beforeEach(async () => {
  emulator = await serve();
  await nextRun();
});

/** A new process, as each command of Pulumi has one. @param more settings of the stack */
async function nextRun(more: Readonly<Record<string, string>> = {}): Promise<void> {
  handler = await newProcess({ apiKey: emulator.adminKey, baseUrl: emulator.baseUrl, ...more });
}

const byName = (name: string) => ({ name, adoptId: `name=${name}` });
const onlyReads = () => emulator.journal().every(({ method }) => method === "GET");

/** What Pulumi does for a new resource. */
async function create(title: string, identity: string, properties: Properties) {
  const { inputs, failures } = await handler(title).check({}, input(identity, properties));
  expect(failures).toEqual([]);
  return handler(title).create({ ...inputs, __provider: CLOSURE });
}

describe("adoptId", () => {
  test("adopts once: a replacement creates a new object, and deletes only the old one", async () => {
    const [byHand] = emulator.createObjects("server", { name: "by hand", status: "running" });
    const args = { name: "adopted", adoptId: String(byHand?.["id"]) };
    const first = await create("Server", "a", args);
    expect(first.id).toBe(byHand?.["id"]);
    // `pulumi up --replace`: check with the old inputs, create, then delete of the old one.
    await handler("Server").check(input("a", args), input("a", args));
    const second = await create("Server", "a", args); // Pulumi checks again, without olds.
    expect(second.id).not.toBe(first.id);
    await handler("Server").delete(first.id, first.outs);
    expect(emulator.objects("server").map(({ id }) => id)).toEqual([second.id]);
  });

  test("gives an object to only one declaration", async () => {
    emulator.createObjects("server", { name: "one", status: "running" });
    await create("Server", "a", { name: "one", adoptId: "name=one" });
    const { failures } = await handler("Server").check({}, input("b", byName("one")));
    expect(failures[0]?.reason).toContain("cannot be adopted by b: a already has it");
  });

  const replaced = async (title: string, identity: string, args: Properties) => {
    const { id, outs } = await create(title, "a", args);
    await nextRun();
    const second = await create(title, identity, args);
    expect(second.id).toBe(id);
    await expect(handler(title).delete(id, outs)).rejects.toThrow(/take adoptId out/);
    return { id, outs, second };
  };

  test.each([
    ["Server", "replaced", "server", "a"],
    ["Server", "renamed", "server", "b"],
    ["ApiKey", "replaced", "api_key", "a"],
  ])("has no object of a %s deleted that is %s unseen", async (title, _, kind, identity) => {
    const more = title === "ApiKey" ? { permissions: ["servers:read"] } : {};
    emulator.createObjects(kind, [{ name: "s", ...more }]);
    const args = { ...byName("s"), ...more };
    const { id, outs, second } = await replaced(title, identity, args);
    await nextRun(); // Killed there, and refreshed.
    const { props = {} } = await handler(title).read(id, second.outs);
    await nextRun();
    const news = input(identity, args);
    await handler(title).check(news, news);
    expect(await handler(title).diff(id, props, news)).toMatchObject({ changes: false });
    await handler(title).delete(id, outs);
    const ids = () => emulator.objects(kind).map((each) => each["id"]);
    expect(ids()).toContain(id);
    await nextRun();
    await handler(title).delete(id, props);
    expect(ids()).not.toContain(id);
  });

  test("is refused before any change where the object is to be deleted first, or is known to be in the state", async () => {
    emulator.createObjects("server", { name: "s", status: "running" });
    const { id, outs } = await create("Server", "a", byName("s"));
    const asked = async () =>
      (await handler("Server").check({}, input("b", byName("s")))).failures[0]?.reason;
    const taken = /srv_1 is in this state already, and b adopts it/;
    await nextRun();
    expect(await asked()).toBeUndefined();
    await expect(handler("Server").delete(id, outs)).rejects.toThrow(taken);
    await expect(handler("Server").diff(id, outs, input("a", byName("s")))).rejects.toThrow(taken);
    await nextRun();
    await handler("Server").diff(id, outs, input("a", byName("s")));
    expect(await asked()).toMatch(taken);
    await nextRun();
    await handler("Server").read(id, outs);
    expect(await asked()).toMatch(taken);
    expect(onlyReads()).toBe(true);
  });

  test("keeps what the state holds while nothing is found to adopt, or it cannot be looked for", async () => {
    emulator.createObjects("server", { name: "web", status: "running" });
    const args = { name: "web2", adoptId: "name=web" };
    const { id, outs } = await create("Server", "a", args);
    await nextRun();
    strike(emulator, "/servers", 403);
    const { failures } = await handler("Server").check({}, input("a", args));
    expect(failures[0]?.reason).toContain("403");
    emulator.setFaults([]);
    await nextRun();
    expect(await handler("Server").check({}, input("a", args))).toMatchObject({ failures: [] });
    // `deleteBeforeReplace`
    const says = /srv_1 .*a adopts name=web, which was not found.*take adoptId out/s;
    await expect(handler("Server").delete(id, outs)).rejects.toThrow(says);
    const [other] = emulator.createObjects("server", { name: "web", status: "running" });
    await nextRun();
    expect((await create("Server", "a", args)).id).toBe(other?.["id"]);
    await handler("Server").delete(id, outs);
    expect(emulator.objects("server")).toMatchObject([{ id: other?.["id"], name: "web2" }]);
  });

  test("is refused before any change where the object differs in what cannot change", async () => {
    emulator.createObjects("server", { name: "s", status: "running" });
    emulator.createObjects("instance", { name: "i", server_id: "srv_1", status: "running" });
    await expect(
      create("Instance", "a", { name: "i", serverId: "srv_other", adoptId: "ins_1" }),
    ).rejects.toThrow(/differs in serverId, and changing that forces replacement/);
    expect(onlyReads()).toBe(true);
  });

  test("must name an object", async () => {
    for (const adoptId of ["", "name="]) {
      const { failures } = await handler("Server").check({}, input("a", { name: "s", adoptId }));
      expect(failures).toEqual([{ property: "", reason: expect.stringMatching(/^adoptId must/) }]);
    }
  });
});

test("a dynamic resource in a failed state keeps what Pulumi needs, fails until it works, and can be destroyed", async () => {
  strike(emulator, "/servers", { type: "provision", outcome: "failed" }, { probability: 1 });
  const thrown = await create("Server", "a", { name: "s" }).catch((error: unknown) => error);
  const kept = { __provider: CLOSURE, __identity: "a" };
  expect(thrown).toMatchObject({ id: "srv_1", properties: kept });
  const { id, properties } = thrown as { id: string; properties: Properties };
  const again = handler("Server").update(id, properties, input("a", { name: "s" }));
  await expect(again).rejects.toMatchObject({ id, properties: { __provider: CLOSURE } });
  await nextRun();
  const { props = {} } = await handler("Server").read(id, properties);
  await handler("Server").check(input("a", { name: "s" }), input("a", { name: "s" }));
  // Pulumi forgets in a refresh that it failed.
  const planned = await handler("Server").diff(id, props, input("a", { name: "s" }));
  expect(planned).toMatchObject({ changes: true, replaces: [] });
  emulator.changeObject("server", id, { status: "running" });
  await nextRun();
  expect((await handler("Server").read(id, properties)).props).toMatchObject({ status: "running" });
  await handler("Server").delete(id, properties);
  expect(emulator.objects("server")).toEqual([]);
});

test("the dynamic provider's read answers the current inputs, so that drift shows and ignoreChanges keeps it", async () => {
  const { id, outs } = await create("Server", "a", { name: "s" });
  emulator.changeObject("server", id, { name: "by hand" });
  await nextRun();
  const { inputs, props } = await handler("Server").read(id, outs);
  expect(inputs).toEqual({ name: "by hand", __identity: "a" });
  const same = await handler("Server").diff(id, props ?? {}, input("a", { name: "by hand" }));
  expect(same.changes).toBe(false);
});

test("a refresh shows drift that the plan after it refuses to change back", async () => {
  emulator.createObjects("server", { name: "s" });
  const args = input("a", { serverId: "srv_1", properties: { note: "x" } });
  const { id, outs } = await create("Backup", "a", args);
  emulator.changeObject("backup", id, { note: "y" });
  await nextRun();
  const { props = {} } = await handler("Backup").read(id, outs);
  expect(await handler("Backup").diff(id, props, args)).toMatchObject({ changes: true });
  await handler("Backup").check(args, args);
  await expect(handler("Backup").diff(id, props, args)).rejects.toThrow(/does not let you update/);
});

test("a refresh says what replaces a dependent of what is deleted first", async () => {
  emulator.createObjects("server", { name: "s" });
  const args = input("a", { name: "i", serverId: "srv_1", version: "17.0" });
  const { id, outs } = await create("Instance", "a", args);
  await nextRun();
  const { props = {} } = await handler("Instance").read(id, outs);
  const asked = { ...args, serverId: PULUMI_UNKNOWN };
  const replaced = { changes: true, replaces: ["serverId"] };
  expect(await handler("Instance").diff(id, props, asked)).toMatchObject(replaced);
});

test("replaceOnChanges forces replacement for the fields that it names, and for no others", async () => {
  const args = { name: "s", properties: { region: "a", size: 1 } };
  const { id, outs } = await create("Server", "a", args);
  const replaces = async (__replaceOn: string[], news: Properties) =>
    (await handler("Server").diff(id, outs, { ...input("a", news), __replaceOn })).replaces;
  const moved = { ...args, properties: { region: "b", size: 1 } };
  const inside = ["properties.region", 'properties["region"]', "properties[*]", "properties.*"];
  for (const path of [...inside, "*", "*.region", "properties"]) {
    expect(await replaces([path], moved)).toEqual(["properties"]);
  }
  for (const path of ["properties.size", "name", "properties.*.*", "properties.reg"]) {
    expect(await replaces([path], moved)).toEqual([]);
  }
  const kept = { ...args, deletionProtection: true };
  const { outs: held } = await handler("Server").update(id, outs, input("a", kept));
  const again = { ...input("a", { ...moved, deletionProtection: true }), __replaceOn: ["*"] };
  await expect(handler("Server").diff(id, held, again)).rejects.toThrow(/prevents replacing/);
});

const args = { name: "k", permissions: ["servers:read"] };

test("an API key as a dynamic resource is due for rotation after it was rotated elsewhere, until a rotation gives its secret", async () => {
  const { id, outs } = await create("ApiKey", "a", args);
  await ask(emulator, `POST /api-keys/${id}/rotate`);
  await nextRun();
  const once = await handler("ApiKey").read(id, outs);
  await nextRun();
  const twice = await handler("ApiKey").read(id, once.props ?? {});
  const { changes } = await handler("ApiKey").diff(id, twice.props ?? {}, input("a", args));
  expect(changes).toBe(true);
  const rotated = await handler("ApiKey").update(id, twice.props ?? {}, input("a", args));
  expect(rotated.outs["value"]).not.toBe(outs["value"]);
  expect((await handler("ApiKey").diff(id, rotated.outs, input("a", args))).changes).toBe(false);
});

test.each([
  ["replacementTrigger", {}, 1],
  ["replacementTrigger with adoptId", { adoptId: "srv_1" }, 1],
  ["replacementTrigger where the run may delete it, and a refresh has shown it", {}, 2],
])(
  "a protected object is not replaced by %s, of which no diff is asked",
  async (_, more, count) => {
    const args = { name: "s", deletionProtection: true };
    const news = input("a", { ...args, ...more });
    const { id, outs } = await create("Server", "a", args);
    await nextRun(count > 1 ? { allowDelete: id } : {});
    if (count > 1) await handler("Server").read(id, outs);
    await handler("Server").check(input("a", args), news);
    const { failures } = await handler("Server").check({}, news);
    const created = handler("Server").create(news);
    if (count > 1) await created;
    else await expect(created).rejects.toThrow(/prevents replacing server \(s\)/);
    expect(failures).toHaveLength(count > 1 ? 0 : 1);
    expect(emulator.objects("server")).toHaveLength(count);
  },
);

describe("a run of the dynamic provider process", () => {
  const names = Array.from({ length: 3 }, (_, index) => `server-${index}`);
  const args = (more: Properties = {}) => ({ name: "s", ...more });

  test("names a scope that its key lacks once, whatever its preview cannot create, and changes nothing", async () => {
    await nextRun({ apiKey: emulator.createKey({ permissions: ["servers:read"] }).value });
    const said = await shownBy(async () => {
      for (const name of names) await handler("Server").check({}, input(name, { name }));
    });
    expect(said.match(/lacks the scope servers:write, without which this plan/g)).toHaveLength(1);
    const failed: string[] = [];
    for (const name of names) {
      await handler("Server")
        .create(input(name, { name }))
        .catch((error: unknown) => failed.push(String(error)));
    }
    expect(failed[0]).toMatch(/this needs servers:write\. Use a key/);
    for (const again of failed.slice(1)) expect(again).toContain("same failure as before: ");
    expect(failed).toHaveLength(names.length);
    expect(emulator.objects("server")).toEqual([]);
  });

  test("refreshes 1,000 servers with at most 11 list calls, after one for the key", async () => {
    const { outs } = await create("Server", "a", { name: "server-0" });
    const running = Array.from({ length: 999 }, (_, at) => ({
      ...{ name: `server-${at + 1}`, status: "running" },
    }));
    const queue = emulator.createObjects("server", running).values();
    emulator.clearJournal();
    await nextRun();
    // Pulumi reads some at a time.
    const reader = async () => {
      for (const { id, name, created_at: createdAt } of queue) {
        const read = await handler("Server").read(String(id), { ...outs, name, createdAt });
        expect(read).toMatchObject({ id, inputs: { name } });
      }
    };
    await Promise.all(Array.from({ length: 8 }, reader));
    const [first, ...calls] = emulator.journal();
    expect(first?.path).toBe("/auth/test");
    expect(calls.every(({ operation }) => operation === "server.list")).toBe(true);
    expect([10, 11]).toContain(calls.length);
  });

  test("moves its states to another address by an update or a read, says so once, and writes nothing to the service", async () => {
    const { id, outs } = await create("Server", "a", args());
    const other = await create("Server", "b", { name: "t" });
    emulator.clearJournal();
    const baseUrl = movedTo(emulator);
    await nextRun({ baseUrl });
    const says = `set ERPHOST_FORMER_BASE_URL to ${emulator.baseUrl} for one run`;
    await expect(handler("Server").diff(id, outs, input("a", args()))).rejects.toThrow(says);
    await nextRun({ baseUrl, formerBaseUrl: emulator.baseUrl });
    const planned = await shownBy(async () => {
      for (const [held, news] of [
        [{ id, outs }, input("a", args())],
        [other, input("b", { name: "t" })],
      ] as const) {
        const difference = await handler("Server").diff(held.id, held.outs, news);
        expect(difference).toMatchObject({ changes: true, replaces: [] });
      }
    });
    expect(planned.match(/the state moves from/gi)).toHaveLength(1);
    const { outs: updated } = await handler("Server").update(id, outs, input("a", args()));
    const { props: read = {} } = await handler("Server").read(other.id, other.outs);
    await nextRun({ baseUrl });
    for (const [at, name, state] of [
      [id, "s", updated],
      [other.id, "t", read],
    ] as const) {
      expect((await handler("Server").diff(at, state, input(name, { name }))).changes).toBe(false);
    }
    expect(writesTo(emulator)).toEqual([]);
  });

  test("reports a key that was taken out of properties in its preview and its up, and later runs are silent", async () => {
    const properties = { tier: 1, region: "eu" };
    const { id, outs } = await create("Server", "a", args({ properties }));
    const news = input("a", args({ properties: { tier: 1 } }));
    const warning = /region\W* is left as it is in the service and no longer managed/g;
    emulator.clearJournal();
    const diffed = async (state: Properties) => handler("Server").diff(id, state, news);
    await nextRun();
    const planned = await shownBy(async () => {
      expect(await diffed(outs)).toMatchObject({ changes: true });
    });
    expect(planned.match(warning)).toHaveLength(1);
    await nextRun();
    let now = outs;
    const applied = await shownBy(async () => {
      await diffed(outs);
      ({ outs: now } = await handler("Server").update(id, outs, news));
    });
    expect(applied.match(warning)).toHaveLength(1);
    expect(writesTo(emulator)).toEqual([]);
    const later = await shownBy(async () => {
      expect(await diffed(now)).toMatchObject({ changes: false });
    });
    expect(later).toBe("");
  });

  test("with a scope, on a machine that knows nothing of the run before, doubles nothing: it names the id, or with resume takes the object over", async () => {
    const elsewhere = (resume: boolean) => {
      process.env["ERPHOST_INTENTS_DIR"] = folder();
      return nextRun({ scope: "acme/prod", resume: String(resume) });
    };
    await elsewhere(false);
    const { id } = await create("Server", "a", args());
    await elsewhere(false);
    const refused = /srv_1.*set ERPHOST_RESUME .*unset erphost:scope/s;
    const again = () => expect(create("Server", "a", args())).rejects.toThrow(refused);
    expect(await shownBy(again)).toContain('new Server("NAME", { …, adoptId: "srv_1" })');
    await elsewhere(true);
    expect((await create("Server", "a", args())).id).toBe(id);
    expect(emulator.objects("server")).toHaveLength(1);
  });

  test("works with a service of another path and wire name, as the stack's profile says", async () => {
    const profile = readFileSync(join(__dirname, "../fixtures/profile.json"), "utf8");
    // The emulator checks what the file holds.
    emulator = await serve({ profile: JSON.parse(profile) as object });
    await nextRun({ profile });
    const { id, outs } = await create("Server", "a", args());
    expect(emulator.objects("server")).toMatchObject([{ id, label: "s" }]);
    await nextRun({ profile });
    const { props = {} } = await handler("Server").read(id, outs);
    expect((await handler("Server").diff(id, props, input("a", args()))).changes).toBe(false);
  });
});
