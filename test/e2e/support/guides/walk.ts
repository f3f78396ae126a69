/** One way through a page, with the accident that the page is about. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator, EmulatorOptions } from "../../../../emulator";
import { tofuFace } from "../../../chaos/faces/terraform";
import { atRequest, type Moment, type Phase } from "../../../chaos/moments";
import { Scene } from "../../../chaos/support/scene";
import { PulumiStack } from "../../../harness/pulumi-stack";
import {
  buildMirror,
  hasEngine,
  HEADER,
  TerraformWorkspace,
  type EngineName,
} from "../../../harness/terraform-workspace";
import { placePlugin } from "../pulumi-plugin";
import type { Place } from "./reader";

type Env = Readonly<Record<string, string>>;

export interface Walk {
  /** Below docs, without the ending. */
  readonly page: string;
  readonly claim: string;
  /**
   * Where its run is cut off: at the first in the release's tests, at each in `npm run chaos`.
   * Left out: the accident is in the walk, and nothing is killed.
   */
  readonly moments?: readonly Moment[];
  readonly emulator?: EmulatorOptions;
  go(ground: Ground): Promise<void>;
}

/** What a walk has: an account, and folders for engines. */
export class Ground {
  readonly emulator: Emulator;
  /** The account's address, on whose line requests can be held. */
  readonly url: string;
  private readonly ends: (() => unknown)[] = [];

  private constructor(
    readonly scene: Scene,
    readonly moment: Moment,
  ) {
    this.emulator = scene.emulator;
    this.url = scene.env.ERPHOST_BASE_URL;
  }

  /** Goes the way once, on an account of its own. @param moment of the accident */
  static async go(walk: Walk, moment: Moment): Promise<void> {
    const { provisionMs = moment.provisionMs ?? 0 } = walk.emulator ?? {};
    await Scene.play(tofuFace, { ...walk.emulator, provisionMs }, async (scene) => {
      const ground = new Ground(scene, moment);
      try {
        await walk.go(ground);
      } finally {
        for (const end of ground.ends.reverse()) await end();
      }
    });
  }

  /** The same with the accident that tells most. */
  static async once(walk: Walk): Promise<void> {
    const [moment] = walk.moments ?? [{ name: "no kill", reached: () => false }];
    if (!moment) throw new Error(`${walk.claim}: it has no moment`);
    await Ground.go(walk, moment);
  }

  atEnd = (end: () => unknown): void => {
    this.ends.push(end);
  };

  names = (kind: string): string[] => this.emulator.objects(kind).map(({ name }) => String(name));

  /** A workspace that is initialised, without a program. */
  terraform = async (env: Env = {}, engine: EngineName = TERRAFORM): Promise<Place> => {
    buildMirror();
    const own = { ERPHOST_API_KEY: this.emulator.adminKey, ...env };
    const workspace = await TerraformWorkspace.create({ engine, env: own }, HEADER);
    this.atEnd(() => workspace.remove());
    const work = join(workspace.folder, "work");
    mkdirSync(work);
    for (const name of [".terraform", ".terraform.lock.hcl"]) {
      renameSync(join(workspace.folder, name), join(work, name));
    }
    return workspace;
  };

  /** A stack with a program, which has the plugin. @param env in which no account is, unless it says */
  pulumi = async (files: Env, env: Env = {}): Promise<PulumiStack> => {
    const program = mkdtempSync(join(tmpdir(), "erphost-guide-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(program, name), text);
    const stack = await PulumiStack.create({ program, env });
    rmSync(program, { recursive: true });
    this.atEnd(() => stack.remove());
    await placePlugin(stack);
    return stack;
  };
}

const TERRAFORM: EngineName = hasEngine("terraform") ? "terraform" : "tofu";

/** The moment that tells most: the service has done what no run knows of. */
export const LOST = "done, answer lost";

/** Moments, the one of this name before the others. */
export const beginningWith = (name: string, moments: readonly Moment[]): readonly Moment[] =>
  moments.toSorted((a, b) => Number(b.name === name) - Number(a.name === name));

/** Before one request of a block, and after the next one. @param first the one that is tried first */
export const requests = (count: number, first: number): readonly Moment[] =>
  beginningWith(
    `request ${first} ${phaseOf(first)}`,
    Array.from({ length: count }, (_, index) => atRequest(index + 1, phaseOf(index + 1))),
  );

const phaseOf = (number: number): Phase => (number % 2 === 0 ? "arrives" : "is answered");
