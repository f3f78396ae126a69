/** The life of every kind on the real engine, through the plugin as it is released. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../../emulator";
import { kinds } from "../../../provider/resources";
import type { CommandResult, PulumiStack } from "../../harness/pulumi-stack";
import { opened, openedEmulator } from "../support/opened";
import { expectDone, findTexts, refusal } from "../support/output";
import { writesTo } from "../support/places";
import { openCompiled } from "../pulumi/stack";
import { openStack, pluginFolder } from "../support/pulumi-plugin";
import { kindsInProgram, MEMBERS, program, type Edits } from "./program";

const CANARY = "canary-91e0b6c4-root-password";
const STATE_BYTES_MAX = 1536;
/** For one run, which no state keeps. */
const TIMEOUT = "19s";
/** A service that normalises every value it is sent. */
const NORMALISING = { match: { path: "/**" }, probability: 1, effect: "normalise" } as const;
const outputs: string[] = [];

const expectLogged = (result: CommandResult): CommandResult => {
  outputs.push(result.output);
  return expectDone(result);
};

interface Planned {
  readonly steps: readonly {
    readonly op: string;
    readonly urn: string;
    readonly detailedDiff?: Readonly<Record<string, { readonly kind: string }>> | null;
  }[];
}

describe("the life of every kind", () => {
  let emulator: Emulator;
  /** Another account, which has a provider of its own. */
  let theirs: Emulator;
  let stack: PulumiStack;
  let rotatedKey: string;
  let half: string;
  let edits: Edits = {};
  /** Outputs after the first run. */
  let before: Readonly<Record<string, unknown>>;
  const secrets = new Set<string>([CANARY]);

  const write = (more: Edits = {}): void => {
    edits = { ...edits, ...more };
    const account = { baseUrl: theirs.baseUrl, timeout: TIMEOUT };
    stack.write("Pulumi.yaml", program({ canary: CANARY, rotatedKey, account }, edits));
  };
  /** What a preview would change of each resource: paths, and kinds of the changes there. */
  const planned = async (...words: string[]) => {
    const { stdout } = expectLogged(await stack.preview("--json", ...words));
    const { steps } = JSON.parse(stdout) as Planned;
    const changed = steps.filter(({ op }) => op !== "same");
    return Object.fromEntries(
      changed.map(({ urn, detailedDiff }) => {
        const kinds = Object.entries(detailedDiff ?? {}).map(([path, { kind }]) => [path, kind]);
        return [urn.split("::").at(-1) ?? "", Object.fromEntries(kinds) as object];
      }),
    );
  };
  const named = (kind: string, name: string): string =>
    String(emulator.objects(kind).find((record) => record["name"] === name)?.["id"]);

  beforeAll(async () => {
    emulator = await openedEmulator({ provisionMs: 50 });
    theirs = await openedEmulator();
    emulator.setFaults([NORMALISING]);
    const dashboard = emulator.createKey({ name: "dashboard", permissions: ["servers:read"] });
    rotatedKey = dashboard.id;
    for (const secret of [emulator.adminKey, dashboard.value]) secrets.add(secret);
    stack = opened(await openStack(emulator));
    write({ theirKey: theirs.adminKey });
  });

  test("the program holds every kind there is", () => {
    const text = readFileSync(join(stack.program, "Pulumi.yaml"), "utf8");
    expect(kindsInProgram(text)).toEqual(Object.values(kinds).map(({ title }) => title));
  });

  test("Pulumi finds nothing wrong with the schema", async () => {
    expectLogged(await stack.run("schema", "check", join(__dirname, "../../..", "schema.json")));
  });

  test("a preview creates nothing, and shows every value that is already known", async () => {
    const { output } = expectLogged(await stack.preview());
    expect(emulator.objects("server")).toHaveLength(0);
    expect(output).toMatch(/bareName +: "bare-[0-9a-f]{7}"/);
    expect(output).toMatch(/currentKeyId *: \[unknown\]/);
  });

  const outputsOf = async () => {
    const all = await stack.outputs();
    for (const name of ["keyValue", "rotatedValue"]) secrets.add(String(all[name]));
    return all;
  };

  test("an up creates everything once, and waits for it", async () => {
    expectLogged(await stack.up());
    const count = (kind: string): number => emulator.objects(kind).length;
    expect(["server", "instance", "backup", "team"].map(count)).toEqual([2, 1, 1, 1]);
    expect(theirs.objects("server")).toMatchObject([{ name: "theirs", tier: 1 }]);
    expect(stack.stateText()).not.toContain(TIMEOUT);
    expect(emulator.objects("server").every(({ status }) => status === "running")).toBe(true);
    before = await outputsOf();
    expect(before["keyValue"]).toMatch(/_test_/);
    expect(before["permissions"]).toContain("admin");
  });

  test("a lookup by what the run creates waits for it, in the preview and in the run", () => {
    expect(before["foundBackup"]).toMatch(/^bak_/);
    expect(before["foundBackup"]).toBe(before["madeBackup"]);
  });

  test("there is nothing to do after a stack is exported, moved from dynamic resources and imported", async () => {
    const file = join(stack.folder, "state.json");
    expectLogged(await stack.run("stack", "export", "--file", file));
    const dynamic = readFileSync(file, "utf8")
      .replaceAll("erphost:index:", "pulumi-nodejs:dynamic/erphost:")
      .replace('"name": "theirs"', '"__account": "second", $&');
    const mover = join(await pluginFolder(), "pulumi-resource-erphost");
    const moved = execFileSync(mover, ["move"], { input: dynamic, encoding: "utf8" });
    expect(moved).not.toContain("dynamic");
    stack.write("moved.json", moved);
    emulator.clearJournal();
    expectLogged(await stack.run("stack", "import", "--file", "moved.json"));
    expectLogged(await stack.up("--refresh", "--expect-no-changes"));
    expect(writesTo(emulator)).toEqual([]);
  });

  test(`no resource takes more than ${STATE_BYTES_MAX} bytes of the exported stack`, async () => {
    const exported = readFileSync(join(stack.folder, "state.json"), "utf8");
    // As the engine documents it.
    const { deployment } = JSON.parse(exported) as {
      deployment: { resources: { type: string }[] };
    };
    const own = deployment.resources.filter(({ type }) => type.startsWith("erphost:"));
    expect(own).toHaveLength(Object.keys(kinds).length + 2);
    expect(own.filter((each) => JSON.stringify(each).length > STATE_BYTES_MAX)).toEqual([]);
  });

  test("an edit is shown as exactly its path, and changes exactly that, in another account with a new key", async () => {
    const [ada, grace] = MEMBERS;
    write({
      release: "18.0",
      serverName: "full-renamed",
      tier: 2,
      members: [ada, { ...grace, role: "admin" }],
      networks: ["203.0.113.0/24", "198.51.100.0/24"],
      theirKey: theirs.createKey({ permissions: ["admin"] }).value,
    });
    const server = named("server", "full");
    const key = named("api_key", "pipeline");
    expect(await planned()).toEqual({
      full: { name: "update", "properties.tier": "update" },
      instance: { version: "update" },
      team: { "members[1].role": "update" },
      key: { "ipWhitelist[1]": "add" },
      backup: { "triggers.release": "update-replace" },
      second: { apiKey: "update" },
      theirs: { "properties.tier": "update" },
    });
    expectLogged(await stack.up());
    expect(theirs.objects("server")).toMatchObject([{ name: "theirs", tier: 2 }]);
    expect(named("api_key", "pipeline")).toBe(key);
    expect(emulator.objects("api_key").find(({ id }) => id === key)).toMatchObject({
      ip_whitelist: ["203.0.113.0/24", "198.51.100.0/24"],
    });
    expect(named("server", "full-renamed")).toBe(server);
    // The first, one before the upgrade, one for the release.
    expect(emulator.objects("backup")).toHaveLength(3);
  });

  /** What a run that moves the instance does with it. */
  const moving = async (move: Edits): Promise<string[]> => {
    write(move);
    emulator.clearJournal();
    expectLogged(await stack.up());
    expect(emulator.objects("instance")).toHaveLength(1);
    return writesTo(emulator).filter((call) => call.includes("/instances"));
  };

  test("after an edit nothing else is left to do, and moving an instance to another server replaces it", async () => {
    const before = named("instance", "instance");
    write({ home: "bare" });
    const steps = await planned();
    expect(Object.keys(steps).sort()).toEqual(["backup", "instance"]);
    expect(steps).toMatchObject({ instance: { serverId: "update-replace" } });
    const calls = ["POST /instances", `DELETE /instances/${before}`];
    expect(await moving({ home: "bare" })).toEqual(calls);
  });

  test("the option deleteBeforeReplace deletes an instance before it is replaced", async () => {
    const calls = [`DELETE /instances/${named("instance", "instance")}`, "POST /instances"];
    expect(await moving({ home: "full", deletesFirst: true })).toEqual(calls);
  });

  test("an object that fails is kept and reported, next to what was made, and the next up looks at it again", async () => {
    const match = { method: "POST", path: "/servers" };
    const effect = { type: "provision", outcome: "failed" } as const;
    emulator.setFaults([{ match, times: 1, effect }, NORMALISING]);
    write({ more: { half: { type: "erphost:Server", properties: { name: "half" } } } });
    const failed = await stack.up();
    outputs.push(failed.output);
    expect(refusal(failed)).toMatch(/\(half\).* ended in the state failed/);
    emulator.setFaults([NORMALISING]);
    half = named("server", "half");
    emulator.changeObject("server", half, { status: "running" });
  });

  test("a refresh shows what other people changed, and an up repairs it", async () => {
    const server = named("server", "full-renamed");
    // Lists may miss what was just created, and are looked at again later.
    emulator.advance("1m");
    emulator.changeObject("server", server, { name: "by hand" });
    emulator.removeObject("instance", named("instance", "instance"));
    const { output } = expectLogged(await stack.refresh("--diff"));
    expect(output).toMatch(/name *: "full-renamed" => "by hand"/);
    write({ epoch: "2" });
    expectLogged(await stack.up());
    expect(named("server", "full-renamed")).toBe(server);
    expect(named("server", "half")).toBe(half);
    expect(emulator.objects("instance")).toHaveLength(1);
  });

  test("a key rotates when its trigger changes, and when its rotation period is over", async () => {
    const triggered = await outputsOf();
    expect(triggered["currentKeyId"]).not.toBe(before["currentKeyId"]);
    expect(triggered["rotatedValue"]).not.toBe(before["rotatedValue"]);
    emulator.advance("90d");
    expect((await planned("--refresh"))["key"]).toEqual({ rotateAfter: "update" });
    expectLogged(await stack.up("--refresh"));
    expect((await outputsOf())["currentKeyId"]).not.toBe(triggered["currentKeyId"]);
  });

  test("a destroy leaves only what is retained, and lists it; the verbose log has a line for each call, and not the key", async () => {
    // In it Pulumi itself shows secrets of the state.
    const { output } = expectDone(await stack.destroy("-v=9", "--logtostderr"));
    expect(output).not.toContain(emulator.adminKey);
    expect(output).toMatch(/DELETE \/servers\/srv_\d+ -> 20\d in \d+ ms, attempt 1\/\d+, req_\w+/);
    expect(theirs.objects("server")).toEqual([]);
    for (const kind of ["server", "instance"]) expect(emulator.objects(kind)).toEqual([]);
    expect(emulator.objects("api_key").map(({ name }) => name)).not.toContain("pipeline");
    for (const kind of ["backup", "team"]) {
      for (const { id } of emulator.objects(kind)) {
        // A replacement or an upgrade reported it then.
        const report = `${kind} ${String(id)}\\b.* is retained|Took backup ${String(id)} before`;
        expect([...outputs, output].join("\n")).toMatch(new RegExp(report, "i"));
      }
    }
    expect(output).toMatch(/Team \S+ .*is retained/);
  });

  test("no file that a run wrote holds a secret in plain text", () => {
    writeFileSync(join(stack.folder, "output.log"), outputs.join("\n"));
    // The program itself holds the canary, as a program's author may.
    stack.write("Pulumi.yaml", "");
    expect(secrets.size).toBeGreaterThanOrEqual(7);
    expect(findTexts([stack.folder], [...secrets])).toEqual([]);
  });
});

const resource = (properties: object, type = "erphost:Server"): string =>
  JSON.stringify({ name: "every-kind", runtime: "yaml", resources: { it: { type, properties } } });
const asset = { "fn::stringAsset": "text" };
const marked = { adminNote: { "fn::secret": CANARY }, status: "x" };
const address = { baseUrl: `https://joe:${CANARY}@erp.example.com/v1` };
const dynamic = `const properties = { adminNote: require("@pulumi/pulumi").secret("${CANARY}"), status: "x" };
  new (require("erphost/pulumi").Server)("it", { name: "it", properties });`;

test.each([
  [
    "an asset",
    resource({ secretProperties: { password: CANARY, asset } }),
    "secretProperties.asset",
  ],
  ["a fault next to a secret", resource({ properties: marked }), "properties.status"],
  ["a provider's address", resource(address, "pulumi:providers:erphost"), "baseUrl"],
  ["a fault in a dynamic resource", dynamic, "properties.status"],
])("Pulumi refuses %s by its place, and prints no value", async (_, text, place) => {
  const emulator = await openedEmulator();
  const isYaml = text !== dynamic;
  const stack = opened(await (isYaml ? openStack(emulator) : openCompiled("one", emulator)));
  const file = isYaml ? "Pulumi.yaml" : "index.js";
  stack.write(file, text);
  const failed = await stack.up();
  expect(refusal(failed)).toContain(` has a problem: ${place} `);
  // The program itself holds the canary, as a program's author may.
  stack.write(file, failed.output);
  expect(findTexts([stack.folder], [CANARY])).toEqual([]);
});
