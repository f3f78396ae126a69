/** One way through a page, with the accident that the page is about. */
import type { Emulator, EmulatorOptions } from "../../../../emulator";
import { engineFace } from "../../../chaos/faces/engine";
import type { Moment } from "../../../chaos/moments";
import { Scene } from "../../../chaos/support/scene";
import {
  buildMirror,
  ONE_ENGINE,
  hasEngine,
  TerraformWorkspace,
} from "../../../harness/terraform-workspace";
import type { Place } from "./reader";

type Env = Readonly<Record<string, string>>;

export interface Walk {
  /** Below docs, without the ending. */
  readonly page: string;
  readonly claim: string;
  /** Where its run is cut off; the first that is brief in `npm test`, each in `npm run chaos`. */
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
    await Scene.play(engineFace, { ...walk.emulator, provisionMs }, async (scene) => {
      const ground = new Ground(scene, moment);
      try {
        await walk.go(ground);
      } finally {
        for (const end of ground.ends.reverse()) await end();
      }
    });
  }

  atEnd(end: () => unknown): void {
    this.ends.push(end);
  }

  names = (kind: string): string[] => this.emulator.objects(kind).map(({ name }) => String(name));

  /** A workspace without a program. @param env its key is the account's, unless this has another */
  async terraform(env: Env = {}): Promise<Place> {
    buildMirror();
    const engine = hasEngine("terraform") ? "terraform" : ONE_ENGINE;
    const own = { ERPHOST_API_KEY: this.emulator.adminKey, ...env };
    const workspace = await TerraformWorkspace.create({ engine, env: own }, "");
    this.atEnd(() => workspace.remove());
    return workspace;
  }
}

/** Where a run is cut off in a walk without such an accident: nowhere. */
export const NEVER: Moment = { name: "no accident", reached: () => false };

/** The moments of a walk's accident. */
export const momentsOf = ({ moments = [NEVER] }: Walk): readonly Moment[] => moments;
