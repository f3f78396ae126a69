/** The life of stacks in the dynamic provider process, on services of several kinds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { generateIdentity, identityToRecipient } from "age-encryption";
import type { Emulator, EmulatorOptions } from "../../emulator";
import { serve, Stack, type Program } from "./process";

let emulator: Emulator;
let stack: Stack;

async function open(options: EmulatorOptions = {}, settings: Record<string, string> = {}) {
  emulator = await serve(options);
  stack = new Stack({ baseUrl: emulator.baseUrl, apiKey: emulator.adminKey, ...settings });
}

const outputOf = (name: string, output: string): unknown => stack.held.get(name)?.outs[output];
const written = (): string[] =>
  emulator.journal().flatMap(({ method }) => (method === "GET" ? [] : [method]));

describe("every kind, on a service with another path, wire name, state and operations,", () => {
  const path = join(__dirname, "../fixtures/profile.json");
  // As the file has it; its lists show everything at once, since no claim here is about that.
  const profile = { ...(JSON.parse(readFileSync(path, "utf8")) as object), settleWindowMs: 0 };
  let recipient: string;
  const server = { secretProperties: { rootPassword: "unlikely" }, readyStates: ["running"] };
  const instance = { edition: "Community", backupBeforeUpgrade: true, wait: true };
  const program = (keyId: string, edited: boolean): Program => {
    const [name, version] = edited ? ["Renamed", "18.0"] : ["Server", "17.0"];
    const size = { cpus: edited ? 8 : 4, tags: ["B", "a"] };
    const members = [{ email: "zoe@example.com", role: edited ? "admin" : "member" }];
    return {
      server: ["Server", { name, properties: { region: "EU-Central", size }, ...server }],
      instance: ["Instance", { name: "Instance", serverId: "@server", version, ...instance }],
      backup: ["Backup", { instanceId: "@instance", triggers: { release: edited ? "2" : "1" } }],
      team: ["Team", { name: "Team", members }],
      key: ["ApiKey", { name: "Key", permissions: ["teams:read"], rotateAfter: "90d" }],
      sealed: ["ApiKey", { name: "sealed", permissions: ["servers:read"], recipient }],
      rotation: ["ApiKeyRotation", { keyId, rotateAfter: "90d" }],
    };
  };

  test("is created, changed, repaired, rotated and deleted but for what that service retains", async () => {
    recipient = await identityToRecipient(await generateIdentity());
    await open({ profile }, { profile: JSON.stringify(profile) });
    // A service that normalises every value it is sent.
    emulator.setFaults([{ match: { path: "/**" }, probability: 1, effect: { type: "normalise" } }]);
    const { id } = emulator.createKey({ name: "dashboard", permissions: ["servers:read"] });
    const done = async (edited: boolean) => {
      const { did, failed } = await stack.up(program(id, edited));
      expect(failed).toEqual([]);
      return did;
    };
    expect(Object.keys(await done(false))).toEqual(Object.keys(program(id, false)));
    expect(emulator.objects("server")).toMatchObject([{ label: "server", status: "running" }]);
    expect(outputOf("sealed", "encryptedValue")).toMatch(/BEGIN AGE ENCRYPTED FILE/);
    expect(outputOf("sealed", "value")).toBeUndefined();
    expect(await stack.refresh()).toMatchObject({ did: {}, failed: [] });
    expect(await done(false)).toEqual({});

    const updated = { server: "updated", instance: "updated", team: "updated" };
    expect(await done(true)).toEqual({ ...updated, backup: "replaced" });
    const { server } = stack.ids;
    emulator.changeObject("server", String(server), { label: "by hand" });
    emulator.removeObject("team", String(stack.ids["team"]));
    await stack.refresh();
    expect(await done(true)).toEqual({ server: "updated", team: "created" });
    expect(emulator.objects("server")).toMatchObject([{ id: server, label: "renamed" }]);

    const keys = () => ["key", "rotation"].map((name) => outputOf(name, "currentKeyId"));
    const before = keys();
    emulator.advance("90d");
    await stack.refresh();
    expect(await done(true)).toEqual({ key: "updated", rotation: "updated" });
    for (const [index, now] of keys().entries()) expect(now).not.toBe(before[index]);
    expect(await done(true)).toEqual({});

    const { said } = await stack.destroy();
    for (const kind of ["server", "instance", "team"]) expect(emulator.objects(kind)).toEqual([]);
    expect(said).toMatch(/Backup \S+.* is retained/);
    expect(said).toMatch(/API key \S+.* is retained/);
  });
});

describe("a service that offers only the documented operations", () => {
  const program = (keyId: string, { name = "server", epoch = "1" } = {}): Program => ({
    server: ["Server", { name }],
    instance: ["Instance", { name: "instance", serverId: "@server" }],
    backup: ["Backup", { instanceId: "@instance" }],
    team: ["Team", { name: "team", members: [{ email: "ada@example.com" }] }],
    key: ["ApiKeyRotation", { keyId, rotateAfter: "90d", triggers: { epoch } }],
  });
  let keyId: string;

  beforeEach(async () => {
    await open({ strict: true });
    keyId = emulator.createKey({ name: "pipeline" }).id;
    expect((await stack.up(program(keyId))).failed).toEqual([]);
  });

  test("has its stack created, refreshed, edited and rotated", async () => {
    expect(await stack.refresh()).toMatchObject({ did: {}, failed: [] });
    const edited = program(keyId, { name: "renamed", epoch: "2" });
    const inUse = String(outputOf("key", "currentKeyId"));
    const { did, said } = await stack.preview(edited);
    // After an up and a refresh nothing else is left to do.
    expect(did).toEqual({ server: "updated", key: "updated" });
    expect(said).toContain(
      `API key ${inUse} will be rotated, because of a change of triggers.epoch. After that, ${inUse} works for the grace period of the service; previousKeyExpiresAt then shows when it ends.`,
    );
    expect(await stack.up(edited)).toMatchObject({ did, failed: [] });
    expect(emulator.objects("server")).toMatchObject([{ name: "renamed" }]);
    expect(outputOf("key", "currentKeyId")).not.toBe(inUse);
  });

  test("has a rotation fall due by its clock, although keys cannot be listed", async () => {
    const inUse = outputOf("key", "currentKeyId");
    emulator.advance("90d");
    await stack.refresh();
    const { said } = await stack.preview(program(keyId));
    expect(said).toMatch(
      /API key \S+ will be rotated: it was last rotated at \S+, and rotateAfter is \S+\. After that, \S+ works for/,
    );
    expect((await stack.up(program(keyId))).did).toEqual({ key: "updated" });
    expect(outputOf("key", "currentKeyId")).not.toBe(inUse);
  });

  test("has an ApiKey refused with a remedy, and creates nothing", async () => {
    const keys = emulator.objects("api_key").length;
    const made = ["ApiKey", { name: "made", permissions: ["servers:read"] }] as const;
    const { failed } = await stack.up({ ...program(keyId), made });
    expect(failed.join("\n")).toMatch(
      /create the key in the dashboard and declare its rotation \(ApiKeyRotation\)/,
    );
    expect(emulator.objects("api_key")).toHaveLength(keys);
  });

  test("has what a destroy retains listed", async () => {
    const { said } = await stack.destroy();
    expect(said).toMatch(/Backup \S+ is retained/);
    expect(said).toMatch(/Team \S+ \(team\) is retained/);
    expect(emulator.objects("server")).toHaveLength(0);
  });
});

describe("an update in the dynamic provider process", () => {
  const shaped = (name: string, less: boolean): Program => ({
    web: ["Server", { name, properties: { tier: 1, ...(!less && { region: "eu-central" }) } }],
  });

  beforeEach(async () => {
    await open();
    await stack.up(shaped("web", false));
  });

  test("reports once that a key was taken out of properties, without a call, and later runs are silent", async () => {
    emulator.clearJournal();
    const warning = /region\W* is left as it is in the service and no longer managed/g;
    const { said: planned } = await stack.preview(shaped("web", true));
    expect(planned.match(warning)).toHaveLength(1);
    expect(planned).toContain("set it to null instead of leaving it out");
    const { said } = await stack.up(shaped("web", true));
    expect(said.match(warning)).toHaveLength(1);
    expect(written()).toEqual([]);
    expect(emulator.objects("server")).toMatchObject([{ region: "eu-central", tier: 1 }]);
    for (const later of [await stack.refresh(), await stack.up(shaped("web", true))]) {
      expect(later).toMatchObject({ did: {}, failed: [] });
      expect(later.said).not.toMatch(warning);
    }
  });

  test("renames a server that someone stopped without waiting for it", async () => {
    emulator.changeObject("server", stack.ids["web"] ?? "", { status: "stopped" });
    await stack.refresh();
    const { failed, said } = await stack.up(shaped("web-2", false));
    expect(failed).toEqual([]);
    expect(said).toMatch(/was stopped before this update and is stopped now/);
    expect(emulator.objects("server")).toMatchObject([{ name: "web-2", status: "stopped" }]);
  });
});
