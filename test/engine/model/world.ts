/** The emulated service in this process, on a clock of its own, and processes that can be cut off at any write. */
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmulatorCore } from "../../../emulator/core";
import { ClientCore } from "../../../provider/client";
import { TransportFault, type Transport } from "../../../provider/client/chain/transport";
import type { Clock } from "../../../provider/client/clock";
import { readConfiguration } from "../../../provider/client/settings/read";
import { resolveContract } from "../../../provider/contract";
import { Engine, type EngineParts } from "../../../provider/engine";
import type { Message } from "../../../provider/messages";

const BASE = "http://127.0.0.1:9";
const STARTED_MS = Date.UTC(2026, 0, 1);
/** Longer waits are limits of what should never last so long. */
const WAIT_MAX_MS = 10_000;
/** In memory where the system has such a folder: intents are synced. */
const ROOT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A machine: what is on it is lost with it. */
export interface Machine {
  readonly folder: string;
  readonly userKey: Buffer;
}

/** What is wrong with the way to the service. */
export type Weather = "fair" | "lost answers" | "unmarked replays";

/** Where a run is cut off, or another one comes in between. */
export interface Cut {
  readonly at: number;
  /** Undefined: it is killed there. */
  readonly meanwhile?: () => Promise<void>;
}

/** One run of a host: all its processes live and die together. */
export class Run {
  points = 0;
  isDead = false;
  /** What was said, and of which declaration. */
  readonly messages: { readonly about: string | undefined; readonly message: Message }[] = [];
  /** What a preview would change. */
  readonly planned: (readonly [string, string])[] = [];
  /** Ids that creates of this run were answered. */
  readonly answered = new Set<string>();
  readonly killed: Promise<"killed">;
  private die: (how: "killed") => void = () => undefined;

  constructor(private readonly cut?: Cut) {
    this.killed = new Promise((resolve) => (this.die = resolve));
  }

  /** A moment at which the run may be cut off. */
  async point(): Promise<void> {
    if (this.isDead) await never;
    this.points += 1;
    if (this.points !== this.cut?.at) return;
    if (this.cut.meanwhile) return this.cut.meanwhile();
    this.isDead = true;
    this.die("killed");
    await never;
  }
}

const never = new Promise<never>(() => undefined);

export interface ProcessGiven {
  readonly run: Run;
  readonly machine: Machine;
  readonly apiKey: string;
  readonly options: EngineParts["options"];
  /** The host's process, where it plans and applies in different ones. */
  readonly host?: string;
}

type Settings = NonNullable<EngineParts["options"]>;

export class World {
  /** What every engine is set to besides, so that a test can take a guard out. */
  static settings: { readonly [Name in keyof Settings]?: Settings[Name] | undefined } = {};
  nowMs = STARTED_MS;
  readonly service: EmulatorCore;
  /** Deletes that must not be. */
  readonly breaches: string[] = [];
  /** Everything that was seen: states of the world, and steps between them. */
  onStep: (label: string) => void = () => undefined;
  private readonly folders: string[] = [];
  private readonly dead = new Set<string>();
  private processCount = 0;

  constructor(private readonly weather: Weather) {
    const realTime = { wallMs: () => this.nowMs, monotonicMs: () => this.nowMs };
    const options = { provisionMs: 0, realTime, warn: () => undefined };
    this.service = new EmulatorCore(options, resolveContract());
  }

  machine(): Machine {
    const folder = mkdtempSync(join(ROOT, "erphost-model-"));
    this.folders.push(folder);
    return { folder, userKey: randomBytes(32) };
  }

  end(): void {
    this.service.stop();
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }

  alive(kind: string): string[] {
    return this.service.control.objects(kind).map(({ id }) => String(id));
  }

  /** A text that is the same for worlds that are alike. */
  fingerprint(kind: string): string {
    const objects = this.service.control
      .objects(kind)
      .map(({ id, name, server_id: on }) => `${String(id)}:${String(name)}:${String(on)}`);
    const intents = this.folders.map(
      (folder) => readdirSync(folder).filter((name) => name.endsWith(".json")).length,
    );
    return `${objects.join()}|${intents.join()}`;
  }

  /** A process with an engine; `end` says that it is over. */
  process({ run, machine, apiKey, options, host }: ProcessGiven): { engine: Engine; end(): void } {
    this.processCount += 1;
    const self = `${this.processCount}-${this.processCount}`;
    const given = { apiKey, baseUrl: `${BASE}/v1`, profile: { settleWindowMs: 0 } };
    const configuration = readConfiguration({ given });
    const injected = { clock: this.clock, random: () => 0.5, uuid: () => randomUUID() };
    const engine = new Engine({
      core: new ClientCore(configuration, { ...injected, transport: this.transport(run) }),
      clock: this.clock,
      apiKey,
      userKey: async () => machine.userKey,
      // As the caller has it: what is undefined is not set.
      options: { readMaxAgeMs: 0, ...options, ...World.settings } as Settings,
      intentsAt: () => machine.folder,
      processes: { self, isAlive: (owner) => !this.dead.has(owner) },
      ...(host !== undefined && { host }),
      uuid: randomUUID,
      random: randomBytes,
      warn: (message) => {
        run.messages.push({ about: undefined, message });
      },
    });
    void run.killed.then(() => this.dead.add(self));
    return { engine, end: () => void this.dead.add(self) };
  }

  private readonly clock: Clock = {
    wallMs: () => this.nowMs,
    monotonicMs: () => this.nowMs,
    after: (ms, work) => {
      if (ms > WAIT_MAX_MS) return () => undefined;
      const timer = setImmediate(() => {
        this.nowMs += ms;
        work();
      });
      return () => clearImmediate(timer);
    },
  };

  private transport(run: Run): Transport {
    const lost = new Set<string>();
    return async ({ method, path, headers, body }) => {
      if (method !== "GET") await run.point();
      if (run.isDead) await never;
      this.nowMs += 1;
      const [below = "", query = ""] = path.replace(/^\/v1/, "").split(/\?(.*)/s);
      const named = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const { answer } = await this.service.api.handle({
        method,
        path: below,
        query: new URLSearchParams(query),
        header: (name) => named[name],
        body: body ?? "",
        remoteAddress: "127.0.0.1",
      });
      if (!answer) throw new Error("the service does not answer");
      if (method !== "GET") {
        this.onStep(`${method} ${answer.status}`);
        await run.point();
      }
      const key = named["idempotency-key"] ?? "";
      if (this.weather === "lost answers" && method === "POST" && !lost.has(key)) {
        lost.add(key);
        throw new TransportFault("network", true, "ECONNRESET");
      }
      return { status: answer.status, headers: this.headersOf(answer.headers), body: answer.body };
    };
  }

  private headersOf(headers: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers)
        .map(([name, value]): [string, string] => [name.toLowerCase(), value])
        .filter(([name]) => this.weather !== "unmarked replays" || name !== "idempotent-replayed"),
    );
  }
}
