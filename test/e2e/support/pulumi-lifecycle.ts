/**
 * The whole life of every kind on the real Pulumi engine, for any service: preview → up → nothing
 * to do → refresh → edit → replace → other people's changes → rotation → destroy.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Decrypter, armor, generateIdentity, identityToRecipient } from "age-encryption";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../emulator";
import { PulumiStack, type CommandResult } from "../../harness/pulumi-stack";
import { findTexts } from "./files";
import { expectDone } from "./output";

export interface LifecycleOptions {
  readonly emulator: EmulatorOptions;
  /** Path of a contract profile, for the provider. */
  readonly profile?: string;
  /** Kinds that the service can't delete and that are therefore retained. */
  readonly retained: readonly string[];
  /** Leaves out previews that another run of this life has. */
  readonly brief?: boolean;
  /** The name of a server on the wire. */
  readonly serverName: string;
}

const program = join(__dirname, "..", "pulumi", "programs", "all");
const CANARY = "canary-2f1c9a7e-root-password";

/** What every run printed, to be searched for secrets. */
const outputs: string[] = [];

const done = (result: CommandResult): CommandResult => {
  outputs.push(result.output);
  return expectDone(result);
};

export function describeLifecycle(title: string, options: LifecycleOptions): void {
  describe(title, () => {
    let emulator: Emulator;
    let stack: PulumiStack;
    let identity: string;
    const secrets = new Set<string>([CANARY]);

    const named = (kind: string, name: string) => {
      const wire = kind === "server" ? options.serverName : "name";
      const found = emulator
        .objects(kind)
        .filter((record) => String(record[wire]).toLowerCase() === name.toLowerCase());
      expect(found.map((record) => record["id"])).toHaveLength(1);
      return { ...found[0], id: String(found[0]?.["id"]) };
    };
    const outputsOf = async () => {
      const all = await stack.outputs();
      for (const name of ["keyValue", "rotatedValue"]) secrets.add(String(all[name]));
      return all;
    };

    beforeAll(async () => {
      emulator = await startEmulator(options.emulator);
      secrets.add(emulator.adminKey);
      // A service that normalises every value it is sent.
      emulator.setFaults([
        { match: { path: "/**" }, probability: 1, effect: { type: "normalise" } },
      ]);
      stack = await PulumiStack.create({
        program,
        env: {
          ERPHOST_BASE_URL: emulator.baseUrl,
          ERPHOST_API_KEY: emulator.adminKey,
          ...(options.profile && { ERPHOST_PROFILE: options.profile }),
        },
      });
      identity = await generateIdentity();
      const dashboard = emulator.createKey({ name: "dashboard", permissions: ["servers:read"] });
      secrets.add(dashboard.value);
      await stack.setConfig("canary", CANARY, "--secret");
      await stack.setConfig("recipient", await identityToRecipient(identity));
      await stack.setConfig("rotatedKey", dashboard.id);
      const ready = (options.emulator.profile as { resources?: object } | undefined) && ["running"];
      if (ready) await stack.setConfig("readyStates", JSON.stringify(ready));
    });
    afterAll(async () => {
      stack.remove();
      await emulator.close();
    });

    const preview = async (...args: string[]): Promise<string> =>
      options.brief ? "" : done(await stack.preview(...args)).output;
    const planned = (output: string, pattern: RegExp): void => {
      if (!options.brief) expect(output).toMatch(pattern);
    };

    test("a preview creates nothing", async () => {
      await preview();
      expect(emulator.objects("server")).toHaveLength(0);
    });

    test("an up creates everything once and waits for it", async () => {
      done(await stack.up());
      expect(emulator.objects("server")).toHaveLength(2);
      expect(emulator.objects("instance")).toHaveLength(2);
      expect(emulator.objects("backup")).toHaveLength(2);
      expect(emulator.objects("team")).toHaveLength(2);
      expect(emulator.objects("server").map(({ status }) => status)).toEqual([
        "running",
        "running",
      ]);
      const { listed, scopes, keyValue } = await outputsOf();
      expect(typeof listed).toBe("number");
      expect(scopes).toContain("admin");
      expect(keyValue).toMatch(/_test_/);
    });

    test("a key with a recipient is in the state only encrypted", async () => {
      const encrypted =
        /-----BEGIN AGE ENCRYPTED FILE-----.*?-----END AGE ENCRYPTED FILE-----/s.exec(
          stack.stateText().replaceAll("\\n", "\n"),
        )?.[0];
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      const value = await decrypter.decrypt(armor.decode(String(encrypted)), "text");
      expect(value).toMatch(/_test_/);
      secrets.add(value);
    });

    test("there is nothing to do after an up, although the service normalises values", async () => {
      done(await stack.preview("--expect-no-changes"));
      const { output } = done(await stack.refresh("--expect-no-changes"));
      expect(output).toMatch(/unchanged/);
      await preview("--expect-no-changes");
    });

    test("an edit changes exactly what was edited", async () => {
      await stack.setConfig("edited", "true");
      const server = named("server", "Full Server");
      const output = await preview();
      planned(output, /3 to update/);
      planned(output, /1 to replace/);
      done(await stack.up());
      expect(named("server", "Full Server Renamed").id).toBe(server.id);
      expect(named("instance", "Full Instance")).toMatchObject({ version: "18.0" });
      // The first two, one before the upgrade, one for the release.
      expect(emulator.objects("backup")).toHaveLength(4);
      await preview("--expect-no-changes");
    });

    test("moving an instance to another server replaces it", async () => {
      const before = named("instance", "Full Instance").id;
      await stack.setConfig("moved", "true");
      planned(await preview(), /1 to replace/);
      done(await stack.up());
      const after = named("instance", "Full Instance");
      expect(after.id).not.toBe(before);
      expect(after).toMatchObject({ server_id: named("server", "Minimal Server").id });
    });

    test("objects that other people changed or deleted are repaired", async () => {
      const server = named("server", "Full Server Renamed");
      const instance = named("instance", "minimal");
      emulator.changeObject("server", server.id, { [options.serverName]: "by hand" });
      emulator.removeObject("instance", instance.id);
      const pruned = String(emulator.objects("backup")[0]?.["id"]);
      emulator.removeObject("backup", pruned);
      done(await stack.refresh());
      done(await stack.up());
      expect(named("server", "Full Server Renamed").id).toBe(server.id);
      expect(named("instance", "minimal").id).not.toBe(instance.id);
      await preview("--expect-no-changes");
    });

    test("keys rotate when a trigger changes", async () => {
      const before = await outputsOf();
      await stack.setConfig("epoch", "2");
      done(await stack.up());
      const after = await outputsOf();
      expect(after["currentKeyId"]).not.toBe(before["currentKeyId"]);
      expect(after["keyValue"]).not.toBe(before["keyValue"]);
      expect(after["rotatedCurrent"]).not.toBe(before["rotatedCurrent"]);
    });

    test("keys rotate when 90 days have passed, and the preview shows it", async () => {
      const before = await outputsOf();
      emulator.advance("90d");
      done(await stack.refresh());
      planned(await preview(), /2 to update/);
      done(await stack.up());
      const after = await outputsOf();
      expect(after["currentKeyId"]).not.toBe(before["currentKeyId"]);
      expect(after["rotatedCurrent"]).not.toBe(before["rotatedCurrent"]);
      done(await stack.preview("--expect-no-changes"));
    });

    test("a destroy leaves only what is retained, and lists it", async () => {
      const { output } = done(await stack.destroy());
      const left = ["server", "instance", "backup", "team", "api_key"].filter((kind) =>
        emulator
          .objects(kind)
          .some((record) => /admin|dashboard/.exec(String(record["name"])) === null),
      );
      expect(left).toEqual([...options.retained]);
      for (const kind of options.retained) {
        expect(output).toMatch(new RegExp(`${kind.replace("_", " ")} \\S+.* is retained`, "i"));
      }
    });

    test("no file that a run wrote holds a secret in plain text", () => {
      const log = join(stack.folder, "output.log");
      writeFileSync(log, outputs.join("\n"));
      const places = [
        stack.folder,
        ...(options.emulator.dataFile ? [options.emulator.dataFile] : []),
      ];
      const texts = [...secrets];
      expect(texts.length).toBeGreaterThanOrEqual(7);
      expect(findTexts(places, texts)).toEqual([]);
      // The search itself: one that is planted is found.
      const planted = join(stack.folder, "planted.txt");
      writeFileSync(planted, `…${CANARY}…`);
      expect(findTexts(places, texts)).toEqual([{ file: planted, text: CANARY }]);
    });
  });
}
