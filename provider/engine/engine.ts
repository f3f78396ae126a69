/** What every face calls. It knows no host: values are plain, unknown ones are `UNKNOWN`. */
import { walkQuery, type CallOptions, type Clock, type Core, type FetchPage } from "../client";
import type { Contract, ResourceName, Values } from "../contract";
import type { Message } from "../messages";
import { kinds, type Kind } from "../resources";
import { Journal } from "./journal/journal";
import type { Signing } from "./journal/ours";
import { PlanNote } from "./journal/plan-note";
import type { Processes } from "./journal/processes";
import { Ledger } from "./ledger";
import { listObjects, type Listed, type ListOptions } from "./lookup/listed";
import { Lookups } from "./lookup/lookups";
import type { Planning, Seen, Shown } from "./plan/seen";
import { AccountGuard, preflight, type Places } from "./service/account-guard";
import { MassGuard } from "./service/mass";
import { isFirst, Operation, type Run } from "./service/operation";
import { hasObject } from "./service/reading";
import { HostStates } from "./service/states";
import { AskedTime } from "./values/time";
import { backupNow, type BackupOrder } from "./verbs/backup";
import { create } from "./verbs/create";
import { remove } from "./verbs/delete";
import { adopt, importObject } from "./verbs/import";
import { observe } from "./verbs/observe";
import { read } from "./verbs/read";
import { update } from "./verbs/update";
import type { Deleted, EngineOptions, Identity, OperationOptions, Advice, Findings } from "./types";
import type { ReadResult, Result, State, StateAccount } from "./types";

export interface EngineParts {
  readonly core: Core;
  readonly clock: Clock;
  /** The key in use; intents are sealed under it and signed with it. */
  readonly apiKey: string;
  /** This user's own key on this machine, with which intents are signed too; undefined for none. */
  readonly userKey: () => Promise<Buffer | undefined>;
  readonly options?: Partial<EngineOptions>;
  /** Other places whose states it takes; default none. */
  readonly places?: Places;
  /** The folder of intents of the account and working folder, at this address or a former one. */
  readonly intentsAt: (baseUrl: string) => string;
  readonly processes: Processes;
  /** The host's own process, where it plans and applies in different ones of its children. */
  readonly host?: string | undefined;
  readonly uuid: () => string;
  readonly random: (bytes: number) => Buffer;
  readonly warn: (message: Message) => void;
}

const DEFAULTS: EngineOptions = {
  resume: false,
  sameName: "warn",
  allowMassGone: false,
  allowDelete: [],
  preflight: "warn",
  readMaxAgeMs: 10 * 60_000,
  timeoutMs: 20 * 60_000,
};

export class Engine implements Planning {
  private readonly run: Run;
  private readonly planNote: PlanNote | undefined;
  readonly lookups: Lookups;

  constructor(private readonly parts: EngineParts) {
    const settings = { ...DEFAULTS, ...parts.options };
    const secrets = async () => [this.run.key.secret, await parts.userKey()];
    const { clock, processes, host, places, uuid, random } = parts;
    const guard = new AccountGuard({
      ...places,
      core: parts.core,
      warn: parts.warn,
      unfinished: (former) => unfinishedAt(former, parts, secrets),
    });
    const core = guard.guarded();
    this.lookups = new Lookups(core);
    const folder = parts.intentsAt(core.account.baseUrl);
    const place = { folder, processes, secrets, clock };
    const ledger = new Ledger();
    const journal = new Journal({ ...place, account: parts.core.account }, parts.warn);
    this.planNote = host === undefined ? undefined : new PlanNote({ ...place, run: host });
    this.run = {
      ...{ core, guard, clock, settings, ledger, journal, uuid, random },
      contract: core.contract,
      former: places?.formerBaseUrl,
      isAccountsPlace: places?.isAccountsPlace,
      allowDelete: settings.allowDelete,
      states: new HostStates(ledger, journal, this.planNote),
      time: new AskedTime(core, clock),
      mass: new MassGuard(settings.allowMassGone, clock, ledger),
      lists: new Map(),
      turns: new Map(),
      backups: new Map(),
      said: new Set(),
      key: { secret: parts.apiKey },
    };
  }

  get contract(): Contract {
    return this.run.contract;
  }

  /** The kind of a name; an unknown name is a fault of the face. */
  kind(name: string): Kind {
    const kind = kinds[name];
    if (!kind) throw new Error(`there is no kind ${name}`);
    return kind;
  }

  observe<N extends boolean = false>(
    kind: Kind,
    shown: Shown<N>,
    options?: OperationOptions,
  ): Promise<Seen<NoInfer<N>>> {
    const { identity, replaces } = shown;
    const more = { ...(identity !== undefined && { identity }), ...(replaces && { replaces }) };
    return observe(new Operation(this.run, kind, { ...options, ...more }), shown);
  }

  tell({ refusals, notes, about, namesakes }: Findings): Advice {
    const isNew = (said: Message): boolean => {
      const once = onceOf(said, about);
      return once === undefined || isFirst(this.run.said, once);
    };
    const noted = notes.filter(isNew);
    const [refused, ...others] = refusals.filter(isNew);
    return { refused, notes: [...noted, ...others], ...(namesakes && { namesakes }) };
  }

  /** @throws PartialFailure where the object exists and its state must be kept. */
  create(kind: Kind, inputs: Values, options?: OperationOptions): Promise<Result> {
    this.run.ledger.note({ is: "changed" });
    return create(new Operation(this.run, kind, options), inputs);
  }

  /** Takes a backup that no state holds, and waits for it. */
  backup(order: BackupOrder, options?: OperationOptions): ReturnType<typeof backupNow> {
    const op = new Operation(this.run, this.kind("backup"), options);
    const find = async (of: BackupOrder["of"], name: string | undefined) =>
      (await this.lookups.one(of, { name }, op.calls)).id;
    return backupNow(op, order, find);
  }

  read(kind: Kind, prior: State, options?: OperationOptions): Promise<ReadResult> {
    return read(new Operation(this.run, kind, options), prior);
  }

  /** @throws PartialFailure where a part was done and its state must be kept. */
  update(kind: Kind, prior: State, inputs: Values, options?: OperationOptions): Promise<Result> {
    this.run.ledger.note({ is: "changed" });
    return update(new Operation(this.run, kind, options), prior, inputs);
  }

  delete(kind: Kind, prior: State, options?: OperationOptions): Promise<Deleted> {
    this.run.ledger.note({ is: "changed" });
    return remove(new Operation(this.run, kind, options), prior);
  }

  /** Takes over an object by `ID` or `name=…` and brings it to the inputs. */
  adopt(
    kind: Kind,
    reference: string,
    inputs: Values,
    options: OperationOptions = {},
  ): Promise<Result> {
    return adopt(new Operation(this.run, kind, options), reference, inputs);
  }

  get account(): StateAccount {
    return this.run.guard.ours;
  }

  /** Whether another engine was opened with the same key for the same address, rotated since or not. */
  opensAs(other: Engine): boolean {
    const { apiKey, core } = this.parts;
    return other.parts.apiKey === apiKey && other.account.baseUrl === core.account.baseUrl;
  }

  /** By `ID` or `name=…`. */
  import(kind: Kind, reference: string, options?: OperationOptions): Promise<State> {
    return importObject(new Operation(this.run, kind, options), reference);
  }

  /** Whether this account has the object of a state of another name of it; may read its list. */
  hasObject(kind: Kind, prior: State): Promise<boolean> {
    return hasObject(new Operation(this.run, kind), prior);
  }

  noteInState(kind: Kind, id: string, identity?: Identity): Promise<void> {
    return new Operation(this.run, kind, { identity }).seeState({ id });
  }

  /** The host showed that it has stored what this very process created. */
  noteStored(kind: Kind, id: string): Promise<void> {
    return this.run.journal.dropAll(kind.name, id);
  }

  /** Pages of a list, its oldest objects first; each call asks for one. */
  lookupPages(name: ResourceName, options?: CallOptions): FetchPage {
    const { core } = this.run;
    return core.pages(name, walkQuery(core.contract.resources[name]), options);
  }

  list(kind: Kind, wanted: Values, { limit, ...options }: ListOptions): AsyncGenerator<Listed> {
    return listObjects(new Operation(this.run, kind, options), wanted, limit);
  }

  /**
   * One call before the work, unless the settings turn it off. A run on a twin, and one that moves
   * states, learn in any case whose service it is.
   * @throws ErpHostError where no other call could succeed: the key, the address, the way there
   */
  async preflight(options?: CallOptions): Promise<void> {
    const { guard, core, settings, time, key } = this.run;
    await guard.confirm();
    if (settings.preflight === "off") return;
    const tested = await preflight(core, options);
    if (tested === undefined) return;
    guard.learn(tested.accountId);
    time.learn(tested.meta?.timestamp);
    key.rights = tested;
  }

  /**
   * Clean exit: the host has what was answered; with `storesLater`, it stores that only after. Without
   * `takesBack`, what it created and did not store is refused to the next run, not given.
   */
  async close({ storesLater = false, takesBack = true } = {}): Promise<void> {
    const { ledger, journal, clock, core } = this.run;
    // Leaves what this process saw for the one that applies.
    if (ledger.isPlanOnly) await this.planNote?.write(ledger.idsInState());
    await journal.close(storesLater ? clock.wallMs() : undefined, takesBack);
    await core.close();
  }
}

/** What is said once in a run: each scope with the action that met it first, and what a name meets. */
function onceOf({ code, parts, subject }: Message, about: string | undefined): string | undefined {
  // The code says which parts it has.
  if (code === "not_permitted") return `scope ${(parts as { scope: string }).scope}`;
  if (code === "left_unfinished") return `${code} ${subject?.kind}`;
  return about === undefined ? undefined : `${code} ${about}`;
}

/** What interrupted runs left unfinished at a former address, where only they can be followed. */
async function unfinishedAt(
  baseUrl: string,
  { intentsAt, core, processes, clock, warn }: EngineParts,
  secrets: Signing["secrets"],
): Promise<{ readonly count: number; readonly folder: string }> {
  const folder = intentsAt(baseUrl);
  const account = { ...core.account, baseUrl };
  const journal = new Journal({ folder, processes, account, clock, secrets }, warn);
  const { intents, unread } = await journal.list();
  return { count: intents.length + unread.length, folder };
}
