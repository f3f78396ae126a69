/** What events start, and how a command is started for them. */
import type { Delivery, WebhookEvent } from "../../provider/client/people/webhooks";
import { isDeeper, openProperties } from "../../provider/contract";
import { LEVELS_MAX } from "../account/depth";
import { runChild } from "../child";
import type { Batch } from "./store";

/** What became of a batch, in a few words. */
export interface Ended {
  readonly isDone: boolean;
  readonly text: string;
}

/** Starts something for a batch. Rejected: nothing was started. */
export type Target = (batch: Batch, ended: AbortSignal) => Promise<Ended>;

/** Variables that a command does not get. */
const OWN = ["ERPHOST_WEBHOOK_SECRET", "GITHUB_TOKEN"];
const KILL_MS = 5_000;
/** How often it is looked whether all that it started has ended. */
const LOOK_MS = 50;

/** The command and its words, without a shell. Its events are JSON on stdin. */
export const commandTarget =
  (
    [program = "", ...words]: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
    after: (ms: number, work: () => void) => () => void,
  ): Target =>
  async (batch, ended) => {
    let isLeft = (): boolean => false;
    let cancel = (): void => undefined;
    const { code, signal, fault } = await runChild({
      ...{ program, words, env: { ...without(env, OWN), ...variablesOf(batch) } },
      input: `{"events":[${batch.events.map(({ shown }) => shown).join(",")}]}`,
      stopped: ended,
      // All that it started, so that nothing of it is left.
      stop(kill) {
        kill("SIGTERM", "group");
        isLeft = () => kill(0, "group");
        cancel = after(KILL_MS, () => {
          isLeft = () => false;
          kill("SIGKILL", "group");
        });
      },
    });
    // A shell ends at once, and what it started may finish its work until it is killed.
    while (isLeft()) await new Promise<void>((resolve) => after(LOOK_MS, resolve));
    cancel();
    if (fault !== undefined) return { isDone: false, text: `cannot be started (${fault})` };
    return { isDone: code === 0, text: `ended with ${code ?? signal ?? "nothing"}` };
  };

const without = (env: Readonly<Record<string, string | undefined>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));

const variablesOf = ({ events }: Batch): Record<string, string> => ({
  ERPHOST_EVENT: events[0]?.event ?? "",
  ERPHOST_EVENT_ID: events[0]?.id ?? "",
  ERPHOST_EVENT_COUNT: String(events.length),
});

/** The service's name of an event, whether this release knows it or not. */
export const nameOf = (event: WebhookEvent): string =>
  event.event === "unknown" ? event.name : event.event;

/** Of words, as the contract's are. A program and a log get it. */
const NAME = /^[\w-]+(?:\.[\w-]+)*$/;
const NAME_LENGTH_MAX = 128;

/** Why nothing can be started for an event, although it is genuine. Undefined: something can. */
export function faultOf(event: WebhookEvent): string | undefined {
  const name = nameOf(event);
  if (name.length > NAME_LENGTH_MAX || !NAME.test(name)) return "has a name that is not an event's";
  if (isDeeper(event.data, LEVELS_MAX)) return `is nested more than ${LEVELS_MAX} levels deep`;
  return undefined;
}

/** What a run is shown of an event, and what is kept of it: no field that holds what looks like a secret. */
export const shownEvent = ({ id, event }: Delivery) => ({
  id,
  event: nameOf(event),
  timestamp: event.timestamp,
  data: openProperties(event.data) ?? {},
});
