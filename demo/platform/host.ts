/**
 * The demo's platform: examples/cdktf-platform on two emulators, one for each account. It is
 * synthesised again after every change, and each stack has a folder of its own.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { startEmulator, type Emulator } from "../../emulator";
import {
  buildMirror,
  TerraformWorkspace,
  type EngineName,
} from "../../test/harness/terraform-workspace";
import type { ApiKey } from "../service";
import { expect } from "../steps";
import { output } from "../terraform";

const root = join(__dirname, "../..");
const program = join(root, "examples", "cdktf-platform", "main.ts");

export const STAGES = ["staging", "production"] as const;
export type Stage = (typeof STAGES)[number];
/** The stacks of a stage, in the order in which they refer to each other. */
const STACKS = ["keys", "shops", "backups"] as const;
export type StackName = (typeof STACKS)[number];
/** The stacks that a pipeline deploys. */
export type Deployed = Exclude<StackName, "keys">;
type Stack = `${Stage}-${StackName}`;

/** Settings of the program that the demo changes. */
interface Settings {
  STAGING_RELEASE: string;
  PRODUCTION_RELEASE: string;
}

export class Platform {
  private readonly settings: Settings = { STAGING_RELEASE: "17.0", PRODUCTION_RELEASE: "17.0" };
  private readonly stacks = new Map<Stack, TerraformWorkspace>();
  private readonly folder = mkdtempSync(join(tmpdir(), "erphost-platform-"));

  private constructor(
    readonly engine: EngineName,
    readonly accounts: Readonly<Record<Stage, Emulator>>,
    /** The secret half of the age key, as the owner of the pipelines' secret store has it. */
    private readonly identity: string,
    private readonly onOutput: (text: string) => void,
  ) {}

  static async open(engine: EngineName, onOutput: (text: string) => void): Promise<Platform> {
    buildMirror();
    const [staging, production] = await Promise.all(
      STAGES.map(() => startEmulator({ provisionMs: 100 })),
    );
    const accounts = { staging, production } as Record<Stage, Emulator>; // One for each.
    const platform = new Platform(engine, accounts, await generateIdentity(), onOutput);
    try {
      await platform.synth();
      return platform;
    } catch (error) {
      platform.remove();
      for (const emulator of Object.values(accounts)) await emulator.close();
      throw error;
    }
  }

  /** Synthesises the program with changed settings, at the service's time. */
  async synth(changes: Partial<Settings> = {}): Promise<void> {
    Object.assign(this.settings, changes);
    const { staging, production } = this.accounts;
    await promisify(execFile)(process.execPath, ["-r", "ts-node/register", program], {
      cwd: root,
      env: {
        ...process.env,
        ...this.settings,
        NOW: production.clock().now,
        RECIPIENT: await identityToRecipient(this.identity),
        STAGING_URL: staging.baseUrl,
        PRODUCTION_URL: production.baseUrl,
        CDKTF_OUTDIR: this.folder,
      },
    });
    for (const stage of STAGES) {
      for (const part of STACKS) await this.take(`${stage}-${part}`);
    }
  }

  stack(name: Stack): TerraformWorkspace {
    const found = this.stacks.get(name);
    if (!found) throw new Error(`the program has no stack ${name}`);
    return found;
  }

  /** A pipeline's key, as its secret store opens it; a stack of the stage is deployed with it. */
  async deliver(stage: Stage, part: Deployed): Promise<ApiKey> {
    const keys = this.stack(`${stage}-keys`);
    const decrypter = new Decrypter();
    decrypter.addIdentity(this.identity);
    const value = await decrypter.decrypt(armor.decode(await output(keys, part)), "text");
    expect(!keys.stateText().includes(value), `the state of ${stage}-keys has a key in plain text`);
    this.stack(`${stage}-${part}`).env[`TF_VAR_${stage}_key`] = value;
    return { id: await output(keys, `${part}_key_id`), value };
  }

  remove(): void {
    for (const workspace of this.stacks.values()) workspace.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Puts what was synthesised of a stack into its folder, which is initialised the first time. */
  private async take(name: Stack): Promise<void> {
    const text = readFileSync(join(this.folder, "stacks", name, "cdk.tf.json"), "utf8");
    const known = this.stacks.get(name);
    const { engine, onOutput } = this;
    const workspace = known ?? (await TerraformWorkspace.create({ engine, env: {}, onOutput }, ""));
    this.stacks.set(name, workspace);
    // A state belongs next to its configuration, wherever the program was started.
    const states = /"path": "[^"]*\bterraform\.([\w-]+)\.tfstate"/g;
    const placed = text.replace(states, (_, of: Stack) => `"path": "${this.stack(of).stateFile}"`);
    workspace.write("cdk.tf.json", placed);
    if (known) return;
    const stage: Stage = name.startsWith("staging") ? "staging" : "production";
    workspace.env[`TF_VAR_${stage}_key`] = this.accounts[stage].adminKey;
    const { code, output: printed } = await workspace.run("init");
    if (code !== 0) throw new Error(`${engine} init failed:\n${printed}`);
  }
}
