/**
 * The main job, step by step, on any engine. Each step checks what it says, in the service and in
 * what the engine wrote, and fails if it does not hold.
 */
import { lastLines } from "../scripts/bootstrap/programs.cjs";
import { unwrapped } from "../test/e2e/support/output";
import { startEmulator } from "../emulator";
import { Operator, type Installation, type Open } from "./operator";
import { expectBackupFirst, expectReadsOnly, Service, type ApiKey } from "./service";
import { expect, stepsOf, type Demo, type Outcome } from "./steps";

/** What the program declares. */
const DECLARED = { server: 2, instance: 2, backup: 1, team: 1, api_key: 1 } as const;
const RESOURCES = Object.values(DECLARED).reduce((sum, count) => sum + count, 0);
const LISTS: readonly string[] = ["/servers", "/instances", "/backups", "/teams", "/api-keys"];

/** How a run asks at its beginning whether its key works. */
const KEY_TEST = "/auth/test";

const HOUR_MS = 3_600_000;

class Story {
  private readonly operator: Operator;
  private previousKey: ApiKey | undefined;

  constructor(
    private readonly service: Service,
    private readonly host: Installation,
  ) {
    this.operator = new Operator(host, service.emulator.adminKey);
  }

  private get journal() {
    return this.service.emulator.journal();
  }

  async preview(): Promise<Outcome> {
    await this.host.set("pipelineNetwork", "127.0.0.1/32");
    const output = await this.operator.found(this.host.preview(), "changes");
    expectReadsOnly(this.journal, this.host.commands.preview);
    const planned = this.host.planned(output);
    expect(planned === RESOURCES, `${planned ?? "no"} resources are planned, not ${RESOURCES}`);
    return { summary: `${planned} resources planned, nothing created` };
  }

  async create(): Promise<Outcome> {
    await this.operator.up();
    for (const [kind, count] of Object.entries(DECLARED)) {
      const existing = kind === "api_key" ? this.service.keys() : this.service.names(kind);
      expect(
        existing.length === count,
        `the service has ${existing.length} instead of ${count} of ${kind}`,
      );
    }
    for (const { id, status } of [...this.service.all("server"), ...this.service.all("instance")]) {
      expect(status === "running", `${id} is ${String(status)}, not running`);
    }
    const key = await this.operator.key();
    await this.service.expectWorks("the pipeline's key", key);
    const kinds = ["server", "instance", "backup", "team"];
    return {
      summary: "2 servers, 2 instances, a backup, a team and an API key",
      details: [
        ...kinds.map((kind) => `${kind}: ${this.service.names(kind).join(", ")}`),
        `API key: pipeline (${key.id}), its secret ${this.host.secret.how} in the state`,
      ],
    };
  }

  async unchanged(): Promise<Outcome> {
    await this.operator.found(this.host.preview(), "nothing");
    return { summary: `a second ${this.host.commands.preview} shows no changes` };
  }

  async refresh(): Promise<Outcome> {
    await this.operator.found(this.host.previewRefresh(), "nothing");
    expectReadsOnly(this.journal, "the refresh");
    const asked = this.journal.map(({ path }) => path).filter((path) => path !== KEY_TEST);
    const others = asked.filter((path) => !LISTS.includes(path));
    expect(others.length === 0, `the refresh read ${others.join(", ")}`);
    return {
      summary: `nothing drifted; ${asked.length} list calls for all ${RESOURCES} resources`,
    };
  }

  async edit(): Promise<Outcome> {
    const before = this.service.all("backup").map(({ id }) => id);
    await this.host.set("release", "18.0");
    const output = await this.operator.found(this.host.preview(), "changes");
    await this.operator.up();
    const [erp, trial] = [
      this.service.one("instance", "erp"),
      this.service.one("instance", "erp-trial"),
    ];
    for (const { id, version } of [erp, trial]) {
      expect(version === "18.0", `instance ${id} has version ${String(version)}`);
    }
    expectBackupFirst(this.journal, erp.id);
    const made = this.service.all("backup").filter(({ id }) => !before.includes(id));
    expect(
      made.length === 2,
      `${made.length} new backups, not 2 (before the upgrade, and of the new release)`,
    );
    for (const { id, instance_id: of, status } of made) {
      expect(of === erp.id, `backup ${id} is of ${String(of)}, not of ${erp.id}`);
      expect(status === "completed", `backup ${id} is ${String(status)}, not completed`);
    }
    return {
      summary: "version 17.0 → 18.0 on both instances; of erp, a backup first",
      details: this.host.changesIn(output).slice(0, 14),
    };
  }

  async drift(): Promise<Outcome> {
    const { emulator } = this.service;
    const server = this.service.one("server", "erp-production");
    const lost = this.service.one("instance", "erp-trial");
    emulator.changeObject("server", server.id, { name: "renamed-by-hand" });
    emulator.removeObject("instance", lost.id);
    this.operator.succeeded(await this.host.refresh(), this.host.commands.refresh);
    expectReadsOnly(this.journal, this.host.commands.refresh);
    await this.operator.up();
    const mended = this.service.one("server", "erp-production");
    expect(mended.id === server.id, "the server was not renamed back");
    const again = this.service.one("instance", "erp-trial");
    expect(again.id !== lost.id, "the instance was not created again");
    return {
      summary: "found and fixed: a server renamed by hand, an instance deleted by hand",
      details: [
        `server ${server.id}: name renamed-by-hand → erp-production`,
        `instance ${lost.id}: missing from its list → created again as ${again.id}`,
      ],
    };
  }

  async rotate(): Promise<Outcome> {
    const { emulator } = this.service;
    const before = await this.operator.key();
    await this.host.set("keyEpoch", "2");
    await this.operator.up();
    const after = await this.operator.key();
    expect(after.id !== before.id, "the key is the same as before");
    await this.service.expectWorks("the new key", after);
    await this.service.expectWorks("the old key", before);
    const graceMs = this.service.remainingMs(before.id);
    expect(graceMs > 2 * HOUR_MS, `the old key ends in ${Math.round(graceMs / 1000)} s`);
    emulator.advance(graceMs - HOUR_MS);
    await this.service.expectWorks("the old key, within its grace period,", before);
    emulator.advance(2 * HOUR_MS);
    await this.service.expectEnded("the old key, after its grace period,", before);
    await this.service.expectWorks("the new key", after);
    const hours = Math.round(graceMs / HOUR_MS);
    return {
      summary: `by trigger: ${before.id} → ${after.id}; the old key worked for ${hours} more hours, then no longer`,
    };
  }

  async expire(): Promise<Outcome> {
    const before = await this.operator.key();
    this.service.emulator.advance("90d");
    this.operator.succeeded(await this.host.refresh(), this.host.commands.refresh);
    const output = await this.operator.found(this.host.preview(), "changes");
    const changed = this.host.changesIn(output).filter((line) => /erphost[:_]/.test(line));
    const isKeyAlone = changed.length > 0 && changed.every((line) => /ApiKey|api_key/.test(line));
    expect(isKeyAlone, `a rotation is due, and the preview shows: ${changed.join(", ")}`);
    await this.operator.up();
    const after = await this.operator.key();
    expect(after.id !== before.id, "90 days passed, and the key is the same");
    await this.service.expectWorks("the new key", after);
    await this.service.expectWorks("the old key", before);
    this.previousKey = before;
    return { summary: `90 days on the service's clock: ${before.id} → ${after.id}` };
  }

  async protect(): Promise<Outcome> {
    await this.host.set("protect", "true");
    await this.operator.up();
    const before = this.service.one("instance", "erp").id;
    await this.host.set("erpServer", "staging");
    this.service.emulator.clearJournal();
    const refused = this.operator.read(await this.host.preview());
    expect(refused.found === "failure", "the replacement of a protected instance was planned");
    expectReadsOnly(this.journal, this.host.commands.preview);
    const sentence = /deletion_?protection prevents .*? try again/i.exec(
      unwrapped(refused.output),
    )?.[0];
    expect(sentence !== undefined, `the refusal does not say why:\n${lastLines(refused.output)}`);
    await this.host.set("erpServer", "production");
    await this.host.set("protect", "false");
    await this.operator.up();
    expect(
      this.service.one("instance", "erp").id === before,
      "the protected instance was replaced",
    );
    return {
      summary: `moving the protected instance would replace it: ${this.host.commands.preview} refuses`,
      details: [sentence],
    };
  }

  async destroy(): Promise<Outcome> {
    const key = await this.operator.key();
    const lasting = [...this.service.all("backup"), ...this.service.all("team")];
    const { output } = this.operator.succeeded(
      await this.host.destroy(),
      this.host.commands.destroy,
    );
    for (const kind of ["server", "instance"]) {
      const left = this.service.names(kind);
      expect(left.length === 0, `${kind} ${left.join(", ")} still exists`);
    }
    const keys = this.service.keys();
    expect(keys.length === 0, `key ${keys.join(", ")} still exists`);
    for (const ended of [key, this.previousKey]) {
      if (ended) await this.service.expectEnded("the destroyed key", ended);
    }
    const retained = [...this.service.all("backup"), ...this.service.all("team")];
    expect(
      retained.length === lasting.length,
      `${retained.length} of ${lasting.length} backups and teams are left`,
    );
    expect(unwrapped(output).includes("is retained"), "what is retained was not listed");
    return {
      summary: `all deleted except ${retained.length} objects that the service cannot delete`,
      details: [`retained: ${retained.map(({ id }) => id).join(", ")}`],
    };
  }
}

const TITLES = {
  preview: ({ preview }) => `${preview}: what would be created`,
  create: ({ up }) => `${up}: create it, and wait until it runs`,
  unchanged: ({ preview }) => `${preview} again: nothing to do`,
  refresh: ({ refresh }) => `${refresh}: nothing drifted`,
  edit: () => "an upgrade: release 17.0 to 18.0",
  drift: () => "somebody changes and deletes things by hand",
  rotate: () => "rotate the pipeline's key",
  expire: () => "90 days later: the rotation is due",
  protect: () => "a change that would replace a protected instance",
  destroy: ({ destroy }) => `${destroy}: delete all that the service can delete`,
} as const satisfies Readonly<Record<string, (commands: Installation["commands"]) => string>>;

/** The names of the steps, in their order. */
export const STORY_STEPS = Object.keys(TITLES);

/** @param engine its name, as its vendor writes it */
export async function tellStory(engine: string, open: Open): Promise<Demo> {
  const emulator = await startEmulator({ provisionMs: 200 });
  const listener: { onOutput?: (text: string) => void } = {};
  const env = { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey };
  const host = await open(env, (text) => listener.onOutput?.(text)).catch(
    async (error: unknown) => {
      await emulator.close();
      throw error;
    },
  );
  const service = new Service(emulator);
  return Object.assign(listener, {
    title: `An ERP installation, declared with ${engine}`,
    emulators: [emulator],
    probes: () => service.probes,
    steps: stepsOf(TITLES, host.commands, new Story(service, host)),
    close: () => host.remove(),
  });
}
