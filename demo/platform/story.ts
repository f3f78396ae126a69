/**
 * The story of a platform in CDKTF: two stages in two accounts, keys with computed scopes, upgrades
 * in waves, daily backups. Each step checks what it says in the services.
 */
import { lastLines } from "../../scripts/bootstrap/programs.cjs";
import { unwrapped } from "../../test/e2e/support/output";
import type { EngineName } from "../../test/harness/terraform-workspace";
import {
  expectBackupFirst,
  expectReadsOnly,
  Service,
  type ApiKey,
  type ServiceRecord,
} from "../service";
import { expect, stepsOf, type Demo, type Outcome } from "../steps";
import { readExitCode } from "../terraform";
import { Platform, STAGES, type Deployed, type Stage, type StackName } from "./host";

const TITLES = {
  keys: () => "the owners of two accounts deploy a key for each pipeline",
  create: (engine) => `${engine} apply, by the pipelines: two stages`,
  unchanged: (engine) => `${engine} plan again: nothing to do`,
  upgrade: () => "an upgrade in waves: release 17.0 to 18.0",
  canary: () => "release 19.0 fails on the canary",
  schedule: () => "the night after: backups are due all the same",
  back: () => "back to 18.0",
  protect: (engine) => `${engine} destroy of production, which is protected`,
  destroy: (engine) => `${engine} destroy of staging`,
} as const satisfies Readonly<Record<string, (engine: EngineName) => string>>;

/** The names of the steps, in their order. */
export const PLATFORM_STEPS = Object.keys(TITLES);

/** In the order in which they are applied. */
const DEPLOYED = ["shops", "backups"] as const;

/** The waves of production, as the example declares them. */
const WAVES = [["berlin"], ["paris", "rome"], ["oslo", "vienna"]] as const;
const [[CANARY]] = WAVES;
const SHOPS = { staging: ["trial"], production: WAVES.flat() } as const;

class PlatformStory {
  private readonly services: Readonly<Record<Stage, Service>>;

  constructor(private readonly platform: Platform) {
    const { staging, production } = platform.accounts;
    this.services = { staging: new Service(staging), production: new Service(production) };
  }

  get probes(): number {
    return Object.values(this.services).reduce((sum, { probes }) => sum + probes, 0);
  }

  async keys(): Promise<Outcome> {
    const details: string[] = [];
    for (const stage of STAGES) {
      await this.apply(stage, "keys");
      for (const part of DEPLOYED) {
        const key = await this.platform.deliver(stage, part);
        const scopes = this.scopesOf(stage, key);
        const deletes = scopes.filter((scope) => scope.endsWith(":delete")).length;
        const wanted = stage === "staging" && part === "shops" ? 2 : 0;
        const is = `the key for ${stage}-${part} may delete ${deletes} kinds, not ${wanted}`;
        expect(deletes === wanted, is);
        details.push(`${stage}-${part}: ${scopes.join(", ")}`);
        if (part === "shops") await this.services[stage].expectWorks("the pipeline's key", key);
        else
          expect(
            scopes.every((scope) => scope.startsWith("backups:")),
            details.join(),
          );
      }
    }
    return {
      summary:
        "a sealed key for each pipeline, with the scopes that its stack needs; none to delete in production",
      details,
    };
  }

  private scopesOf(stage: Stage, key: ApiKey): readonly string[] {
    const record = this.services[stage].all("api_key").find(({ id }) => id === key.id);
    const scopes = record?.["permissions"];
    return Array.isArray(scopes) ? scopes.map(String) : [];
  }

  async create(): Promise<Outcome> {
    for (const part of DEPLOYED) await this.everywhere((stage) => this.apply(stage, part));
    for (const stage of STAGES) {
      const { length } = SHOPS[stage];
      this.expectShops(stage, "17.0");
      const backups = this.services[stage].all("backup").length;
      expect(backups === length, `${stage} has ${backups} backups of ${length} shops`);
    }
    const names = STAGES.map(
      (stage) => `${stage}: ${this.services[stage].names("instance").join(", ")}`,
    );
    return {
      summary: "6 shops on 2 servers, each backed up, with the pipelines' own keys",
      details: names,
    };
  }

  async unchanged(): Promise<Outcome> {
    await this.everywhere((stage) => this.expectNothing(stage));
    return { summary: "a second plan of each stack shows no changes" };
  }

  async upgrade(): Promise<Outcome> {
    await this.platform.synth({ STAGING_RELEASE: "18.0" });
    await this.apply("staging", "shops");
    this.expectShops("staging", "18.0");
    await this.platform.synth({ PRODUCTION_RELEASE: "18.0" });
    await this.apply("production", "shops");
    this.expectShops("production", "18.0");
    const { emulator } = this.services.production;
    expectBackupFirst(emulator.journal(), this.shop(CANARY).id);
    const upgraded = this.upgraded();
    const inOrder = upgraded.map((name) =>
      WAVES.findIndex((wave) => wave.some((id) => id === name)),
    );
    expect(
      upgraded.length === SHOPS.production.length &&
        inOrder.every((wave, index) => index === 0 || wave >= (inOrder[index - 1] ?? 0)),
      `the shops were upgraded in the order ${upgraded.join(", ")}`,
    );
    return {
      summary: "17.0 → 18.0: staging, then production in three waves, each shop backed up first",
      details: WAVES.map((wave, index) => `wave ${index + 1}: ${wave.join(", ")}`),
    };
  }

  async canary(): Promise<Outcome> {
    const { emulator } = this.services.production;
    this.provision("failed");
    await this.platform.synth({ PRODUCTION_RELEASE: "19.0" });
    const first = await this.refused();
    const others = SHOPS.production.filter((name) => name !== CANARY);
    const touched = this.upgraded();
    expect(touched.join() === CANARY, `upgraded were ${touched.join(", ")}, not ${CANARY} alone`);
    for (const name of others) {
      const { version, status } = this.shop(name);
      expect(version === "18.0" && status === "running", `${name} is ${String(status)}`);
    }
    emulator.clearJournal();
    const again = await this.refused();
    expectReadsOnly(emulator.journal(), "the next run");
    return {
      summary: `19.0 failed on ${CANARY}; the other 4 shops still run 18.0, after another run as well`,
      details: [
        reasonIn(first, /ins_\d+ \([^)]*\)[^.]*failed[^.]*\./),
        reasonIn(again, /wave 1 is not ready[^.]*\./),
      ],
    };
  }

  async back(): Promise<Outcome> {
    this.provision("ready");
    await this.platform.synth({ PRODUCTION_RELEASE: "18.0" });
    await this.apply("production", "shops");
    this.platform.accounts.production.setFaults([]);
    this.expectShops("production", "18.0");
    await this.expectNothing("production");
    return { summary: `${CANARY} runs 18.0 again, and the plan shows no changes` };
  }

  async schedule(): Promise<Outcome> {
    const before = this.backups();
    for (const { emulator } of Object.values(this.services)) emulator.advance("1d");
    await this.platform.synth();
    await this.everywhere((stage) => this.apply(stage, "backups"));
    const made = this.backups() - before;
    expect(made === 6, `${made} backups were taken of 6 shops`);
    await this.everywhere((stage) => this.expectNothing(stage, ["backups"]));
    const reason = reasonIn(await this.refused(), /wave 1 is not ready[^.]*\./);
    expect(reason !== "", "the shops were no longer held back");
    const kept = `${before} earlier ones are kept`;
    return {
      summary: `one new backup of each shop, and none by the next run; ${kept}`,
      details: [`production-shops, meanwhile: ${reason}`],
    };
  }

  async protect(): Promise<Outcome> {
    const { code, output } = await this.platform.stack("production-shops").destroy();
    expect(code !== 0, "production was destroyed");
    const { emulator } = this.services.production;
    const deleted = emulator.journal().filter(({ method }) => method === "DELETE").length;
    expect(deleted === 0, `${deleted} deletions were sent`);
    const reason = reasonIn(unwrapped(output), /deletion_protection prevents [^.]*\./);
    return {
      summary: "destroying production is refused, and nothing is deleted",
      details: [reason],
    };
  }

  async destroy(): Promise<Outcome> {
    for (const part of DEPLOYED.toReversed()) {
      const { code, output } = await this.platform.stack(`staging-${part}`).destroy();
      expect(code === 0, `destroying staging-${part} failed:\n${lastLines(output, 25)}`);
    }
    const { staging } = this.services;
    const left = [...staging.names("instance"), ...staging.names("server")];
    expect(left.length === 0, `left are ${left.join(", ")}`);
    const kept = staging.all("backup").length;
    return {
      summary: `staging is gone but for ${kept} backups, which the service does not delete`,
    };
  }

  private async apply(stage: Stage, part: StackName): Promise<void> {
    const { code, output } = await this.platform.stack(`${stage}-${part}`).apply();
    expect(code === 0, `applying ${stage}-${part} failed:\n${lastLines(output, 25)}`);
  }

  /** Applies production, which must fail. */
  private async refused(): Promise<string> {
    const { code, output } = await this.platform.stack("production-shops").apply();
    expect(code !== 0, "the release was applied though its canary failed");
    return unwrapped(output);
  }

  private async expectNothing(stage: Stage, parts: readonly Deployed[] = DEPLOYED): Promise<void> {
    for (const part of parts) {
      const name = `${stage}-${part}` as const;
      const { found, output } = readExitCode(await this.platform.stack(name).plan());
      expect(found === "nothing", `the plan of ${name} found ${found}:\n${lastLines(output, 25)}`);
    }
  }

  private expectShops(stage: Stage, release: string): void {
    for (const name of SHOPS[stage]) {
      const { version, status } = this.shop(name, stage);
      const is = `${name} is ${String(status)} with ${String(version)}, not running with ${release}`;
      expect(version === release && status === "running", is);
    }
  }

  private shop(name: string, stage: Stage = "production"): ServiceRecord {
    // A stage's name is the first part of the names in it.
    return this.services[stage].one("instance", `${stage}-${name}`);
  }

  /** The names of the shops of production that were changed, in the order of the calls. */
  private upgraded(): string[] {
    const { emulator } = this.services.production;
    const names = new Map(SHOPS.production.map((name) => [this.shop(name).id, name]));
    return emulator
      .journal()
      .filter(({ method, path }) => method === "PATCH" && path.startsWith("/instances/"))
      .map(({ path }) => names.get(path.split("/").at(-1) ?? "") ?? path);
  }

  private backups(): number {
    return STAGES.reduce((sum, stage) => sum + this.services[stage].all("backup").length, 0);
  }

  /** How the canary's next change ends. */
  private provision(outcome: "failed" | "ready"): void {
    const path = `/instances/${this.shop(CANARY).id}`;
    this.platform.accounts.production.setFaults([
      { match: { method: "PATCH", path }, effect: { type: "provision", outcome, ms: 100 } },
    ]);
  }

  private async everywhere(run: (stage: Stage) => Promise<void>): Promise<void> {
    for (const stage of STAGES) await run(stage);
  }
}

/** The sentence that says why; empty where there is none. */
const reasonIn = (output: string, sentence: RegExp): string =>
  sentence.exec(output)?.[0].trim() ?? "";

export async function tellPlatform(engine: EngineName): Promise<Demo> {
  const listener: { onOutput?: (text: string) => void } = {};
  const platform = await Platform.open(engine, (text) => listener.onOutput?.(text));
  const story = new PlatformStory(platform);
  return Object.assign(listener, {
    title: `An ERP platform of two stages, declared with CDKTF and run by ${engine}`,
    emulators: Object.values(platform.accounts),
    probes: () => story.probes,
    steps: stepsOf(TITLES, engine, story),
    close: () => {
      platform.remove();
    },
  });
}
