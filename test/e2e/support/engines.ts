/** The engines that speak Terraform's protocol, each with an account and workspaces of its own. */
import { delimiter } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { versionIsIn } from "../../../scripts/bootstrap/version.cjs";
import { readManifest } from "../../../scripts/engines/cache.cjs";
import {
  buildMirror,
  hasEngine,
  ONE_ENGINE,
  TerraformWorkspace,
  titled,
  type EngineName,
} from "../../harness/terraform-workspace";
import { installed, installedAs, type Installed } from "../../harness/versions.cjs";
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

  /** @param oldest Terraform, for a group that is run with it */
  constructor(
    readonly engine: EngineName,
    private readonly oldest?: Installed,
  ) {}

  get isOldest(): boolean {
    return this.oldest !== undefined;
  }

  /** Whether the engine is of this version or a later one. */
  is(since: string): boolean {
    const { version } = this.oldest ?? installed(this.engine)[0] ?? { version: "" };
    return versionIsIn(version, `>=${since}.0`);
  }

  get emulator(): Emulator {
    if (!this.started) throw new Error("only hooks and tests have an account");
    return this.started;
  }

  get env(): Readonly<Record<string, string>> {
    return {
      ERPHOST_API_KEY: this.emulator.adminKey,
      ERPHOST_BASE_URL: this.emulator.baseUrl,
      ...(this.oldest && { PATH: `${this.oldest.folder}${delimiter}${process.env["PATH"]}` }),
    };
  }

  names(kind = "server"): string[] {
    return this.emulator.objects(kind).map(({ name }) => String(name));
  }

  ids(kind = "server"): string[] {
    return this.emulator.objects(kind).map(({ id }) => String(id));
  }

  /** A workspace whose engine starts the provider for each command, as it does for people. */
  async open(configuration: string, more = {}): Promise<TerraformWorkspace> {
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
    this.debugged?.provider.signal("SIGKILL");
    for (const workspace of this.workspaces) workspace.remove();
    await this.started?.close();
  }
}

/** Minor versions of Terraform that brought what some claims are about. */
type Since = "1.12" | "1.14";

/**
 * Groups claims by engine and version; those of an engine that is not here are skipped. Where an
 * older Terraform stands in for the newest, that is a skip as well.
 */
export const describeOn = (engines: readonly EngineName[], claims: (ground: Ground) => void) =>
  describeSince(undefined, engines, claims);

/** The same for claims that only engines of this version or a later one try. */
export function describeSince(
  since: Since | undefined,
  engines: readonly EngineName[],
  claims: (ground: Ground) => void,
): void {
  for (const engine of engines) {
    const isHere = hasEngine(engine) && (since === undefined || new Ground(engine).is(since));
    const title = isHere || since === undefined ? titled(engine) : `${engine} ${since} or later`;
    describeGround(isHere, title, () => new Ground(engine), claims);
    if (engine === "terraform" && isHere && installedAs("terraform") === undefined) {
      test.todo(`terraform ${NEWEST} tries the claims of the same group`);
    }
  }
}

/** Groups claims for the oldest Terraform that is supported. */
export function describeOnOldest(claims: (ground: Ground) => void): void {
  const oldest = installedAs("terraform-oldest");
  // Where there is no newer one, every group is run with it.
  if (oldest && oldest.folder === installed("terraform")[0]?.folder) return;
  const title = ["oldest terraform", oldest?.version].filter(Boolean).join(" ");
  describeGround(oldest !== undefined, title, () => new Ground("terraform", oldest), claims);
}

const NEWEST = readManifest()["terraform"]?.version;

function describeGround(
  isHere: boolean,
  title: string,
  open: () => Ground,
  claims: (ground: Ground) => void,
): void {
  (isHere ? describe : describe.skip)(title, () => {
    const ground = open();
    beforeAll(() => ground.start());
    afterAll(() => ground.end());
    claims(ground);
  });
}
