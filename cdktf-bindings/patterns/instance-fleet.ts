import { Fn, type Precondition, type TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { resources } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import { joinAccount } from "../constructs/account";
import { withoutUndefined } from "../constructs/declared";
import { Instance, type InstanceProps } from "../constructs/instance";
import type { IServer } from "../constructs/interfaces.gen";
import { sentenceOf } from "../voice";
import { membersOf, withCommon } from "./members";

/** Waves need a backup before each upgrade, and wait for its end. */
type Fixed = "backupBeforeUpgrade" | "wait";

/** Props that all instances of a fleet may share. */
export interface FleetInstanceOptions extends Omit<
  Partial<InstanceProps>,
  Fixed | "idempotencyToken" | "name" | "provider" | "version"
> {
  /** The server of the instances that set none themselves. Changing this forces replacement. */
  readonly server?: IServer;
}

export interface FleetInstanceProps extends Omit<Partial<InstanceProps>, Fixed | "provider"> {
  /** Name of the installation, as it is; default: its id, after the stage's prefix. */
  readonly name?: string;
  /** Id of its construct; default: its name, if that is known when the program runs. */
  readonly id?: string;
  /** The server that hosts the instance; default: that of `common`. Changing this forces replacement. */
  readonly server?: IServer;
  /** Release number; default: that of the fleet. */
  readonly version?: string;
}

export interface InstanceFleetProps {
  /** By name, or with props of their own; ids are unique. Waves are filled in this order. */
  readonly instances: readonly (string | FleetInstanceProps)[];
  /** Release number, such as `17.0`, of all that set none themselves. */
  readonly version: string;
  /** Ids of those that are upgraded first, at least one; default: the first one. */
  readonly canaries?: readonly string[];
  /** How many of the others are upgraded at a time: a number, or a share such as `25%`; default: all. */
  readonly waveSize?: WaveSize;
  /** Props that all share, such as their server; a member's own win, of properties key by key. */
  readonly common?: FleetInstanceOptions;
  /** Provider of the account that all of them are in; default: that of the construct above. */
  readonly provider?: TerraformProvider;
}

/**
 * One instance per member, declared under its id. A change of the version upgrades the canaries, and
 * then the others in waves; each member is backed up before its upgrade. A wave begins once all of
 * the one before are running again: one that fails, or is not ready in time, fails the apply, and
 * no later wave is touched, by the next run neither, whose plan fails. Declare what must not stop
 * meanwhile, such as backups on a schedule, in another stack. Waves are an order, and moving a member
 * into another one plans nothing.
 * @example
 * const server = new Server(stack, "web");
 * new InstanceFleet(stack, "shops", {
 *   instances: ["berlin", "paris", { id: "rome", edition: "enterprise" }, "oslo"],
 *   version: "17.0",
 *   canaries: ["paris"],
 *   waveSize: "50%",
 *   common: { server },
 * });
 */
export class InstanceFleet extends Construct {
  /** By id, which is the name of those that have no other. */
  readonly instances: Readonly<Record<string, Instance>>;
  /** Ids in the order of upgrades; those of one wave are upgraded at the same time. */
  readonly waves: readonly (readonly string[])[];

  constructor(scope: Construct, id: string, props: InstanceFleetProps) {
    super(scope, id);
    // In JavaScript the props may be missing.
    const given: Partial<InstanceFleetProps> = withoutUndefined(props);
    const { version, common = {}, provider } = given;
    joinAccount(this, provider);
    const members = membersOf(this, "instances", given.instances);
    const keys = members.map(({ key }) => key);
    const { waves, faults } = wavesOf(keys, given);
    const missing = version === undefined ? [message("required", {}, { path: ["version"] })] : [];
    this.node.addValidation({ validate: () => [...missing, ...faults].map(sentenceOf) });
    this.waves = waves;
    const declared = new Map<string, Instance>();
    let before: readonly Instance[] = [];
    for (const [index, wave] of waves.entries()) {
      const now = members.filter(({ key }) => wave.includes(key));
      for (const { key, id: own, props: its } of now) {
        // Synthesis reports a member without a server.
        const all = withCommon({ version, ...common }, its) as InstanceProps;
        const ordered = index === 0 ? all : { ...all, ...this.after(before, all, index) };
        declared.set(key, new Instance(this, own, { ...ordered, backupBeforeUpgrade: true }));
      }
      before = now.flatMap(({ key }) => declared.get(key) ?? []);
    }
    this.instances = Object.fromEntries(declared);
  }

  /**
   * Holds an instance back until the wave before is ready. The order alone would not do: an instance
   * that is not ready in time is a warning, and one that has failed has no change in the next run.
   */
  private after(
    before: readonly Instance[],
    { dependsOn = [], lifecycle = {} }: InstanceProps,
    index: number,
  ): Pick<InstanceProps, "dependsOn" | "lifecycle"> {
    const states = before.map(({ node, status }) => `${node.id} is ${status}`);
    const parts = { path: this.node.path, wave: index + 1, states };
    const isReady: Precondition = {
      condition: Fn.alltrue(before.map(readyOf)),
      errorMessage: sentenceOf(message("wave_waits", parts)),
    };
    return {
      dependsOn: [...dependsOn, ...before],
      lifecycle: { ...lifecycle, precondition: [...(lifecycle.precondition ?? []), isReady] },
    };
  }
}

/** Whether an instance is ready, or at rest, as one that somebody stopped. */
function readyOf({ resource, status }: Instance): unknown {
  const { ready = [], other = [] } = resources.instance.states ?? {};
  const given = resource.readyStatesInput;
  const states: unknown = given === undefined ? [...ready, ...other] : Fn.concat([given, other]);
  return Fn.contains(states, status);
}

/** How many change at a time: a number, or a share of those after the canaries. */
export type WaveSize = number | `${number}%`;

/** First the canaries, then the others in waves of one size; and what is wrong with that. */
function wavesOf(
  keys: readonly string[],
  { canaries, waveSize }: Partial<InstanceFleetProps>,
): { readonly waves: InstanceFleet["waves"]; readonly faults: readonly Message[] } {
  const first = canaries ?? keys.slice(0, 1);
  const unknown = first.filter((key) => !keys.includes(key));
  const others = keys.filter((key) => !first.includes(key));
  const size = sizeOf(others.length, waveSize);
  const isWithout = first.length === 0 && keys.length > 0;
  const faults = [
    ...(isWithout ? [message("canary_missing", {}, { path: ["canaries"] })] : []),
    ...unknown.map((id) => message("canary_unknown", { id, known: keys }, { path: ["canaries"] })),
    ...(size === undefined ? [message("wave_size", {}, { path: ["waveSize"] })] : []),
  ];
  const waves = [keys.filter((key) => first.includes(key)), ...chunks(others, size ?? 1)];
  return { waves: waves.filter(({ length }) => length > 0), faults };
}

/** At least one; undefined for what is neither a number of members nor a share of them. */
function sizeOf(count: number, given: WaveSize | undefined): number | undefined {
  if (given === undefined) return Math.max(1, count);
  if (typeof given === "number") return Number.isInteger(given) && given > 0 ? given : undefined;
  const share = /^\d{1,3}(?:\.\d+)?%$/.test(given) ? Number.parseFloat(given) : 0;
  return share > 0 && share <= 100 ? Math.max(1, Math.ceil((count * share) / 100)) : undefined;
}

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
