/** Deleting one object for good, noted on disk so that a run after a kill expects its absence. */
import { engineError } from "../errors";
import type { Operation, Served } from "../service/operation";
import { attempt } from "./attempt";

const TRIES_MAX = 2;

/**
 * A service that does not find the object may be wrong: where lists still show it, it is deleted
 * again.
 * @throws EngineError `not_deleted`
 */
export const removeOnce = (op: Operation<Served>, id: string): Promise<void> =>
  attempt<void>(op, {
    about: { operation: "delete", target: id, bodyHash: "" },
    keys: () => "",
    linksMax: 1,
    ask: async () => {
      const listed = op.resource.operations.list !== undefined;
      const done = { is: "done", id, found: undefined } as const;
      for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
        const outcome = await op.core.remove(op.kind.resource, id, op.calls);
        if (outcome === "deleted" || !listed) return done;
        const options = { expectGone: true, ...op.calls };
        const now = await op.core.read(op.kind.resource, id, options);
        if (now.state === "gone") return done;
      }
      throw engineError("not_deleted", { subject: op.subject(id) });
    },
  });
