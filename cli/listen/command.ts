/** `erphost listen`: webhooks of the service start a command, or a workflow on GitHub. */
import { once } from "node:events";
import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import type { Delivery } from "../../provider/client/people/webhooks";
import { maskSecrets } from "../../provider/contract";
import { visible } from "../../provider/messages";
import { isoSeconds } from "../text";
import type { World } from "../world";
import { patternsOf, secretsOf, targetOf, type ListenOptions } from "./options";
import { Queue, type Outcome } from "./queue";
import { receive } from "./receiver";
import type { Batch } from "./store";
import { nameOf, shownEvent, type Target } from "./targets";

const DAY_S = 86_400;

const HELP = `
Only events of the service start anything: the signature, the time (within 5 minutes) and the id are checked, so that a forged, an old and a repeated one do nothing. The secret is in ERPHOST_WEBHOOK_SECRET, or in a file. While one replaces another, give both, separated by a space.

A command is started without a shell. It gets its events as JSON on stdin, and ERPHOST_EVENT, ERPHOST_EVENT_ID and ERPHOST_EVENT_COUNT.

--dispatch posts a repository_dispatch of the type erphost with the token in GITHUB_TOKEN, which is checked at the start. If GitHub fails or does not answer, it is posted again, at most five times in all.

One run at a time, for at most 100 events; those that come during a run start one more after it. With --queue an event is on disk before the service is answered, and waits there for its run, over restarts. What still fails after --retry is set aside in DIR/failed, as a command gets it.

GET /health answers 200, or 503 while the last run failed or an event could not be kept: for alarms, not for a proxy, which would then send it no events. SIGTERM stops listening, waits for the run, and ends it after the grace. Put TLS in front of it.`;

const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`);
  };

/** @public The command, loaded by name. */
export const listenCommand = (world: World): Command =>
  new Command("listen")
    .description("Receive webhooks of the service, and start a command or a workflow.")
    .argument("[command...]", "What to start, after --, with its arguments.")
    .option("--host <address>", "Address to listen on.", "127.0.0.1")
    .option("--port <number>", "Port to listen on; 0 picks a free one.", whole(0, 65_535), 4_020)
    .option(
      "--on <event...>",
      "Events that start it, such as server.deleted or server.* (default: all)",
    )
    .option(
      "--debounce <seconds>",
      "How long to wait for more events before a run.",
      whole(0, 3_600),
      5,
    )
    .option(
      "--timeout <seconds>",
      "How long a run may take; it is then ended.",
      whole(1, DAY_S),
      3_600,
    )
    .option("--grace <seconds>", "How long a run may take once it is to stop.", whole(0, DAY_S), 60)
    .option(
      "--queue <dir>",
      "Folder that keeps events until their run has ended (default: in memory)",
    )
    .option("--retry <times>", "How often a run that failed is tried again.", whole(0, 1_000), 0)
    .option("--secret-file <path>", "File with the secret (default: ERPHOST_WEBHOOK_SECRET)")
    .option("--dispatch <repository>", "OWNER/NAME on GitHub, instead of a command.")
    .option("--api <url>", "Address of the forge's API.", "https://api.github.com")
    .addHelpText("after", HELP)
    .action((words: string[], options: ListenOptions) => listen(words, options, world));

async function listen(
  words: readonly string[],
  options: ListenOptions,
  world: World,
): Promise<void> {
  const secrets = secretsOf(options, world);
  const wanted = patternsOf(options.on ?? ["*"], "--on");
  const target = await targetOf(words, options, world);
  const { host, port, dispatch, api } = options;
  const { nowMs, after } = world;
  const say = (line: string): void => world.print(timed(line, world));
  const log = (line: string): void => world.report(timed(line, world));
  // Help loads no SQLite.
  const { Store } = require("./store") as typeof import("./store");
  const folder = options.queue === undefined ? undefined : resolve(world.cwd, options.queue);
  const store = new Store(folder, JSON.stringify(dispatch ? [api, dispatch] : words));
  const waiting = store.count();
  const ending = new AbortController();
  const queue = new Queue({
    ...{ store, after, nowMs, debounceMs: options.debounce * 1_000, retries: options.retry },
    run: (batch) => runOnce(batch, { target, ending: ending.signal, options, world }),
    say: log,
  });
  const accept = (received: Delivery): number => {
    const name = nameOf(received.event);
    const isWanted = wanted.some((one) => one.test(name));
    const shown = JSON.stringify(shownEvent(received));
    const kept = isWanted ? queue.add({ id: received.id, event: name, shown }) : "ignored";
    if (kept === "new" || kept === "ignored") say(`${ACCEPTED[kept]}: ${name} ${received.id}`);
    else log(`${REFUSED[kept]}: ${name} ${received.id}`);
    return kept === "full" || kept === "failed" ? 503 : 200;
  };
  const isHealthy = (): boolean => queue.isHealthy;
  try {
    const receiver = await receive({ host, port, secrets, nowMs, isHealthy, accept, log });
    say(`Listening on ${receiver.url}`);
    if (waiting > 0) say(`queue: ${waiting} events wait in ${folder}`);
    queue.begin();
    if (!world.stopped.aborted) await once(world.stopped, "abort");
    await receiver.close();
  } finally {
    const cancel = after(options.grace * 1_000, () => ending.abort());
    await queue.close();
    cancel();
  }
  say("Stopped.");
}

const ACCEPTED = { new: "event", ignored: "ignored" } as const;
const REFUSED = {
  seen: "seen before",
  full: "refused, too many events",
  failed: "refused, it cannot be kept",
} as const;

interface Running {
  readonly target: Target;
  readonly ending: AbortSignal;
  readonly options: ListenOptions;
  readonly world: World;
}

async function runOnce(
  batch: Batch,
  { target, ending, options, world }: Running,
): Promise<Outcome> {
  const late = new AbortController();
  const cancel = world.after(options.timeout * 1_000, () => late.abort());
  world.print(timed(`run: started for ${batch.events.length} events`, world));
  const { isDone, text } = await target(batch, AbortSignal.any([ending, late.signal])).catch(
    // Not its message, which may repeat variables that the command would have got.
    ({ code, name }: NodeJS.ErrnoException) => ({
      ...{ isDone: false, text: `cannot be started (${code ?? name})` },
    }),
  );
  cancel();
  const why = late.signal.aborted ? ", after its time limit" : "";
  world.print(timed(`run: ${text}${why}`, world));
  if (isDone) return "done";
  // A service manager stops the command together with its listener.
  const isStopped = options.queue !== undefined && world.stopped.aborted;
  return ending.aborted || isStopped ? "cut off" : "failed";
}

const LINE_LENGTH_MAX = 300;

/** One line with its time, without what looks like a secret: senders and forges choose parts of it. */
function timed(text: string, { nowMs }: World): string {
  const open = maskSecrets(text, "[redacted]");
  const short = open.length > LINE_LENGTH_MAX ? `${open.slice(0, LINE_LENGTH_MAX)}…` : open;
  return `${isoSeconds(nowMs())} ${visible(short)}`;
}
