/** The client as the engine uses it: reads and writes over one way to the service. */
import type { Contract } from "../contract";
import type { Account, CallOptions, Core } from "./api";
import { Reads, type AuthTested } from "./calls/reads";
import { Service } from "./calls/service";
import { Writes } from "./calls/writes";
import type { Injectables } from "./settings/system";
import type { Configuration } from "./settings/read";

/** What the engine's interface leaves out and `ErpHost` needs. */
export interface ClientCore extends Core {
  authTest(options?: CallOptions): Promise<AuthTested>;
}

/** Makes a core. It makes no call before it is asked to. */
export const createCore = (configuration: Configuration, injectables: Injectables): ClientCore =>
  new CallingCore(configuration, injectables);

class CallingCore implements ClientCore {
  readonly contract: Contract;
  readonly account: Account;
  private readonly service: Service;
  private readonly reads: Reads;
  private readonly writes: Writes;

  constructor(configuration: Configuration, injectables: Injectables) {
    this.contract = configuration.contract;
    this.account = configuration.account;
    this.service = new Service(configuration, injectables);
    this.reads = new Reads(this.service);
    this.writes = new Writes(this.service, injectables.uuid);
  }

  readonly create: Core["create"] = (...given) => this.writes.create(...given);
  readonly createBytes: Core["createBytes"] = (...given) => this.writes.createBytes(...given);
  readonly update: Core["update"] = (...given) => this.writes.update(...given);
  readonly remove: Core["remove"] = (...given) => this.writes.remove(...given);
  readonly rotate: Core["rotate"] = (...given) => this.writes.rotate(...given);

  readonly authTest: ClientCore["authTest"] = (...given) => this.reads.authTest(...given);
  readonly snapshot: Core["snapshot"] = (...given) => this.reads.snapshot(...given);
  readonly read: Core["read"] = (...given) => this.reads.read(...given);
  readonly list: Core["list"] = (...given) => this.reads.list(...given);
  readonly pages: ClientCore["pages"] = (...given) => this.reads.pages(...given);
  readonly newest: Core["newest"] = (...given) => this.reads.newest(...given);

  useKey(apiKey: string): void {
    this.service.chain.useKey(apiKey);
  }

  close(): Promise<void> {
    return this.service.chain.close();
  }
}
