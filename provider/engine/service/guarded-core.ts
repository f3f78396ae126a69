/** A client that asks before each call whether it may be made at all. */
import type { Core, FetchPage } from "../../client";
import type { Message } from "../../messages";
import { EngineError } from "../errors";

/**
 * The same client, whose every call waits until the service behind it is confirmed.
 * @param confirm rejects where it is not the one that the run is meant for
 * @param refusal why nothing of a kind may be written; undefined: it may
 */
export function guardedCore(
  core: Core,
  confirm: () => Promise<void>,
  refusal: (kind: string) => Message | undefined,
): Core {
  const written = async (kind: string): Promise<void> => {
    await confirm();
    const refused = refusal(kind);
    if (refused) throw new EngineError(refused);
  };
  const after = async <T>(ready: Promise<void>, call: () => Promise<T>): Promise<T> => {
    await ready;
    return call();
  };
  const pages =
    (fetchPage: FetchPage): FetchPage =>
    (...page) =>
      after(confirm(), () => fetchPage(...page));
  return {
    contract: core.contract,
    account: core.account,
    create: (kind, ...given) => after(written(kind), () => core.create(kind, ...given)),
    createBytes: (kind, ...given) => after(written(kind), () => core.createBytes(kind, ...given)),
    update: (kind, ...given) => after(written(kind), () => core.update(kind, ...given)),
    remove: (kind, ...given) => after(written(kind), () => core.remove(kind, ...given)),
    rotate: (...given) => after(written("api_key"), () => core.rotate(...given)),
    authTest: (...given) => after(confirm(), () => core.authTest(...given)),
    snapshot: (...given) => after(confirm(), () => core.snapshot(...given)),
    read: (...given) => after(confirm(), () => core.read(...given)),
    list: (...given) => after(confirm(), () => core.list(...given)),
    pages: (...given) => pages(core.pages(...given)),
    newest: (...given) => pages(core.newest(...given)),
    useKey: (apiKey) => core.useKey(apiKey),
    close: () => core.close(),
  };
}
