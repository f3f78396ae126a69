/**
 * A program of every construct, lookup and Aspect, from synthesis to destruction, with keys that have
 * just the scopes that are computed for it. An engine sees of a library only what it has synthesised,
 * and with cdktn that is the same (test/cdktf/cdktn.test.ts).
 */
import { beforeAll, expect, test } from "@jest/globals";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { Testing, type TerraformStack } from "cdktf";
import { ask } from "../../support/ask";
import { scopesFor, type Scope } from "../../../cdktf-bindings";
import type { Emulator } from "../../../emulator";
import { everything, type Existing, type Release } from "../../cdktf/support/everything";
import type { CommandResult } from "../../harness/command";
import { ONE_ENGINE, type TerraformWorkspace } from "../../harness/terraform-workspace";
import { furnish } from "../../support/finding";
import { deployment } from "../support/cdktf";
import { BOTH, describeOn } from "../support/engines";
import { expectDone, unwrapped } from "../support/output";

const json = (stack: TerraformStack): string => Testing.synth(stack, true);
const hcl = (stack: TerraformStack): string => String(Testing.synthHcl(stack, true));

describeOn(BOTH, ({ engine }) => {
  // What a scope is for and what a name plans is the provider's doing; that both engines take the
  // library's HCL is shown with the documented programs (hcl.test.ts).
  const testOnOneEngine = engine === ONE_ENGINE ? test : undefined;
  let main: Emulator;
  let workspace: TerraformWorkspace;
  let identity: string;
  let existing: Existing;
  let needed: readonly Scope[];
  const keys = { plan: "", apply: "" };

  const write = (release: Release = {}): void => {
    workspace.write("cdk.tf.json", json(everything(existing, release).stack));
  };
  const planned = async () =>
    (await workspace.changes()).map(
      ({ address, actions }) =>
        `${/^erphost_(\w+)/.exec(address)?.[1] ?? address} ${actions.join()}`,
    );
  /** A plan by another key than the one that applies. */
  const planWith = (key: string): Promise<CommandResult> => {
    const words = ["plan", "-input=false", "-detailed-exitcode"];
    return workspace.start(words, { TF_VAR_live_key: key }).finished;
  };
  const expectNothingToDo = async (): Promise<void> => {
    expectDone(await planWith(keys.plan));
  };
  const keyWith = (permissions: readonly string[]): string =>
    main.createKey({ permissions: [...permissions] }).value;

  beforeAll(async () => {
    identity = await generateIdentity();
    ({ emulator: main, workspace } = await deployment(engine, {}));
    furnish(main);
    const servers = [{ name: "adopted" }, { name: "erp-elsewhere" }];
    const [adopted] = main.createObjects("server", servers);
    main.createObjects("team", [{ name: "ops" }]);
    main.createObjects("invoice", [{ status: "paid" }]);
    main.createObjects("cloud_provider", [{ name: "nimbus" }]);
    const permissions = ["servers:read"];
    main.createKey({ name: "dashboard", permissions });
    existing = {
      main: main.baseUrl,
      eu: "https://eu.example/v1",
      recipient: await identityToRecipient(identity),
      adopted: String(adopted?.["id"]),
      made: main.createKey({ name: "made", permissions }).id,
    };
    const { stack } = everything(existing);
    needed = scopesFor(stack);
    for (const purpose of ["plan", "apply"] as const) {
      keys[purpose] = keyWith(scopesFor(stack, { for: purpose }));
    }
    workspace.env["TF_VAR_live_key"] = keys.apply;
    write();
    expectDone(await workspace.run("init"));
  });

  test("a program of everything is planned and applied by keys with the computed scopes, after which nothing is planned", async () => {
    expect(await planWith(keys.plan)).toMatchObject({ code: 2 });
    expect(expectDone(await workspace.apply()).output).toContain("1 imported");
    await expectNothingToDo();
    expect(main.counts()).toMatchObject({ server: 12, instance: 7, team: 3 });
    const a = main.objects("server").find(({ name }) => name === "live-a");
    const properties = { tags: ["x", "y"], size: 2, nested: { list: [{ a: 1 }] } };
    expect(a).toMatchObject({ ...properties, region: "eu-central" });
    expect(workspace.stateText()).toContain("live-erp/production/plain of default");
  });

  testOnOneEngine?.(
    "a stage with another name plans nothing on the state of the first, if names keep their prefix",
    async () => {
      write({ stage: "other" });
      await expectNothingToDo();
      write();
    },
  );

  testOnOneEngine?.(
    "as HCL, a program of everything that was applied as JSON plans nothing",
    async () => {
      workspace.write("cdk.tf.json", "{}");
      workspace.write("main.tf", hcl(everything(existing).stack));
      await expectNothingToDo();
      workspace.write("main.tf", "");
      write();
    },
  );

  test("lookups have what they found, and a store has a sealed key, which only its recipient can read", async () => {
    const { stdout } = await workspace.run("output", "-json");
    // As the engines document it.
    const outputs = JSON.parse(stdout) as Record<string, { readonly value: unknown }>;
    const values = Object.entries(outputs).map(([name, { value }]) => [name, value] as const);
    const { sealed, team, teams, key, keys: listed, ...found } = Object.fromEntries(values);
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
    expect([teams, listed]).toEqual([[team], [key]]);

    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    const secret = await decrypter.decrypt(armor.decode(String(sealed)), "text");
    expect((await ask(main, "GET /servers", { key: secret })).status).toBe(200);
    expect(workspace.stateText()).not.toContain(secret);
    const { length } = workspace.stateText().split(JSON.stringify(sealed));
    // The key's, the store's input and its output, and the program's own.
    expect(length - 1).toBe(4);
  });

  test("what ProtectFromDeletion protects is not destroyed, and nothing else is in that run", async () => {
    const kinds = ["server", "instance", "backup", "team", "api_key"];
    const objects = () => kinds.map((kind) => main.objects(kind));
    const before = objects();
    const { code, output } = await workspace.destroy();
    expect(code).toBe(1);
    expect(unwrapped(output)).toMatch(
      /with erphost_server\.production_plain_.*deletion_protection prevents deleting server srv_\d+/,
    );
    expect(objects()).toEqual(before);
  });

  test("everything can be moved to another path in the run that upgrades, constructs take the places of generated ones, and neither changes anything in the service", async () => {
    const release = { version: "18.0", fleet: ["a", "c"], isProtected: false, id: "main" };
    write({ ...release, was: "production" });
    // Of the two that take a place, only the identity is new, which the service never sees.
    expect((await planned()).toSorted()).toEqual([
      "backup delete,create",
      ...["instance update", "instance update", "instance update"],
      ...["server create", "server delete"],
      ...["server update", "server update", "server update"],
    ]);
    main.clearJournal();
    expectDone(await workspace.run("apply", "plan.bin"));
    write(release);
    await expectNothingToDo();
    const written = main.journal().filter(({ method }) => method !== "GET");
    expect(written.map(({ operation = "" }) => operation).toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => "backup.create"),
      ...Array.from({ length: 3 }, () => "instance.update"),
      ...["server.create", "server.delete"],
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
  });

  testOnOneEngine?.(
    "each of the computed scopes is needed: without it a plan, an apply or a destroy is refused",
    async () => {
      /** The scopes that the service misses where those of an action are left out. */
      const missing = async (action: string, ...words: string[]): Promise<string[]> => {
        const permissions = needed.filter((scope) => !scope.endsWith(`:${action}`));
        const given = { TF_VAR_live_key: keyWith(permissions) };
        const { code, output } = await workspace.start(words, given).finished;
        expect(code).toBe(1);
        const errors = unwrapped(output).split(/(?=Error: |Warning: )/);
        const faults = errors.filter((each) => each.startsWith("Error")).join("");
        return needed.filter((scope) => faults.includes(`needs ${scope}`));
      };
      write({ version: "19.0", fleet: ["a", "c"], isProtected: false, id: "main", note: "last" });
      const refused = [
        ...(await missing("read", "plan", "-input=false")),
        ...(await missing("write", "apply", "-auto-approve", "-input=false")),
        ...(await missing("delete", "destroy", "-auto-approve", "-input=false")),
      ];
      expect(refused.toSorted()).toEqual([...needed].toSorted());
    },
  );

  test("destroying the program with the computed scopes deletes what the service can delete", async () => {
    expectDone(await workspace.destroy());
    expect(main.counts()).toMatchObject({ server: 3, instance: 3, team: 3 });
  });
});
