/** The life of every kind on the real engine, through the plugin as it is released. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../../emulator";
import { kinds } from "../../../provider/resources";
import type { CommandResult, PulumiStack } from "../../harness/pulumi-stack";
import { findTexts } from "../support/files";
import { opened, openedEmulator } from "../support/opened";
import { expectDone, unwrapped } from "../support/output";
import { writesTo } from "../support/places";
import { openStack, pluginFolder } from "../support/pulumi-plugin";
import { kindsInProgram, MEMBERS, program, type Edits } from "./program";

const CANARY = "canary-91e0b6c4-root-password";
const STATE_BYTES_MAX = 1536;
/** The YAML host of the tests cannot generate programs. */
const IMPORT = ["--yes", "--skip-preview", "--protect=false", "--generate-code=false"];
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
  let stack: PulumiStack;
  let rotatedKey: string;
  let half: string;
  let edits: Edits = {};
  /** Outputs after the first run. */
  let before: Readonly<Record<string, unknown>>;
  const secrets = new Set<string>([CANARY]);

  const write = (more: Edits = {}): void => {
    edits = { ...edits, ...more };
    stack.write("Pulumi.yaml", program(CANARY, rotatedKey, edits));
  };
  const plan = async (...words: string[]): Promise<Map<string, Planned["steps"][number]>> => {
    const { stdout } = expectLogged(await stack.preview("--json", ...words));
    const { steps } = JSON.parse(stdout) as Planned;
    return new Map(steps.map((step) => [step.urn.split("::").at(-1) ?? "", step]));
  };
  /** What is planned for a resource: paths and kinds of its changes. */
  const changesOf = (step: Planned["steps"][number] | undefined) =>
    Object.fromEntries(
      Object.entries(step?.detailedDiff ?? {}).map(([path, { kind }]) => [path, kind]),
    );
  const changedIn = (steps: Map<string, Planned["steps"][number]>): string[] =>
    [...steps].flatMap(([name, { op }]) => (op === "same" ? [] : [name])).sort();
  const named = (kind: string, name: string): string =>
    String(emulator.objects(kind).find((record) => record["name"] === name)?.["id"]);

  beforeAll(async () => {
    emulator = await openedEmulator({ provisionMs: 50 });
    emulator.setFaults([NORMALISING]);
    const dashboard = emulator.createKey({ name: "dashboard", permissions: ["servers:read"] });
    rotatedKey = dashboard.id;
    for (const secret of [emulator.adminKey, dashboard.value]) secrets.add(secret);
    stack = opened(await openStack(emulator));
    write();
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
    const exported = readFileSync(file, "utf8");
    const dynamic = exported.replaceAll("erphost:index:", "pulumi-nodejs:dynamic/erphost:");
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
    expect(own).toHaveLength(Object.keys(kinds).length + 1);
    expect(own.filter((each) => JSON.stringify(each).length > STATE_BYTES_MAX)).toEqual([]);
  });

  test("an edit is shown as exactly its path, and changes exactly that", async () => {
    const [ada, grace] = MEMBERS;
    write({
      release: "18.0",
      serverName: "full-renamed",
      tier: 2,
      members: [ada, { ...grace, role: "admin" }],
      networks: ["203.0.113.0/24", "198.51.100.0/24"],
    });
    const server = named("server", "full");
    const key = named("api_key", "pipeline");
    const steps = await plan();
    expect(changesOf(steps.get("full"))).toEqual({ name: "update", "properties.tier": "update" });
    expect(changesOf(steps.get("instance"))).toEqual({ version: "update" });
    expect(changesOf(steps.get("team"))).toEqual({ "members[1].role": "update" });
    expect(changesOf(steps.get("key"))).toEqual({ "ipWhitelist[1]": "add" });
    expect(changesOf(steps.get("backup"))).toEqual({ "triggers.release": "update-replace" });
    expect(changedIn(steps)).toEqual(["backup", "full", "instance", "key", "team"]);
    expectLogged(await stack.up());
    expect(named("api_key", "pipeline")).toBe(key);
    expect(emulator.objects("api_key").find(({ id }) => id === key)).toMatchObject({
      ip_whitelist: ["203.0.113.0/24", "198.51.100.0/24"],
    });
    expect(named("server", "full-renamed")).toBe(server);
    // The first, one before the upgrade, one for the release.
    expect(emulator.objects("backup")).toHaveLength(3);
  });

  test("after an edit nothing else is left to do, and moving an instance to another server replaces it", async () => {
    const before = named("instance", "instance");
    write({ home: "bare" });
    const steps = await plan();
    expect(changesOf(steps.get("instance"))).toEqual({ serverId: "update-replace" });
    expect(changedIn(steps)).toEqual(["backup", "instance"]);
    expectLogged(await stack.up());
    expect(emulator.objects("instance")).toHaveLength(1);
    expect(named("instance", "instance")).not.toBe(before);
  });

  test("an object that fails is kept and reported, next to what was made, and the next up looks at it again", async () => {
    const match = { method: "POST", path: "/servers" };
    const effect = { type: "provision", outcome: "failed" } as const;
    emulator.setFaults([{ match, times: 1, effect }, NORMALISING]);
    write({ more: { half: { type: "erphost:Server", properties: { name: "half" } } } });
    const { code, output } = await stack.up();
    outputs.push(output);
    expect(code).not.toBe(0);
    expect(unwrapped(output)).toMatch(/\(half\).* ended in the state failed/);
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
    expect(changesOf((await plan("--refresh")).get("key"))).toEqual({ rotateAfter: "update" });
    expectLogged(await stack.up("--refresh"));
    expect((await outputsOf())["currentKeyId"]).not.toBe(triggered["currentKeyId"]);
  });

  test("objects imported with `pulumi import`, by id or by name, match a program", async () => {
    const [server] = emulator.createObjects("server", [{ name: "old", status: "running" }]);
    const serverId = String(server?.["id"]);
    const create = (kind: string, fields: Record<string, unknown>): string =>
      String(emulator.createObjects(kind, [fields])[0]?.["id"]);
    const instance = { name: "old", server_id: serverId, version: "17.0", status: "running" };
    const file = join(stack.folder, "import.json");
    const ids = {
      oldServer: ["Server", "name=old"],
      oldInstance: ["Instance", create("instance", instance)],
      oldBackup: ["Backup", create("backup", { server_id: serverId, status: "completed" })],
      oldTeam: ["Team", create("team", { name: "old", members: MEMBERS })],
      oldKey: ["ApiKey", emulator.createKey({ name: "old", permissions: ["servers:read"] }).id],
    } as const;
    const resources = Object.entries(ids).map(([name, [title, id]]) => ({
      type: `erphost:index:${title}`,
      name,
      id,
    }));
    writeFileSync(file, JSON.stringify({ resources }));
    expectLogged(await stack.run("import", "--file", file, ...IMPORT));
    write({
      more: {
        ...edits.more,
        oldServer: { type: "erphost:Server", properties: { name: "old" } },
        oldInstance: {
          type: "erphost:Instance",
          properties: { name: "old", serverId: "${oldServer.id}", version: "17.0" },
        },
        oldBackup: { type: "erphost:Backup", properties: { serverId: "${oldServer.id}" } },
        oldTeam: { type: "erphost:Team", properties: { name: "old", members: MEMBERS } },
        oldKey: {
          type: "erphost:ApiKey",
          properties: { name: "old", permissions: ["servers:read"] },
        },
      },
    });
    // Records the dependencies, which the destroy needs.
    expectLogged(await stack.up("--expect-no-changes"));
  });

  test("a destroy leaves only what is retained, and lists it", async () => {
    const { output } = expectLogged(await stack.destroy());
    for (const kind of ["server", "instance"]) expect(emulator.objects(kind)).toEqual([]);
    const keys = emulator.objects("api_key").map(({ name }) => name);
    expect(keys.filter((name) => name === "pipeline" || name === "old")).toEqual([]);
    for (const kind of ["backup", "team"]) {
      for (const { id } of emulator.objects(kind)) {
        // A replacement or an upgrade reported it then.
        const report = `${kind} ${String(id)}\\b.* is retained|Took backup ${String(id)} before`;
        expect(outputs.join("\n")).toMatch(new RegExp(report, "i"));
      }
    }
    expect(output).toMatch(/Team \S+ .*is retained/);
  });

  test("no file that a run wrote holds a secret in plain text", () => {
    const log = join(stack.folder, "output.log");
    writeFileSync(log, outputs.join("\n"));
    // The program itself holds the canary, as a program's author may.
    stack.write("Pulumi.yaml", "");
    expect(secrets.size).toBeGreaterThanOrEqual(7);
    expect(findTexts([stack.folder], [...secrets])).toEqual([]);
  });
});
