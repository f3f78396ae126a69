/**
 * The whole life of every kind on the real Pulumi engine, for any service: preview → up → nothing
 * to do → refresh → edit → replace → other people's changes → rotation → destroy.
 */
import { readFileSync, writeFileSync } from "node:fs";
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
  /** Leaves out what another run of this life has, and a service of another kind cannot change. */
  readonly brief?: boolean;
  /** The name of a server on the wire. */
  readonly serverName: string;
}

const program = join(__dirname, "..", "pulumi", "programs", "all");
/** Of each resource, in `pulumi stack export`, however many of its fields are set. */
const BYTES_MAX = 3 * 1024;
/** The program of a dynamic resource in a state. */
const HANDLER = /^exports\.handler=.{1,80}$/;
/** What the SDK wrote of a closure, which states may still have. */
const CLOSURE = readFileSync(
  join(__dirname, "..", "..", "fixtures", "dynamic-closure.txt"),
  "utf8",
);
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
    let latest: Record<string, unknown> = {};
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
      stack.configure({
        recipient: await identityToRecipient(identity),
        rotatedKey: dashboard.id,
        ...(options.emulator.profile !== undefined && { readyStates: '["running"]' }),
      });
    });
    afterAll(async () => {
      stack.remove();
      await emulator.close();
    });

    if (!options.brief) {
      test("a preview creates nothing, and as JSON holds neither a closure nor source", async () => {
        const { stdout } = done(await stack.preview("--json"));
        expect(emulator.objects("server")).toHaveLength(0);
        const programs = [...stdout.matchAll(/"__provider": "((?:[^"\\]|\\.)*)"/g)];
        expect(programs.length).toBeGreaterThan(0);
        for (const [, text] of programs) expect(text).toMatch(HANDLER);
      });
    }

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
      latest = await outputsOf();
      expect(typeof latest["listed"]).toBe("number");
      expect(latest["scopes"]).toContain("admin");
      expect(latest["keyValue"]).toMatch(/_test_/);
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
    });

    if (!options.brief) {
      test("every dynamic resource takes at most 3 KB of Pulumi's state, the program that runs it included", async () => {
        const { deployment } = await exportedFrom(stack);
        const sizes = deployment.resources
          .filter(isDynamic)
          .map(
            (resource) =>
              [resource.urn.replace(/.*:/, ""), JSON.stringify(resource).length] as const,
          );
        expect(sizes).toHaveLength(12);
        expect(sizes.filter(([, bytes]) => bytes > BYTES_MAX)).toEqual([]);
      });

      // The edit that follows changes some of it, and the destroy at the end deletes the rest.
      test("a state that has closures which the SDK wrote is refreshed, and nothing changes", async () => {
        await importClosures(stack);
        emulator.clearJournal();
        done(await stack.refresh("--expect-no-changes"));
        expect(emulator.journal().every(({ method }) => method === "GET")).toBe(true);
      });
    }

    test("an edit changes exactly what was edited", async () => {
      stack.configure({ edited: "true" });
      const server = named("server", "Full Server");
      expect(changes(done(await stack.up()))).toEqual(["1 replaced", "3 updated"]);
      expect(named("server", "Full Server Renamed").id).toBe(server.id);
      expect(named("instance", "Full Instance")).toMatchObject({ version: "18.0" });
      // The first two, one before the upgrade, one for the release.
      expect(emulator.objects("backup")).toHaveLength(4);
      expect(programOf(stack, "Server::full")).toMatch(HANDLER);
    });

    if (!options.brief) {
      test("moving an instance to another server replaces it, and changes nothing else", async () => {
        const before = named("instance", "Full Instance").id;
        stack.configure({ moved: "true" });
        expect(changes(done(await stack.up()))).toEqual(["1 replaced"]);
        const after = named("instance", "Full Instance");
        expect(after.id).not.toBe(before);
        expect(after).toMatchObject({ server_id: named("server", "Minimal Server").id });
      });
    }

    test("objects that other people changed or deleted are repaired", async () => {
      const server = named("server", "Full Server Renamed");
      const instance = named("instance", "minimal");
      emulator.changeObject("server", server.id, { [options.serverName]: "by hand" });
      emulator.removeObject("instance", instance.id);
      const pruned = String(emulator.objects("backup")[0]?.["id"]);
      emulator.removeObject("backup", pruned);
      done(await stack.up("--refresh"));
      expect(named("server", "Full Server Renamed").id).toBe(server.id);
      expect(named("instance", "minimal").id).not.toBe(instance.id);
    });

    if (!options.brief) {
      test("keys rotate when a trigger changes, and after a repair nothing else is left to change", async () => {
        const before = latest;
        stack.configure({ epoch: "2" });
        expect(changes(done(await stack.up()))).toEqual(["2 updated"]);
        latest = await outputsOf();
        expect(latest["currentKeyId"]).not.toBe(before["currentKeyId"]);
        expect(latest["keyValue"]).not.toBe(before["keyValue"]);
        expect(latest["rotatedCurrent"]).not.toBe(before["rotatedCurrent"]);
      });
    }

    test("keys rotate when 90 days have passed, and a preview shows it", async () => {
      const before = latest;
      emulator.advance("90d");
      if (!options.brief) {
        expect(done(await stack.preview("--refresh")).output).toMatch(/2 to update/);
      }
      done(await stack.up("--refresh"));
      latest = await outputsOf();
      expect(latest["currentKeyId"]).not.toBe(before["currentKeyId"]);
      expect(latest["rotatedCurrent"]).not.toBe(before["rotatedCurrent"]);
      done(await stack.preview("--expect-no-changes"));
    });

    test("a destroy leaves only what is retained, and lists it", async () => {
      if (!options.brief) expect(programOf(stack, "Server::minimal")).not.toMatch(HANDLER);
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

/** What a run did, as its summary counts it. */
const changes = ({ output }: CommandResult): string[] =>
  (output.split("Resources:").at(-1) ?? "").match(/\d+ (?!unchanged)[a-z]+ed\b/g)?.sort() ?? [];

interface StoredResource {
  readonly urn: string;
  readonly type: string;
  readonly inputs?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
}

const isDynamic = ({ type }: StoredResource): boolean => type.startsWith("pulumi-nodejs:dynamic/");

// As the engine documents it.
const exportedFrom = async (stack: PulumiStack) =>
  JSON.parse(done(await stack.run("stack", "export")).stdout) as {
    readonly deployment: { readonly resources: StoredResource[] };
  };

/** What the state holds to run a resource. */
function programOf(stack: PulumiStack, name: string): string {
  // As the engine writes it.
  const { checkpoint } = JSON.parse(stack.stateText()) as {
    checkpoint: { latest: { resources: StoredResource[] } };
  };
  const found = checkpoint.latest.resources.find(({ urn }) => urn.endsWith(name));
  return String(found?.outputs?.["__provider"]);
}

/** Gives each resource of the state a closure. */
async function importClosures(stack: PulumiStack): Promise<void> {
  const state = await exportedFrom(stack);
  for (const { type, inputs, outputs: stored } of state.deployment.resources.filter(isDynamic)) {
    const title = /\w+$/.exec(type)?.[0] ?? "";
    const closure = CLOSURE.replace('title: "Server"', `title: ${JSON.stringify(title)}`);
    for (const properties of [inputs, stored]) {
      if (properties) properties["__provider"] = closure;
    }
  }
  const file = join(stack.folder, "with-closures.json");
  writeFileSync(file, JSON.stringify(state));
  done(await stack.run("stack", "import", "--file", file));
}
