/**
 * The engine: what every face calls. It knows no host: values are plain, unknown ones are
 * `UNKNOWN`, secrets are marked by the definitions.
 */
import { walkQuery, type CallOptions, type FetchPage } from "../client";
import type { AuthView, Contract, ResourceName, ServiceRecord, Values } from "../contract";
import { kinds, type Kind } from "../resources";
import { AccountGuard, accountRefusal, movesOnly } from "./plan/account";
import { IdGuard } from "./ids";
import { MassGuard } from "./service/mass";
import { plannedNames } from "./evidence/names";
import { NamesGuard } from "./planned-names";
import { RotatorGuard } from "./rotators";
import { ServiceTime } from "./service/time";
import { secretsOf } from "./journal/signature";
import { Intents } from "./journal/journal";
import { backupNow, type BackupOrder } from "./verbs/backup-now";
import { create } from "./verbs/create";
import { remove } from "./verbs/delete";
import { adopt, importObject, plannedAdoption } from "./verbs/import";
import { assertThere, holds } from "./service/move";
import { read } from "./verbs/read";
import { update } from "./verbs/update";
import { listObjects, type Listed, type ListOptions } from "./lookup/listed";
import { Lookups } from "./lookup/lookups";
import type { Machine } from "./machine";
import { Operation } from "./operation";
import { check } from "./plan/check";
import type { Planning } from "./plan/planner";
import { diff } from "./plan/diff";
import { plannedCreate, plannedDelete, plannedUpdate } from "./plan/planned";
import { Rights, type Planned } from "./plan/rights";
import { engineDefaults, unfinishedAtFormer, type EngineParts } from "./parts";
import { preflight } from "./service/preflight";
import { ScopeGuard } from "./evidence/scope-guard";
import { PlanNote } from "./journal/plan-note";
import { claimHeldKey, claimNamedKey } from "./verbs/rotator";
import type {
  Checked,
  Deleted,
  Diff,
  Identity,
  OperationOptions,
  PlannedDelete,
  Foreseen,
  ReadResult,
  Replacement,
  Result,
  State,
  StateAccount,
} from "./types";

export class Engine implements Planning {
  private readonly machine: Machine;
  private readonly lookups: Lookups;
  /** The machine's own key follows a self-rotation. */
  private readonly firstKey: string;

  constructor(parts: EngineParts) {
    this.firstKey = parts.apiKey;
    const options = { ...engineDefaults, ...parts.options };
    const ids = new IdGuard();
    const secrets = async () => secretsOf(this.machine.apiKey, await parts.userKey());
    const { intentsFolder: folder, processes, host: run } = parts;
    const account = new AccountGuard({
      ...parts.places,
      core: parts.core,
      warn: parts.warn,
      unfinished: () => unfinishedAtFormer(parts, secrets),
    });
    const core = account.guarded();
    this.lookups = new Lookups(core);
    const { clock } = parts;
    const place = { folder, processes, secrets, clock };
    const note = run === undefined ? undefined : new PlanNote({ ...place, run });
    const intents = new Intents({ ...place, account: parts.core.account }, parts.warn);
    this.machine = {
      core,
      account,
      clock,
      options,
      intents,
      ids,
      scope: new ScopeGuard(ids, note, (reason) => intents.report(reason)),
      time: new ServiceTime(core, clock),
      mass: new MassGuard(options.allowMassGone, clock),
      rotators: new RotatorGuard(),
      names: new NamesGuard(),
      rights: new Rights(parts.core.contract, options.preflight),
      awaited: new Map(),
      declarations: new Map(),
      uuid: parts.uuid,
      nonce: parts.nonce,
      apiKey: parts.apiKey,
    };
  }

  /** The service as this run's configuration describes it. */
  get contract(): Contract {
    return this.machine.core.contract;
  }

  /** The kind of a name; an unknown name is a fault of the face. */
  kind(name: string): Kind {
    const kind = kinds[name];
    if (!kind) throw new Error(`there is no kind ${name}`);
    return kind;
  }

  /**
   * Checks inputs before any call. `hasState` says whether the host already has an object under
   * this identity.
   */
  check(kind: Kind, inputs: Values, identity?: Identity, hasState?: boolean): Checked {
    const { declaration } = new Operation(this.machine, kind, { identity });
    // Hosts check a replacement a second time, as if there were no object: once known stays known.
    if (hasState === true) declaration.hasState = true;
    this.machine.scope.planned();
    return claimNamedKey(this.machine.rotators, kind, check(this.contract, kind, inputs), identity);
  }

  /**
   * Makes no call and reads no clock: planning twice gives the same. Only where the state moves to
   * another address, it looks for the object there. That the host shows its state is noted, in memory
   * and by forgetting the intents that led to the object.
   * @throws EngineError where a state that moves has no object there
   */
  async diff(kind: Kind, prior: State, inputs: Values, identity?: Identity): Promise<Diff> {
    const op = new Operation(this.machine, kind, { identity });
    await assertThere(op, prior);
    // A state of another account says nothing about this one's objects.
    if (!accountRefusal(op, prior)) await op.hold(prior);
    claimHeldKey(this.machine.rotators, kind, prior, identity);
    const planned = diff(op, prior, inputs);
    const { id, private: own } = prior;
    if (!planned.replace) op.declaration.kept = { kind: kind.name, id, private: own };
    const adopted = this.machine.ids.adoptionOf(kind.name, prior);
    return { ...planned, refused: planned.refused ?? adopted };
  }

  readonly plannedCreate = plannedCreate;
  readonly plannedUpdate = plannedUpdate;

  /**
   * Whether a delete will be refused, and whether the object will be retained. Makes no call.
   * @param replacement where the delete makes room for a new object
   */
  plannedDelete(kind: Kind, prior: State, replacement?: Replacement): PlannedDelete {
    return plannedDelete(new Operation(this.machine, kind), prior, replacement);
  }

  /** What is to be said of the name of an object that is planned. Reads a list where none was read. */
  plannedNames(kind: Kind, inputs: Values, options: OperationOptions = {}): Promise<Foreseen> {
    return plannedNames(new Operation(this.machine, kind, options), inputs);
  }

  /** Notes an adoption. @throws EngineError where the host's state is known to hold the object */
  plannedAdoption(kind: Kind, reference: string, options: OperationOptions): Promise<void> {
    return plannedAdoption(new Operation(this.machine, kind, options), reference);
  }

  plannedRights(kind: Kind, planned: Planned): Foreseen {
    // What a difference says of an update is refused there.
    const does = planned === "create" || planned === "delete" ? planned : undefined;
    const refused = does && movesOnly(this.machine.account, kind.name, does);
    if (refused) return { refused, notes: [] };
    return this.machine.rights.planned(kind, planned);
  }

  /** @throws PartialFailure where the object exists and its state must be kept. */
  create(kind: Kind, inputs: Values, options: OperationOptions = {}): Promise<Result> {
    this.machine.scope.changed();
    return create(new Operation(this.machine, kind, options), inputs);
  }

  /** Takes a backup that no state holds, and waits for it. */
  backup(order: BackupOrder, options?: OperationOptions): ReturnType<typeof backupNow> {
    return backupNow(
      new Operation(this.machine, this.kind("backup"), options),
      order,
      this.lookups,
    );
  }

  read(kind: Kind, prior: State, options: OperationOptions = {}): Promise<ReadResult> {
    return read(new Operation(this.machine, kind, options), prior);
  }

  /** @throws PartialFailure where a part was done and its state must be kept. */
  update(
    kind: Kind,
    prior: State,
    inputs: Values,
    options: OperationOptions = {},
  ): Promise<Result> {
    this.machine.scope.changed();
    return update(new Operation(this.machine, kind, options), prior, inputs);
  }

  delete(kind: Kind, prior: State, options: OperationOptions = {}): Promise<Deleted> {
    this.machine.scope.changed();
    return remove(new Operation(this.machine, kind, options), prior);
  }

  /** Takes over an object by `ID` or `name=…` and brings it to the inputs. */
  adopt(
    kind: Kind,
    reference: string,
    inputs: Values,
    options: OperationOptions = {},
  ): Promise<Result> {
    return adopt(new Operation(this.machine, kind, options), reference, inputs);
  }

  /** Whose objects it sees. */
  get account(): StateAccount {
    return this.machine.account.ours;
  }

  /** Whether another engine was opened with the same key for the same address. */
  opensAs(other: Engine): boolean {
    return other.firstKey === this.firstKey && other.account.baseUrl === this.account.baseUrl;
  }

  /** By `ID` or `name=…`. */
  import(kind: Kind, reference: string, options: OperationOptions = {}): Promise<State> {
    return importObject(new Operation(this.machine, kind, options), reference);
  }

  /** Whether this account has the object of a state of another name of it; may read its list. */
  holds(kind: Kind, prior: State): Promise<boolean> {
    return holds(new Operation(this.machine, kind), prior);
  }

  /** The host showed that its state holds this object. */
  noteHeld(kind: Kind, id: string, identity?: Identity): Promise<void> {
    return new Operation(this.machine, kind, { identity }).hold({ id });
  }

  /** The host showed that it has stored what this very process created. */
  noteStored(kind: Kind, id: string): Promise<void> {
    return this.machine.intents.dropAll(kind.name, id);
  }

  /** All records that match a selection, newest first. @throws InvalidInput before any call */
  lookupList(name: ResourceName, wanted: Values, options?: CallOptions): Promise<ServiceRecord[]> {
    return this.lookups.list(name, wanted, options);
  }

  /** Pages of a list, its oldest objects first; each call asks for one. */
  lookupPages(name: ResourceName, options?: CallOptions): FetchPage {
    const { core } = this.machine;
    return core.pages(name, walkQuery(core.contract.resources[name]), options);
  }

  /** Objects that match, as imports would have them; each page is read when it is needed. */
  list(kind: Kind, wanted: Values, { limit, ...options }: ListOptions): AsyncGenerator<Listed> {
    return listObjects(new Operation(this.machine, kind, options), wanted, limit);
  }

  /** The one record that matches; none and several are errors. @throws InvalidInput before any call */
  lookupOne(name: ResourceName, wanted: Values, options?: CallOptions): Promise<ServiceRecord> {
    return this.lookups.one(name, wanted, options);
  }

  /**
   * One call before the work, unless the settings turn it off. A run on a twin, and one that moves
   * states, learn in any case whose service it is.
   * @throws ErpHostError where no other call could succeed: the key, the address, the way there
   */
  async preflight(options?: CallOptions): Promise<void> {
    const { account, core, options: settings, rights, time } = this.machine;
    await account.confirm();
    if (settings.preflight === "off") return;
    const tested = await preflight(core, options);
    if (tested === undefined) return;
    account.learn(tested.accountId);
    time.learn(tested.meta?.timestamp);
    rights.learn(tested);
  }

  lookupAuth(options?: CallOptions): Promise<AuthView> {
    return this.lookups.auth(options);
  }

  /**
   * Clean exit: the host has what was answered, and connections close. `storesLater`: the host
   * writes its state only after this.
   */
  async close({ storesLater = false }: { readonly storesLater?: boolean } = {}): Promise<void> {
    await this.machine.scope.close();
    await this.machine.intents.close(storesLater ? this.machine.clock.wallMs() : undefined);
    await this.machine.core.close();
  }
}
