/** A `repository_dispatch` on GitHub, and whether a token may post one. */
import * as z from "zod";
import { callBytes, callJson, type Caller } from "../pipeline/forge/http";
import { ForgeError } from "../pipeline/forge/forge";
import type { World } from "../world";
import type { Target } from "./targets";

export interface Repository {
  /** `https://api.github.com`, or that of another forge with the same interface. */
  readonly api: string;
  /** `owner/name` */
  readonly name: string;
  readonly token: string;
}

export const TOKEN_VARIABLE = "GITHUB_TOKEN";
const DISPATCH_TYPE = "erphost";
/** GitHub takes ten members of a payload at most, and 64 KB. */
const PAYLOAD_EVENTS_MAX = 20;
/** With the doubled ones after it more than a minute: a forge that restarts is back by then. */
const FIRST_WAIT_MS = 5_000;

type Means = Pick<World, "after" | "env" | "nowMs">;

const callerOf = (
  { api, token }: Repository,
  { after, env, nowMs }: Means,
  ended: AbortSignal,
): Caller => ({
  name: "GitHub",
  api: api.replace(/\/$/, ""),
  headers: { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" },
  world: { after, env, nowMs, stopped: ended },
  ended,
});

/** A few attempts, for at most a few minutes. The answer to the event was given before the first. */
export const dispatchTarget =
  (repository: Repository, world: Means): Target =>
  async ({ events }, ended) => {
    const count = events.length;
    const kept = events.slice(0, PAYLOAD_EVENTS_MAX).map(({ id, event }) => ({ id, event }));
    const body = { event_type: DISPATCH_TYPE, client_payload: { events: kept, count } };
    const path = `/repos/${repository.name}/dispatches`;
    try {
      const caller = { ...callerOf(repository, world, ended), firstWaitMs: FIRST_WAIT_MS };
      await callBytes(caller, {
        ...{ method: "POST", path, body },
        // One that comes twice starts one run too many, and one that is lost starts none.
        isRepeatable: true,
      });
      return { isDone: true, text: `dispatched to ${repository.name}` };
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      const what = `${count} ${count === 1 ? "event" : "events"}`;
      return { isDone: false, text: `nothing was started for ${what}: ${error.message}` };
    }
  };

/** What tokens of GitHub's apps begin with. */
const APP = "ghs_";
const rights = z.object({ permissions: z.object({ push: z.boolean() }).optional() });

/** One call: whether the token is there for the repository. @throws Error with what to do */
export async function assertMayDispatch(repository: Repository, world: World): Promise<void> {
  const { name, token } = repository;
  const caller = callerOf(repository, world, world.stopped);
  const answer = await callJson(caller, { method: "GET", path: `/repos/${name}` }).catch(
    (error: unknown) => {
      if (!(error instanceof ForgeError)) throw error;
      const isRefused = REFUSALS.includes(error.status ?? 0);
      throw new Error(`${error.message} ${isRefused ? needOf(name) : LATER}`);
    },
  );
  // What the token's user may do. Of an app's token, which has none, it says nothing.
  const mayWrite = rights.safeParse(answer).data?.permissions?.push !== false;
  if (mayWrite || token.startsWith(APP)) return;
  throw new Error(`The token in ${TOKEN_VARIABLE} may not write to ${name}. ${needOf(name)}`);
}

const needOf = (name: string): string =>
  `${TOKEN_VARIABLE} must be a token that may write to ${name}: a fine-grained one, or an app's, needs "Contents: read and write".`;

const REFUSALS = [401, 403, 404];
const LATER = "Check --dispatch and --api, or start it again later.";
