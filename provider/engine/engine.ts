/**
 * The engine: what every face calls. It knows no host: values are plain, unknown ones are
 * `UNKNOWN`, secrets are marked by the definitions.
 */
import type { Account, CallOptions, Core } from "../client/api";
import type { AuthTest, Contract, ResourceName, ServiceRecord, Values } from "../contract";
import { kinds, type Kind } from "../resources";
import { adopt } from "./lifecycle/adopt";
import { check } from "./planning/check";
import type { Clock } from "../client/clock";
import { diff } from "./planning/diff";
import { EngineError } from "./errors";
import { IdGuard, RotatorGuard } from "./guards/guards";
import { Intents, type Processes } from "./intents/store";
import { importObject } from "./lifecycle/import";
import { create, read, update } from "./lifecycle/lifecycle";
import { lookupAuth, lookupList, lookupOne } from "./lifecycle/lookup";
import { heardOf, mention, type Machine } from "./machine";
import { Operation } from "./operation";
import { MassGuard } from "./guards/mass";
import { plannedCreate, plannedDelete, plannedUpdate } from "./planning/planned";
import { remove } from "./lifecycle/delete";
import { rotationId, rotatorOf } from "./rotation/rotation";
import { ServiceTime } from "./intents/service-time";
import type {
  Checked,
  Context,
  Deleted,
  Diff,
  EngineOptions,
  Identity,
  PlannedDelete,
  ReadResult,
  Result,
  State,
} from "./types";
import { hasUnknown } from "./planning/unknown";

export interface EngineParts {
  readonly core: Core;
  readonly clock: Clock;
  /** The key in use; intents are sealed under it. */
  readonly apiKey: string;
  readonly options?: Partial<EngineOptions>;
  /** Folder of this account's and working folder's intents. */
  readonly intentsFolder: string;
  readonly processes: Processes;
  readonly uuid: () => string;
  readonly nonce: () => Buffer;
  /** Told once where something about the engine itself is worth a warning. */
  readonly warn: (message: string) => void;
  /** How a person imports an object, in the face's own words. */
  readonly importHint?: (kind: Kind, id: string) => string;
}

const engineDefaults: EngineOptions = {
  sameName: "warn",
  allowMassGone: false,
  readMaxAgeMs: 10 * 60_000,
  timeoutMs: 20 * 60_000,
};

export class Engine {
  private readonly machine: Machine;

  constructor(parts: EngineParts) {
    const options = { ...engineDefaults, ...parts.options };
    this.machine = {
      core: parts.core,
      clock: parts.clock,
      options,
      intents: new Intents(parts.intentsFolder, parts.processes, parts.warn, () =>
        parts.clock.wallMs(),
      ),
      ids: new IdGuard(),
      time: new ServiceTime(parts.core, parts.clock),
      mass: new MassGuard(options.allowMassGone, parts.clock),
      rotators: new RotatorGuard(),
      heard: new Map(),
      uuid: parts.uuid,
      nonce: parts.nonce,
      apiKey: parts.apiKey,
      importHint: parts.importHint ?? ((kind, id) => `import ${kind.name} ${id}`),
    };
  }

  /** The service as this run's configuration describes it. */
  get contract(): Contract {
    return this.machine.core.contract;
  }

  /** The kind of a name; an unknown name is a fault of the face. */
  kind(name: string): Kind {
    const kind = kinds[name];
    if (!kind) throw new EngineError("invalid_input", `There is no kind ${name}.`);
    return kind;
  }

  /**
   * Checks inputs before any call. `hasState` says whether the host already has an object under
   * this identity.
   */
  check(kind: Kind, inputs: Values, identity?: Identity, hasState?: boolean): Checked {
    if (identity !== undefined && hasState !== undefined) {
      const heard = heardOf(this.machine, identity);
      // Hosts check a replacement a second time, as if there were no object: once known is known.
      heard.prior = heard.prior === true || hasState;
    }
    const checked = check(this.machine.core.contract, kind, inputs);
    const keyId = checked.inputs["key_id"];
    if (kind.reading.rotates !== "existing-key" || typeof keyId !== "string") return checked;
    try {
      this.machine.rotators.claim(keyId, rotatorOf({ id: rotationId(keyId) }, identity));
      return checked;
    } catch (error) {
      const message =
        error instanceof Error ? error.message.replace(/^key_id /, "") : String(error);
      return { ...checked, issues: [...checked.issues, { path: ["key_id"], message }] };
    }
  }

  /** Makes no call and reads no clock: planning twice gives the same. */
  async diff(kind: Kind, prior: State, inputs: Values, identity?: Identity): Promise<Diff> {
    await mention(this.machine, kind, prior, identity);
    this.claimKey(kind, prior, identity);
    return diff(this.machine.core.contract, this.machine.core.account, kind, prior, inputs);
  }

  /** A key that a state holds has a rotator already, be it only its own declaration. */
  private claimKey(kind: Kind, prior: State, identity: Identity): void {
    const current = prior.values["current_key_id"];
    if (kind.reading.rotates === undefined || typeof current !== "string") return;
    const by = rotatorOf(prior, identity);
    this.machine.rotators.claim(current, by);
    if (kind.reading.rotates === "own-key") this.machine.rotators.claim(prior.id, by);
  }

  plannedCreate(kind: Kind, inputs: Values): Values {
    return plannedCreate(kind, inputs);
  }

  plannedUpdate(kind: Kind, prior: State, inputs: Values, planned: Diff): Values {
    return plannedUpdate(kind, prior, inputs, planned);
  }

  /** Whether a delete will be refused, and what of the object will stay. Makes no call. */
  plannedDelete(kind: Kind, prior: State): PlannedDelete {
    return plannedDelete(this.machine.core.contract, this.machine.core.account, kind, prior);
  }

  /** @throws PartialFailure where the object exists and its state must be kept. */
  async create(kind: Kind, inputs: Values, context: Context = {}): Promise<Result> {
    assertKnown(kind, inputs);
    return create(this.operation(kind, context), inputs);
  }

  read(kind: Kind, prior: State, context: Context = {}): Promise<ReadResult> {
    return read(this.operation(kind, context), prior);
  }

  /** @throws PartialFailure where a part was done and its state must be kept. */
  async update(kind: Kind, prior: State, inputs: Values, context: Context = {}): Promise<Result> {
    assertKnown(kind, inputs);
    return update(this.operation(kind, context), prior, inputs);
  }

  delete(kind: Kind, prior: State, context: Context = {}): Promise<Deleted> {
    return remove(this.operation(kind, context), prior);
  }

  /** Takes over an object by `ID` or `name=…` and brings it to the inputs. */
  adopt(kind: Kind, reference: string, inputs: Values, context: Context = {}): Promise<Result> {
    return adopt(this.operation(kind, context), reference, inputs);
  }

  private operation(kind: Kind, context: Context): Operation {
    return new Operation(this.machine, kind, context);
  }

  /** Whose objects it sees. */
  get account(): Account {
    return this.machine.core.account;
  }

  /** By `ID` or `name=…`. */
  import(kind: Kind, reference: string, context: Context = {}): Promise<State> {
    return importObject(this.operation(kind, context), reference);
  }

  /** A state that the host stores mentions its id: intents that led to it are done with. */
  mention(kind: Kind, id: string, identity?: Identity): Promise<void> {
    return mention(this.machine, kind, { id }, identity);
  }

  /** The host shows that it has stored what this very process created. */
  stored(kind: Kind, id: string): Promise<void> {
    return this.machine.intents.settle(kind.name, id);
  }

  lookupList(name: ResourceName, query: Values, options?: CallOptions): Promise<ServiceRecord[]> {
    return lookupList(this.machine, name, query, options);
  }

  lookupOne(
    name: ResourceName,
    by: { readonly id?: unknown; readonly name?: unknown },
    options?: CallOptions,
  ): Promise<ServiceRecord> {
    return lookupOne(this.machine, name, by, options);
  }

  lookupAuth(options?: CallOptions): Promise<AuthTest> {
    return lookupAuth(this.machine, options);
  }

  /**
   * Orderly end: what was answered is in the host's hands, and connections close. `storesLater`:
   * the host writes its state only after this.
   */
  async close({ storesLater = false }: { readonly storesLater?: boolean } = {}): Promise<void> {
    await this.machine.intents.close(storesLater ? this.machine.clock.wallMs() : undefined);
    await this.machine.core.close();
  }
}

function assertKnown(kind: Kind, inputs: Values): void {
  if (!hasUnknown(inputs)) return;
  throw new EngineError("invalid_input", `${kind.name}: an input is still unknown.`);
}
