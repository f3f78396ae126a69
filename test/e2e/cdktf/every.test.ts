/**
 * Every construct, lookup and Aspect, from synthesis to destruction, on engines and libraries: with
 * cdktf on both engines. With cdktn, for which jest runs this file once more, on OpenTofu alone: an
 * engine sees of a library only what it has synthesised, and on Terraform cdktn's own command line
 * deploys a user's project. What synthesis refuses needs no engine.
 */
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { Aspects, TerraformDataSource, TerraformResource, Testing } from "cdktf";
import * as bindings from "../../../cdktf-bindings";
import { ErphostStack, ErphostStage } from "../../../cdktf-bindings";
import { startEmulator, type Emulator } from "../../../emulator";
import { LIBRARY } from "../../cdktf/support/library";
import {
  buildMirror,
  hasEngine,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { furnish } from "../../support/finding";
import { expectDone, unwrapped } from "../support/output";
import { everything, type Existing, type Release } from "./programs/every";
import { refused } from "./programs/refused";

const engines: readonly EngineName[] = LIBRARY === "cdktn" ? ["tofu"] : ["tofu", "terraform"];

const ANYTHING: Existing = {
  main: "https://erp.example/v1",
  eu: "https://eu.example/v1",
  recipient: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
  adopted: "srv_1",
  made: "key_1",
};

type Class = abstract new (...args: never[]) => object;
type Named = readonly [name: string, type: Class];

const isClass = (value: unknown): value is Class =>
  typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
const classesOf = (module: object): readonly Named[] =>
  Object.entries(module).flatMap(([name, value]: [string, unknown]): Named[] =>
    isClass(value) ? [[name, value]] : [],
  );
const classes = classesOf(bindings);

/** A class's own functions, of which jest watches the calls. */
type Statics = Record<string, () => unknown>;

describe("the programs of this test", () => {
  test("every construct, generated ones too, and every Aspect is in the program that is applied", () => {
    const { stage, stack } = everything(ANYTHING);
    const nodes = stage.app.node.findAll();
    const aspects = nodes.flatMap((each) => Aspects.of(each).all);
    const made: readonly object[] = [stage, stack, ...nodes, ...aspects];
    const generated = Object.values(bindings.l1)
      .flatMap(classesOf)
      .filter(([, { prototype }]) =>
        [TerraformResource, TerraformDataSource].some((Base) => prototype instanceof Base),
      );
    const missing = [...classes, ...generated].filter(
      ([, Class]) => !made.some((each) => each instanceof Class),
    );
    expect(missing.map(([name]) => name)).toEqual([]);
    expect([classes.length > 20, generated.length > 20]).toEqual([true, true]);
  });

  test("every way to look something up is in the program that is applied", () => {
    const ways = classes.flatMap(([name, Class]) =>
      Object.getOwnPropertyNames(Class)
        .filter((each) => /^(?:from|lookup)[A-Z]/.test(each))
        .map((way) => [`${name}.${way}`, jest.spyOn(Class as object as Statics, way)] as const),
    );
    everything(ANYTHING);
    const missing = ways.filter(([, { mock }]) => mock.calls.length === 0);
    expect(missing.map(([way]) => way)).toEqual([]);
    expect(ways.length).toBeGreaterThan(15);
    jest.restoreAllMocks();
  });

  test("every Aspect has a program that it refuses, except the one that engines refuse by", () => {
    const aspects = classes.filter(([, { prototype }]) => "visit" in (prototype as object));
    expect([...Object.keys(refused), "ProtectFromDeletion"].toSorted()).toEqual(
      aspects.map(([name]) => name).toSorted(),
    );
  });
});

test.each(Object.entries(refused))(
  "what %s refuses fails at synthesis with the construct's path, and passes without it",
  (_, { aspect, declare, says }) => {
    const synth = (isHeld: boolean) => () => {
      const stage = new ErphostStage(Testing.app(), "live");
      const stack = new ErphostStack(stage, "erp");
      declare(stack);
      if (isHeld) Aspects.of(stage.app).add(aspect);
      Testing.synth(stack, true);
    };
    expect(synth(false)).not.toThrow();
    expect(synth(true)).toThrow(says);
  },
);

describe.each(engines)(`%s with ${LIBRARY}`, (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let main: Emulator;
  let eu: Emulator;
  let workspace: TerraformWorkspace;
  let identity: string;
  let existing: Existing;

  const write = (release: Release = {}): void => {
    workspace.write("cdk.tf.json", Testing.synth(everything(existing, release).stack, true));
  };
  const planned = async () =>
    (await workspace.changes()).map(
      ({ address, actions }) =>
        `${/^erphost_(\w+)/.exec(address)?.[1] ?? address} ${actions.join()}`,
    );
  const expectNothingToDo = async (): Promise<void> => {
    expectDone(await workspace.plan());
  };
  const objects = () =>
    [main, eu].flatMap((account) =>
      ["server", "instance", "backup", "team", "api_key"].map((kind) => account.objects(kind)),
    );
  const answers = async (secret: string): Promise<number> => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await fetch(`${main.baseUrl}/servers`, { headers })).status;
  };

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    identity = await generateIdentity();
    main = await startEmulator({ provisionMs: 10 });
    eu = await startEmulator({ provisionMs: 10 });
    furnish(main);
    const [adopted] = main.createObjects("server", [
      { name: "adopted" },
      { name: "erp-elsewhere" },
    ]);
    main.createObjects("team", [{ name: "ops" }]);
    main.createObjects("invoice", [{ status: "paid" }]);
    main.createObjects("cloud_provider", [{ name: "nimbus" }]);
    for (const account of [main, eu]) {
      account.createKey({ name: "dashboard", permissions: ["servers:read"] });
    }
    existing = {
      main: main.baseUrl,
      eu: eu.baseUrl,
      recipient: await identityToRecipient(identity),
      adopted: String(adopted?.["id"]),
      made: main.createKey({ name: "made", permissions: ["servers:read"] }).id,
    };
    const env = { TF_VAR_live_key: main.adminKey, TF_VAR_eu_key: eu.adminKey };
    workspace = await TerraformWorkspace.create({ engine, env }, "");
    write();
    expectDone(await workspace.run("init"));
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    workspace.remove();
    await Promise.all([main.close(), eu.close()]);
  });

  testWithEngine(
    "a program of everything is applied in two accounts, after which nothing is planned",
    async () => {
      const { output } = expectDone(await workspace.apply());
      expect(output).toContain("1 imported");
      await expectNothingToDo();
      expect(main.counts()).toMatchObject({ server: 9, instance: 7, team: 3 });
      expect(eu.counts()).toMatchObject({ server: 1, instance: 2, backup: 2, team: 0 });
      expect(eu.objects("api_key").filter(({ name }) => name === "dashboard")).toHaveLength(2);
      const a = main.objects("server").find(({ name }) => name === "live-a");
      const properties = { tags: ["x", "y"], size: 2, nested: { list: [{ a: 1 }] } };
      expect(a).toMatchObject({ ...properties, region: "eu-central" });
      expect(workspace.stateText()).toContain("live-erp/production/plain of default");
    },
  );

  // That both engines take the library's HCL is shown with the documented programs (hcl.test.ts).
  const testOnOneEngine = engine === ONE_ENGINE ? testWithEngine : undefined;
  testOnOneEngine?.(
    "as HCL, a program of everything that was applied as JSON plans nothing",
    async () => {
      workspace.write("cdk.tf.json", "{}");
      const { stack } = everything(existing);
      workspace.write("main.tf", String(Testing.synthHcl(stack, true)));
      await expectNothingToDo();
      workspace.write("main.tf", "");
      write();
    },
  );

  testWithEngine(
    "lookups have what they found, and a store has a sealed key, which only its recipient can read",
    async () => {
      const { stdout } = await workspace.run("output", "-json");
      // As the engines document it.
      const outputs = JSON.parse(stdout) as Record<string, { readonly value: unknown }>;
      const { sealed, team, teams, key, keys, ...found } = Object.fromEntries(
        Object.entries(outputs).map(([name, { value }]) => [name, value]),
      );
      expect(found).toEqual({
        elsewhere: "erp-elsewhere",
        failed: "srv_2",
        servers: ["srv_2", "srv_1"],
        shop: "ins_3",
        crm: "ins_2",
        instances: ["ins_2", "ins_1"],
        backup: "bak_1",
        newest: "bak_2",
        backups: ["bak_3", "bak_2"],
        teamName: "ops",
        keyName: "dashboard",
        auth: true,
        ...{ invoice: "paid", invoices: "paid", cloud: "nimbus", clouds: "nimbus" },
      });
      expect([teams, keys]).toEqual([[team], [key]]);

      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      const secret = await decrypter.decrypt(armor.decode(String(sealed)), "text");
      expect(await answers(secret)).toBe(200);
      expect(workspace.stateText()).not.toContain(secret);
      const { length } = workspace.stateText().split(JSON.stringify(sealed));
      // The key's, the store's input and its output, and the program's own.
      expect(length - 1).toBe(4);
    },
  );

  testWithEngine(
    "what ProtectFromDeletion protects is not destroyed, and nothing else is in that run",
    async () => {
      const before = objects();
      const { code, output } = await workspace.destroy();
      expect(code).toBe(1);
      expect(unwrapped(output)).toMatch(
        /with erphost_server\.production_plain_.*deletion_protection prevents deleting server srv_\d+/,
      );
      expect(objects()).toEqual(before);
    },
  );

  testWithEngine(
    "everything can be moved to another path in the run that upgrades, and the move itself changes nothing",
    async () => {
      const release = { version: "18.0", fleet: ["a", "c"], isProtected: false, id: "main" };
      write({ ...release, was: "production" });
      expect((await planned()).toSorted()).toEqual([
        "backup delete,create",
        ...["instance update", "instance update", "instance update"],
        ...["server delete", "server update"],
      ]);
      main.clearJournal();
      expectDone(await workspace.run("apply", "plan.bin"));
      write(release);
      await expectNothingToDo();
      const written = main.journal().filter(({ method }) => method !== "GET");
      const operations = written.map(({ operation = "" }) => operation).toSorted();
      expect(operations).toEqual([
        ...Array.from({ length: 4 }, () => "backup.create"),
        ...Array.from({ length: 3 }, () => "instance.update"),
        "server.delete",
      ]);
      written.forEach(({ operation }, index) => {
        if (operation !== "instance.update") return;
        const earlier = written.slice(0, index).map((each) => each.operation);
        const count = (name: string) => earlier.filter((each) => each === name).length;
        expect(count("backup.create")).toBeGreaterThan(count("instance.update"));
      });
      const names = Object.fromEntries(
        main.objects("instance").map(({ id, name }) => [String(id), String(name)]),
      );
      const upgraded = written
        .filter(({ operation }) => operation === "instance.update")
        .map(({ path }) => names[path.split("/").at(-1) ?? ""] ?? "");
      expect(upgraded.toSorted()).toEqual(["live-accounting", "live-paris", "live-rome"]);
      expect(upgraded.indexOf("live-paris")).toBeLessThan(upgraded.indexOf("live-rome"));
      const servers = main.objects("server").map(({ name }) => name);
      expect(servers).not.toContain("live-b");
      expect(servers).toEqual(expect.arrayContaining(["live-a", "live-c", "adopted"]));
    },
  );

  testWithEngine("destroying the program deletes what the service can delete", async () => {
    expectDone(await workspace.destroy());
    expect(main.counts()).toMatchObject({ server: 3, instance: 3, team: 3 });
    expect(eu.counts()).toMatchObject({ server: 0, instance: 0 });
  });
});
