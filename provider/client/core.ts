/** The client as the engine uses it: reads and writes over one way to the service. */
import type { CallOptions, Core } from "./api";
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
export function createCore(configuration: Configuration, injectables: Injectables): ClientCore {
  const service = new Service(configuration, injectables);
  const reads = new Reads(service);
  const writes = new Writes(service, injectables.uuid);
  return {
    contract: configuration.contract,
    account: configuration.account,
    create: (...given) => writes.create(...given),
    createBytes: (...given) => writes.createBytes(...given),
    update: (...given) => writes.update(...given),
    remove: (...given) => writes.remove(...given),
    rotate: (...given) => writes.rotate(...given),
    authTest: (...given) => reads.authTest(...given),
    snapshot: (...given) => reads.snapshot(...given),
    read: (...given) => reads.read(...given),
    list: (...given) => reads.list(...given),
    pages: (...given) => reads.pages(...given),
    newest: (...given) => reads.newest(...given),
    useKey: (apiKey) => service.chain.useKey(apiKey),
    close: () => service.chain.close(),
  };
}
