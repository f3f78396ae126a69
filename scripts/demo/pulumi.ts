/** The demo on Pulumi: examples/pulumi, its whole life. */
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { PulumiStack, type CommandResult } from "../support/pulumi-stack";
import { expect, type Demo, type Outcome, type Step } from "./steps";

const program = join(__dirname, "..", "..", "examples", "pulumi");

/** Lines of an engine's output that tell what changes. */
const changesIn = (output: string): string[] =>
  output.split("\n").filter((line) => /^ *[~+-]{1,2}\+? .*erphost|^ {4,}[~+-] /.test(line));

const lastLines = (output: string): string => output.trim().split("\n").slice(-25).join("\n");

function succeeded(result: CommandResult, what: string): CommandResult {
  expect(
    result.code === 0,
    `${what} failed (exit code ${String(result.code)}):\n${lastLines(result.output)}`,
  );
  return result;
}

class Story {
  constructor(
    private readonly emulator: Emulator,
    private readonly stack: PulumiStack,
  ) {}

  private names(kind: string): string[] {
    return this.emulator.objects(kind).map((record) => String(record["name"] ?? record["id"]));
  }

  private one(kind: string, name: string): Record<string, unknown> & { id: string } {
    const found = this.emulator.objects(kind).find((record) => record["name"] === name);
    expect(found !== undefined, `the service has no ${kind} named ${name}`);
    return { ...found, id: String(found["id"]) };
  }

  private keys(): string[] {
    return this.emulator
      .objects("api_key")
      .filter(({ name }) => name === "pipeline")
      .map(({ id }) => String(id));
  }

  async preview(): Promise<Outcome> {
    const { output } = succeeded(await this.stack.preview(), "pulumi preview");
    expect(this.emulator.objects("server").length === 0, "a preview made something");
    const planned = /(\d+) to create/.exec(output)?.[1];
    return { summary: `${planned ?? "?"} resources planned, nothing made` };
  }

  async create(): Promise<Outcome> {
    succeeded(await this.stack.up(), "pulumi up");
    const servers = this.emulator.objects("server");
    expect(servers.length === 2, `expected 2 servers, the service has ${servers.length}`);
    expect(
      servers.every(({ status }) => status === "running"),
      "a server is not running yet",
    );
    const kinds = ["server", "instance", "backup", "team"];
    const made = kinds.map((kind) => `${kind}: ${this.names(kind).join(", ")}`);
    expect(this.keys().length === 1, "there is no pipeline key");
    return {
      summary: "2 servers, 2 instances, a backup, a team and an API key",
      details: [
        ...made,
        `api_key: pipeline (${this.keys().join()}), its secret encrypted in the state`,
      ],
    };
  }

  async unchanged(): Promise<Outcome> {
    succeeded(
      await this.stack.preview("--expect-no-changes"),
      "pulumi preview --expect-no-changes",
    );
    return { summary: "a second preview is empty" };
  }

  async refreshed(): Promise<Outcome> {
    succeeded(
      await this.stack.refresh("--expect-no-changes"),
      "pulumi refresh --expect-no-changes",
    );
    const calls = this.emulator.journal().length;
    return { summary: `nothing drifted; ${calls} list calls for all 7 resources` };
  }

  async edit(): Promise<Outcome> {
    await this.stack.setConfig("release", "18.0");
    const { output } = succeeded(await this.stack.preview("--diff"), "pulumi preview --diff");
    succeeded(await this.stack.up(), "pulumi up");
    const version = this.one("instance", "erp")["version"];
    expect(version === "18.0", `the instance has version ${String(version)}`);
    const backups = this.emulator.objects("backup").length;
    expect(
      backups === 3,
      `expected 3 backups (first, before the upgrade, of the release), found ${backups}`,
    );
    return {
      summary: "version 17.0 → 18.0 on both instances, a backup taken before",
      details: changesIn(output).slice(0, 14),
    };
  }

  async drift(): Promise<Outcome> {
    const server = this.one("server", "erp-production");
    const lost = this.one("instance", "erp-trial");
    this.emulator.changeObject("server", server.id, { name: "renamed-by-hand" });
    this.emulator.removeObject("instance", lost.id);
    succeeded(await this.stack.refresh(), "pulumi refresh");
    succeeded(await this.stack.up(), "pulumi up");
    expect(
      this.one("server", "erp-production").id === server.id,
      "the server was not renamed back",
    );
    expect(this.one("instance", "erp-trial").id !== lost.id, "the instance was not made anew");
    return {
      summary: "found and mended: a server renamed by hand, an instance deleted by hand",
      details: [
        `server ${server.id}: name renamed-by-hand → erp-production`,
        `instance ${lost.id} was gone, proved by two walks → ${this.one("instance", "erp-trial").id}`,
      ],
    };
  }

  async rotate(): Promise<Outcome> {
    const before = this.keys().at(-1);
    await this.stack.setConfig("keyEpoch", "2");
    succeeded(await this.stack.up(), "pulumi up");
    const after = String((await this.stack.outputs())["pipelineKeyId"]);
    expect(after !== before, "the key is the same as before");
    return {
      summary: `by trigger: ${String(before)} → ${after}; the old one works through its grace period`,
    };
  }

  async expire(): Promise<Outcome> {
    const before = String((await this.stack.outputs())["pipelineKeyId"]);
    this.emulator.advance("90d");
    succeeded(await this.stack.refresh(), "pulumi refresh");
    const due = await this.stack.preview("--expect-no-changes");
    expect(due.code !== 0, "a rotation that is due does not show in the preview");
    succeeded(await this.stack.up(), "pulumi up");
    const after = String((await this.stack.outputs())["pipelineKeyId"]);
    expect(after !== before, "90 days passed and the key is the same");
    return { summary: `90 days on the service's clock: ${before} → ${after}` };
  }

  async protect(): Promise<Outcome> {
    await this.stack.setConfig("protect", "true");
    succeeded(await this.stack.up(), "pulumi up");
    const before = this.one("instance", "erp").id;
    await this.stack.setConfig("erpServer", "staging");
    const refused = await this.stack.preview();
    expect(refused.code !== 0, "the replacement of a protected instance was planned");
    const sentence = /deletionProtection: forbids[^\n]*/.exec(refused.output)?.[0];
    expect(sentence !== undefined, `the refusal does not say why:\n${lastLines(refused.output)}`);
    expect(this.one("instance", "erp").id === before, "the protected instance is another one");
    await this.stack.setConfig("erpServer", "production");
    await this.stack.setConfig("protect", "false");
    succeeded(await this.stack.up(), "pulumi up");
    return {
      summary: "moving the protected instance would replace it: refused in the preview",
      details: [sentence],
    };
  }

  async destroy(): Promise<Outcome> {
    const { output } = succeeded(await this.stack.destroy(), "pulumi destroy");
    for (const kind of ["server", "instance"]) {
      const left = this.names(kind);
      expect(left.length === 0, `${kind} ${left.join(", ")} is left`);
    }
    expect(this.keys().length === 0, `key ${this.keys().join(", ")} is left`);
    expect(output.includes("is retained"), "what is retained was not listed");
    const retained = [
      ...this.emulator.objects("backup").map(({ id }) => `backup ${String(id)}`),
      ...this.emulator
        .objects("team")
        .map(({ id, name }) => `team ${String(id)} (${String(name)})`),
    ];
    return {
      summary: `all gone but ${retained.length} that the service can't delete`,
      details: [`retained: ${retained.join(", ")}`],
    };
  }
}

export async function pulumiDemo(): Promise<Demo> {
  const emulator = await startEmulator({ provisionMs: 200 });
  const demo: { onOutput?: (text: string) => void } = {};
  const stack = await PulumiStack.create({
    program,
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
    onOutput: (text) => demo.onOutput?.(text),
  });
  const story = new Story(emulator, stack);
  const step = (name: string, title: string, run: () => Promise<Outcome>): Step => ({
    name,
    title,
    run,
  });
  return Object.assign(demo, {
    title: "An ERP installation, declared with Pulumi",
    emulator,
    steps: [
      step("preview", "pulumi preview: what would be made", () => story.preview()),
      step("create", "pulumi up: make it, and wait until it runs", () => story.create()),
      step("unchanged", "pulumi preview again: nothing to do", () => story.unchanged()),
      step("refresh", "pulumi refresh: nothing drifted", () => story.refreshed()),
      step("edit", "an upgrade: release 17.0 to 18.0", () => story.edit()),
      step("drift", "somebody changes and deletes things by hand", () => story.drift()),
      step("rotate", "rotate the pipeline's key", () => story.rotate()),
      step("expire", "90 days later: the rotation is due", () => story.expire()),
      step("protect", "a change that would destroy what is protected", () => story.protect()),
      step("destroy", "pulumi destroy", () => story.destroy()),
    ],
    close: () => stack.remove(),
  });
}
