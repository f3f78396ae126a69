/** One emulator with a line to it, and the stacks that a trial opens on it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator } from "../../../emulator";
import type { Emulator, EmulatorOptions, FaultInput } from "../../../emulator";
import type { Declared, Face, Site, SiteOptions } from "../faces/face";
import { Line } from "./line";

export type Effect = FaultInput["effect"];
const UNTIL_MAX_MS = 60_000;
const IN_TRANSIT_MS = 50;

export class Scene {
  private readonly sites: Site[] = [];

  private constructor(
    readonly face: Face,
    readonly emulator: Emulator,
    readonly line: Line,
  ) {}

  /** Plays on a new emulator; everything is removed at the end. */
  static async play<T>(
    face: Face,
    options: EmulatorOptions,
    play: (scene: Scene) => Promise<T>,
  ): Promise<T> {
    const emulator = await startEmulator({ provisionMs: 0, ...options });
    const scene = new Scene(face, emulator, await Line.to(emulator.port));
    try {
      return await play(scene);
    } finally {
      for (const site of scene.sites.reverse()) site.close();
      await scene.line.close();
      await emulator.close();
    }
  }

  /** Variables of runs whose requests take the line. */
  get env() {
    return {
      ERPHOST_BASE_URL: `http://127.0.0.1:${this.line.port}/v1`,
      ERPHOST_API_KEY: this.emulator.adminKey,
    } as const;
  }

  async open(objects: readonly Declared[], options: Omit<SiteOptions, "env"> = {}): Promise<Site> {
    const site = await this.face.open({ env: this.env, ...options });
    this.sites.push(site);
    site.declare(objects);
    return site;
  }

  /** Requests of a method on a path, as the journal has them. */
  calls(method: string, path = "/servers") {
    return this.emulator
      .journal()
      .filter((entry) => entry.method === method && entry.path.startsWith(path));
  }

  ids(kind = "server"): readonly string[] {
    return this.emulator.objects(kind).map(({ id }) => String(id));
  }

  /** From now on matching requests meet this fault, and no other. */
  fault(match: NonNullable<FaultInput["match"]>, effect: Effect): void {
    this.emulator.setFaults([{ match, effect }]);
  }

  /** Looks every millisecond; false if it did not come about in time. */
  async until(reached: () => boolean): Promise<boolean> {
    const endsAt = performance.now() + UNTIL_MAX_MS;
    while (!reached()) {
      if (performance.now() > endsAt) return false;
      await sleep(1);
    }
    return true;
  }

  /** Removes all faults and drops what is held on the line. */
  release(): void {
    this.emulator.setFaults([]);
    this.line.clear();
  }

  /** The same, and waits until no request is being answered. */
  async calm(): Promise<void> {
    this.release();
    await sleep(IN_TRANSIT_MS);
    await this.until(() => this.emulator.journal().every(({ ended_at }) => ended_at !== null));
  }

  /** How many answers to creates of servers the service keeps for retries. */
  replayCount(): number {
    return (this.emulator.snapshot().tables["replays"] ?? []).filter(
      (row) => typeof row["unit"] === "string" && row["unit"].startsWith("POST /servers "),
    ).length;
  }
}

/** What a trial looks at in an intent on disk. */
export interface IntentSeen {
  readonly operation: string;
  readonly answer?: string;
  readonly handedAt?: number;
}

/** The intents below a folder. Files may come and go while they are read. */
export function intentsIn(folder: string): IntentSeen[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .flatMap((entry) => {
      try {
        // The engine's own file; a test reads it only to look.
        return [JSON.parse(readFileSync(join(entry.parentPath, entry.name), "utf8")) as IntentSeen];
      } catch {
        return [];
      }
    });
}
