/**
 * The main job, step by step, on any engine. Each step states what it expects, and fails if that is
 * not the case.
 */
import { startEmulator, type Emulator } from "../emulator";
import type { Command, Installation, Open } from "./installation";
import { expect, type Demo, type Outcome } from "./steps";

const lastLines = (output: string): string => output.trim().split("\n").slice(-25).join("\n");

function succeeded(result: Command, what: string): Command {
  expect(
    result.code === 0,
    `${what} failed (exit code ${String(result.code)}):\n${lastLines(result.output)}`,
  );
  return result;
}

/** Engines break and frame long lines. */
const unbroken = (output: string): string => output.replace(/[\s│╷╵]+/g, " ");

class Story {
  constructor(
    private readonly emulator: Emulator,
    private readonly host: Installation,
  ) {}

  private names(kind: string): string[] {
    return this.emulator.objects(kind).map((record) => String(record["name"] ?? record["id"]));
  }

  private one(kind: string, name: string): Record<string, unknown> & { id: string } {
    const record = this.emulator.objects(kind).find((each) => each["name"] === name);
    expect(record !== undefined, `the service has no ${kind} named ${name}`);
    return { ...record, id: String(record["id"]) };
  }

  private keys(): string[] {
    return this.emulator
      .objects("api_key")
      .filter(({ name }) => name === "pipeline")
      .map(({ id }) => String(id));
  }

  private async up(): Promise<void> {
    succeeded(await this.host.up(), this.host.commands.up);
  }

  async preview(): Promise<Outcome> {
    const { output } = succeeded(await this.host.preview(), this.host.commands.preview);
    expect(this.emulator.objects("server").length === 0, "a preview created something");
    return { summary: `${this.host.planned(output) ?? "?"} resources planned, nothing created` };
  }

  async create(): Promise<Outcome> {
    await this.up();
    const servers = this.emulator.objects("server");
    expect(servers.length === 2, `expected 2 servers, the service has ${servers.length}`);
    expect(
      servers.every(({ status }) => status === "running"),
      "a server is not running yet",
    );
    const kinds = ["server", "instance", "backup", "team"];
    const created = kinds.map((kind) => `${kind}: ${this.names(kind).join(", ")}`);
    expect(this.keys().length === 1, "there is no pipeline key");
    return {
      summary: "2 servers, 2 instances, a backup, a team and an API key",
      details: [
        ...created,
        `API key: pipeline (${this.keys().join()}), its secret ${this.host.secret} in the state`,
      ],
    };
  }

  async unchanged(): Promise<Outcome> {
    succeeded(await this.host.previewUnchanged(), this.host.commands.preview);
    return { summary: `a second ${this.host.commands.preview} shows no changes` };
  }

  async refreshed(): Promise<Outcome> {
    succeeded(await this.host.refreshUnchanged(), this.host.commands.refresh);
    const calls = this.emulator.journal().length;
    return { summary: `nothing drifted; ${calls} list calls for all 7 resources` };
  }

  async edit(): Promise<Outcome> {
    await this.host.set("release", "18.0");
    const { output } = succeeded(await this.host.preview(), this.host.commands.preview);
    await this.up();
    const version = this.one("instance", "erp")["version"];
    expect(version === "18.0", `the instance has version ${String(version)}`);
    const backups = this.emulator.objects("backup").length;
    expect(
      backups === 3,
      `expected 3 backups (the first, one before the upgrade, one for the release), found ${backups}`,
    );
    return {
      summary: "version 17.0 → 18.0 on both instances, with a backup first",
      details: this.host.changesIn(output).slice(0, 14),
    };
  }

  async drift(): Promise<Outcome> {
    const server = this.one("server", "erp-production");
    const lost = this.one("instance", "erp-trial");
    this.emulator.changeObject("server", server.id, { name: "renamed-by-hand" });
    this.emulator.removeObject("instance", lost.id);
    succeeded(await this.host.refresh(), this.host.commands.refresh);
    await this.up();
    expect(
      this.one("server", "erp-production").id === server.id,
      "the server was not renamed back",
    );
    expect(this.one("instance", "erp-trial").id !== lost.id, "the instance was not created again");
    return {
      summary: "found and fixed: a server renamed by hand, an instance deleted by hand",
      details: [
        `server ${server.id}: name renamed-by-hand → erp-production`,
        `instance ${lost.id}: missing from two complete lists → created again as ${this.one("instance", "erp-trial").id}`,
      ],
    };
  }

  async rotate(): Promise<Outcome> {
    const before = await this.host.keyId();
    await this.host.set("keyEpoch", "2");
    await this.up();
    const after = await this.host.keyId();
    expect(after !== before, "the key is the same as before");
    return {
      summary: `by trigger: ${before} → ${after}; the old key works until its grace period ends`,
    };
  }

  async expire(): Promise<Outcome> {
    const before = await this.host.keyId();
    this.emulator.advance("90d");
    succeeded(await this.host.refresh(), this.host.commands.refresh);
    const due = await this.host.previewUnchanged();
    expect(due.code !== 0, "a rotation that is due does not show in the preview");
    await this.up();
    const after = await this.host.keyId();
    expect(after !== before, "90 days passed, and the key is the same");
    return { summary: `90 days on the service's clock: ${before} → ${after}` };
  }

  async protect(): Promise<Outcome> {
    await this.host.set("protect", "true");
    await this.up();
    const before = this.one("instance", "erp").id;
    await this.host.set("erpServer", "staging");
    const refused = await this.host.preview();
    expect(refused.code !== 0, "the replacement of a protected instance was planned");
    const sentence = /deletion_?protection prevents .*? try again/i.exec(
      unbroken(refused.output),
    )?.[0];
    expect(sentence !== undefined, `the refusal does not say why:\n${lastLines(refused.output)}`);
    expect(this.one("instance", "erp").id === before, "the protected instance was replaced");
    await this.host.set("erpServer", "production");
    await this.host.set("protect", "false");
    await this.up();
    return {
      summary: `moving the protected instance would replace it: ${this.host.commands.preview} refuses`,
      details: [sentence],
    };
  }

  async destroy(): Promise<Outcome> {
    const { output } = succeeded(await this.host.destroy(), this.host.commands.destroy);
    for (const kind of ["server", "instance"]) {
      const left = this.names(kind);
      expect(left.length === 0, `${kind} ${left.join(", ")} still exists`);
    }
    expect(this.keys().length === 0, `key ${this.keys().join(", ")} still exists`);
    expect(unbroken(output).includes("is retained"), "what is retained was not listed");
    const retained = [
      ...this.emulator.objects("backup").map(({ id }) => `backup ${String(id)}`),
      ...this.emulator
        .objects("team")
        .map(({ id, name }) => `team ${String(id)} (${String(name)})`),
    ];
    return {
      summary: `all deleted except ${retained.length} objects that the service cannot delete`,
      details: [`retained: ${retained.join(", ")}`],
    };
  }
}

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
  const story = new Story(emulator, host);
  const { preview, up, refresh, destroy } = host.commands;
  const steps: [string, string, () => Promise<Outcome>][] = [
    ["preview", `${preview}: what would be created`, () => story.preview()],
    ["create", `${up}: create it, and wait until it runs`, () => story.create()],
    ["unchanged", `${preview} again: nothing to do`, () => story.unchanged()],
    ["refresh", `${refresh}: nothing drifted`, () => story.refreshed()],
    ["edit", "an upgrade: release 17.0 to 18.0", () => story.edit()],
    ["drift", "somebody changes and deletes things by hand", () => story.drift()],
    ["rotate", "rotate the pipeline's key", () => story.rotate()],
    ["expire", "90 days later: the rotation is due", () => story.expire()],
    ["protect", "a change that would replace a protected instance", () => story.protect()],
    ["destroy", `${destroy}: delete all that the service can delete`, () => story.destroy()],
  ];
  return Object.assign(listener, {
    title: `An ERP installation, declared with ${engine}`,
    emulator,
    steps: steps.map(([name, title, run]) => ({ name, title, run })),
    close: () => host.remove(),
  });
}
