/** The engines that speak Terraform's protocol, each with an account and workspaces of its own. */
import { afterAll, beforeAll, describe } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { startDebugged, type Debugged } from "./debugged";

/** Long enough that a wait can be seen. */
const PROVISION_MS = 5;

/** For claims about what the engine decides. */
export const BOTH: readonly EngineName[] = ["tofu", "terraform"];

/** For claims about what the provider decides, whatever engine asks it. */
export const ONE: readonly EngineName[] = [ONE_ENGINE];

/** Has the engine start the provider for a command of a workspace that attaches to one. */
export const ALONE = { TF_REATTACH_PROVIDERS: "" } as const;

/** What the claims of a group share. */
export class Ground {
  debugged: Debugged | undefined;
  private started: Emulator | undefined;
  private readonly workspaces: TerraformWorkspace[] = [];

  constructor(readonly engine: EngineName) {}

  get emulator(): Emulator {
    if (!this.started) throw new Error("only hooks and tests have an account");
    return this.started;
  }

  get env(): Readonly<Record<string, string>> {
    return { ERPHOST_API_KEY: this.emulator.adminKey, ERPHOST_BASE_URL: this.emulator.baseUrl };
  }

  names(kind = "server"): string[] {
    return this.emulator.objects(kind).map(({ name }) => String(name));
  }

  ids(kind = "server"): string[] {
    return this.emulator.objects(kind).map(({ id }) => String(id));
  }

  /** A workspace whose engine starts the provider for each command, as it does for people. */
  async open(
    configuration: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<TerraformWorkspace> {
    const env = { ...this.env, ...more };
    const workspace = await TerraformWorkspace.create({ engine: this.engine, env }, configuration);
    this.workspaces.push(workspace);
    return workspace;
  }

  /** A workspace whose commands attach to one provider. */
  async attach(configuration: string): Promise<TerraformWorkspace> {
    return this.join(await this.open(configuration));
  }

  /**
   * Has the commands of a workspace attach to one provider, which takes a quarter of the time. It
   * has the variables of the first workspace that joins, and one configuration at a time: aliases
   * need `open`.
   */
  async join(workspace: TerraformWorkspace): Promise<TerraformWorkspace> {
    this.debugged ??= await startDebugged(workspace);
    Object.assign(workspace.env, this.debugged.attached);
    return workspace;
  }

  async start(): Promise<void> {
    buildMirror();
    this.started = await startEmulator({ provisionMs: PROVISION_MS });
  }

  async end(): Promise<void> {
    this.debugged?.provider.kill("SIGKILL");
    for (const workspace of this.workspaces) workspace.remove();
    await this.started?.close();
  }
}

/** Groups claims by engine; those of an engine that is not here are skipped. */
export function describeOn(engines: readonly EngineName[], claims: (ground: Ground) => void): void {
  for (const engine of engines) {
    (hasEngine(engine) ? describe : describe.skip)(engine, () => {
      const ground = new Ground(engine);
      beforeAll(() => ground.start());
      afterAll(() => ground.end());
      claims(ground);
    });
  }
}

/** A configuration with arguments in its provider block. */
export const withSettings = (
  configuration: string,
  settings: Readonly<Record<string, string | readonly string[]>>,
): string => {
  const lines = Object.entries(settings).map(
    ([name, value]) => `  ${name} = ${JSON.stringify(value)}\n`,
  );
  return configuration.replace('"erphost" {}', () => `"erphost" {\n${lines.join("")}}`);
};
