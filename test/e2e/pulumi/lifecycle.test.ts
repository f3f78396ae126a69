/** The whole life of every kind as a dynamic resource, on the real engine. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { Decrypter, armor, generateIdentity, identityToRecipient } from "age-encryption";
import type { Emulator } from "../../../emulator";
import type { CommandResult, PulumiStack } from "../../harness/pulumi-stack";
import { sharedFolder } from "../../support/folder";
import { opened, openedEmulator } from "../support/opened";
import { expectDone, findTexts, refusal } from "../support/output";
import { openCompiled } from "./stack";

/** Of each resource in the state, however many of its fields are set. */
const BYTES_MAX = 3 * 1024;
/** The program of a dynamic resource in a state. */
const HANDLER = /^exports\.handler=.{1,80}$/;
/** What the SDK wrote of a closure, which states may still have. */
const CLOSURE = readFileSync(join(__dirname, "../../fixtures/dynamic-closure.txt"), "utf8");
const CANARY = "canary-2f1c9a7e-root-password";
/** A service that normalises every value it is sent. */
const NORMALISING = { match: { path: "/**" }, probability: 1, effect: "normalise" } as const;
/** Where the emulator keeps what it is sent. */
const dataFile = join(sharedFolder(), "service.sqlite");

let emulator: Emulator;
let stack: PulumiStack;
let identity: string;
/** The server that was there before the stack. */
let byHand: unknown;
let latest: Record<string, unknown> = {};
const secrets = new Set<string>([CANARY]);
/** What every run printed, to be searched for secrets. */
const printed: string[] = [];

const done = (result: CommandResult): CommandResult => {
  printed.push(result.output);
  return expectDone(result);
};

/** The one object of a name, whatever the service made of its letters. */
const named = (kind: string, name: string) => {
  const found = emulator
    .objects(kind)
    .filter((record) => String(record["name"]).toLowerCase() === name.toLowerCase());
  expect(found.map((record) => record["id"])).toHaveLength(1);
  return { ...found[0], id: String(found[0]?.["id"]) };
};

const outputsOf = async () => {
  const all = await stack.outputs();
  for (const name of ["keyValue", "rotatedValue"]) secrets.add(String(all[name]));
  return all;
};

/** What a run did, as its summary counts it. */
const changes = ({ output }: CommandResult): string[] =>
  (output.split("Resources:").at(-1) ?? "").match(/\d+ (?!unchanged)[a-z]+ed\b/g)?.sort() ?? [];

interface StoredResource {
  readonly urn: string;
  readonly type: string;
  readonly inputs?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
}

/** The state file, as the engine writes it, and the dynamic resources in it. */
function stored() {
  const state = JSON.parse(stack.stateText()) as {
    checkpoint: { latest: { resources: StoredResource[] } };
  };
  const { resources } = state.checkpoint.latest;
  return { state, dynamic: resources.filter(({ type }) => type.startsWith("pulumi-nodejs:")) };
}

/** What the state holds to run a resource. */
const programOf = (name: string): string =>
  String(stored().dynamic.find(({ urn }) => urn.endsWith(name))?.outputs?.["__provider"]);

beforeAll(async () => {
  emulator = await openedEmulator({ dataFile });
  secrets.add(emulator.adminKey);
  byHand = emulator.createObjects("server", { name: "by hand", status: "running" })[0]?.["id"];
  emulator.setFaults([NORMALISING]);
  stack = opened(await openCompiled("all", emulator));
  identity = await generateIdentity();
  const dashboard = emulator.createKey({ name: "dashboard", permissions: ["servers:read"] });
  secrets.add(dashboard.value);
  await stack.setConfig("canary", CANARY, "--secret");
  stack.configure({ recipient: await identityToRecipient(identity), rotatedKey: dashboard.id });
});

test("a preview creates nothing, and as JSON holds neither a closure nor source", async () => {
  const { stdout } = done(await stack.preview("--json"));
  expect(emulator.objects("server")).toHaveLength(1);
  const programs = [...stdout.matchAll(/"__provider": "((?:[^"\\]|\\.)*)"/g)];
  expect(programs.length).toBeGreaterThan(0);
  for (const [, text] of programs) expect(text).toMatch(HANDLER);
});

test("an up creates everything once and waits for it, and lookups wait for what they look up by", async () => {
  done(await stack.up());
  const counts = Object.entries({ server: 6, instance: 3, backup: 2, team: 2 });
  for (const [kind, count] of counts) expect(emulator.objects(kind)).toHaveLength(count);
  expect([...new Set(emulator.objects("server").map(({ status }) => status))]).toEqual(["running"]);
  latest = await outputsOf();
  expect(typeof latest["listed"]).toBe("number");
  expect(latest["isOwn"]).toBe(true);
  expect(latest["scopes"]).toContain("admin");
  expect(latest["keyValue"]).toMatch(/_test_/);
});

test("a key with a recipient is in the state only encrypted", async () => {
  const encrypted = /-----BEGIN AGE ENCRYPTED FILE-----.*?-----END AGE ENCRYPTED FILE-----/s.exec(
    stack.stateText().replaceAll("\\n", "\n"),
  )?.[0];
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const value = await decrypter.decrypt(armor.decode(String(encrypted)), "text");
  expect(value).toMatch(/_test_/);
  secrets.add(value);
});

test("every dynamic resource takes at most 3 KB of Pulumi's state, the program that runs it included", () => {
  const sizes = stored().dynamic.map(
    (resource) => [resource.urn.replace(/.*:/, ""), JSON.stringify(resource).length] as const,
  );
  expect(sizes).toHaveLength(17);
  expect(sizes.filter(([, bytes]) => bytes > BYTES_MAX)).toEqual([]);
});

// The edit that follows updates some of them, and the destroy at the end deletes the rest.
test("a refresh has nothing to do although the service normalises values, nor with closures that the SDK wrote", async () => {
  const { state, dynamic } = stored();
  // Teams keep what this release writes.
  for (const { type, inputs, outputs } of dynamic.filter(({ urn }) => !urn.includes(":Team::"))) {
    const title = /\w+$/.exec(type)?.[0] ?? "";
    const closure = CLOSURE.replace('title: "Server"', `title: ${JSON.stringify(title)}`);
    for (const properties of [inputs, outputs]) {
      if (properties) properties["__provider"] = closure;
    }
  }
  writeFileSync(stack.stateFile, JSON.stringify(state));
  emulator.clearJournal();
  expect(done(await stack.refresh("--expect-no-changes")).output).toMatch(/unchanged/);
  expect(emulator.journal().every(({ method }) => method === "GET")).toBe(true);
  for (const name of ["minimal", "full"]) expect(programOf(`Server::${name}`)).not.toMatch(HANDLER);
});

test("an edit changes exactly what was edited, and the resource options aliases, ignoreChanges, retainOnDelete and replaceOnChanges work", async () => {
  const ids = ["Full Server", "renamed", "adopted"].map((name) => named("server", name).id);
  expect(ids[2]).toBe(byHand);
  const replaced = named("instance", "replaced").id;
  stack.configure({ edited: "true" });
  // Pulumi counts what it retains as deleted.
  expect(changes(done(await stack.up()))).toEqual(["1 deleted", "2 replaced", "3 updated"]);
  const now = ["Full Server Renamed", "renamed", "adopted"].map((name) => named("server", name).id);
  expect(now).toEqual(ids);
  expect(named("instance", "Full Instance")).toMatchObject({ version: "18.0" });
  // The first two, one before the upgrade, one for the release.
  expect(emulator.objects("backup")).toHaveLength(4);
  expect(programOf("Server::full")).toMatch(HANDLER);

  named("server", "ignored-1");
  expect(named("instance", "replaced")).toMatchObject({ edition: "enterprise" });
  expect(named("instance", "replaced").id).not.toBe(replaced);
  // Nothing manages it any more.
  emulator.removeObject("server", named("server", "kept").id);
});

test("objects that other people changed or deleted are repaired", async () => {
  const server = named("server", "Full Server Renamed");
  const instance = named("instance", "minimal");
  emulator.changeObject("server", server.id, { name: "by hand" });
  emulator.removeObject("instance", instance.id);
  const pruned = String(emulator.objects("backup")[0]?.["id"]);
  emulator.removeObject("backup", pruned);
  done(await stack.up("--refresh"));
  expect(named("server", "Full Server Renamed").id).toBe(server.id);
  expect(named("instance", "minimal").id).not.toBe(instance.id);
});

test("an object that fails is kept and reported, and the next up looks at it again", async () => {
  const match = { method: "POST", path: "/servers" };
  const effect = { type: "provision", outcome: "failed" } as const;
  emulator.setFaults([{ match, times: 1, effect }, NORMALISING]);
  stack.configure({ half: "true" });
  const failed = await stack.up();
  printed.push(failed.output);
  expect(refusal(failed)).toMatch(/\(half\).* ended in the state failed/);
  emulator.setFaults([NORMALISING]);
  emulator.changeObject("server", named("server", "half").id, { status: "running" });
});

test("keys rotate when a trigger changes, an instance that moves to another server is replaced, and after a repair nothing else is left to change", async () => {
  const before = latest;
  const instance = named("instance", "Full Instance").id;
  stack.configure({ epoch: "2", moved: "true" });
  // What had failed is looked at again.
  expect(changes(done(await stack.up()))).toEqual(["1 replaced", "3 updated"]);
  named("server", "half");
  const moved = named("instance", "Full Instance");
  expect(moved.id).not.toBe(instance);
  expect(moved).toMatchObject({ server_id: named("server", "Minimal Server").id });
  latest = await outputsOf();
  for (const output of ["currentKeyId", "keyValue", "rotatedCurrent"]) {
    expect(latest[output]).not.toBe(before[output]);
  }
});

test("keys rotate when 90 days have passed, and nothing is left to do after that", async () => {
  const before = latest;
  emulator.advance("90d");
  expect(changes(done(await stack.up("--refresh")))).toContain("2 updated");
  latest = await outputsOf();
  expect(latest["currentKeyId"]).not.toBe(before["currentKeyId"]);
  expect(latest["rotatedCurrent"]).not.toBe(before["rotatedCurrent"]);
  done(await stack.preview("--expect-no-changes"));
});

test("a destroy leaves only what is retained, and lists it", async () => {
  expect(programOf("Server::minimal")).not.toMatch(HANDLER);
  const { output } = done(await stack.destroy());
  const left = ["server", "instance", "backup", "team", "api_key"].filter((kind) =>
    emulator.objects(kind).some(({ name }) => !/admin|dashboard/.test(String(name))),
  );
  expect(left).toEqual(["backup", "team"]);
  for (const kind of left) {
    expect(output).toMatch(new RegExp(`${kind.replace("_", " ")} \\S+.* is retained`, "i"));
  }
});

test("no file that a run wrote holds a secret in plain text", () => {
  writeFileSync(join(stack.folder, "output.log"), printed.join("\n"));
  const places = [stack.folder, dataFile];
  const texts = [...secrets];
  expect(texts.length).toBeGreaterThanOrEqual(7);
  expect(findTexts(places, texts)).toEqual([]);
  // The search itself: one that is planted is found.
  const planted = join(stack.folder, "planted.txt");
  writeFileSync(planted, `…${CANARY}…`);
  expect(findTexts(places, texts)).toEqual([{ file: planted, text: CANARY }]);
});
