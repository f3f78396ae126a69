/** `erphost listen`: webhooks of the service start a command, or a workflow on GitHub. */
import { Command, InvalidArgumentError } from "commander";
import { InvalidInput } from "../../provider";
import { verifyWebhook } from "../../provider/client/people/webhooks";
import { issueAt, maskSecrets } from "../../provider/contract";
import { visible } from "../../provider/messages";
import type { World } from "../world";
import { assertMayDispatch, dispatchTarget, TOKEN_VARIABLE } from "./dispatch";
import { Queue, type Batch, type Received } from "./queue";
import { receive } from "./receiver";
import { commandTarget, nameOf, type Target } from "./targets";

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly on?: readonly string[];
  readonly debounce: number;
  readonly timeout: number;
  readonly grace: number;
  readonly secretFile?: string;
  readonly dispatch?: string;
  readonly api: string;
}

const SECRET_VARIABLE = "ERPHOST_WEBHOOK_SECRET";
const DAY_S = 86_400;

const HELP = `
Only events of the service start anything: the signature, the time (within 5 minutes) and the id are
checked, so that a forged, an old and a repeated one do nothing. The secret is in ${SECRET_VARIABLE}, or
in a file. While one replaces another, give both, separated by a space.

A command is started without a shell. It gets its events as JSON on stdin, and ERPHOST_EVENT,
ERPHOST_EVENT_ID and ERPHOST_EVENT_COUNT.

--dispatch posts a repository_dispatch of the type erphost with the token in ${TOKEN_VARIABLE}, which is
checked at the start. If GitHub fails or does not answer, it is posted again, at most five times in all.

One run at a time: events that come during a run start one more after it. GET /health answers 200.
SIGTERM stops listening, waits for the run, and ends it after the grace. Put TLS in front of it.

Examples:
  erphost listen --on "server.*" -- ./plan.sh
  erphost listen --on server.deleted --dispatch acme/infra

Exit codes: 0 stopped, 1 failure, 2 invalid input.`;

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
    .option("--secret-file <path>", `File with the secret (default: ${SECRET_VARIABLE})`)
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
  assertUsable(secrets);
  const target = await targetOf(words, options, world);
  const wanted = (options.on ?? ["*"]).map(pattern);
  const ending = new AbortController();
  const queue = new Queue({
    debounceMs: options.debounce * 1_000,
    after: world.after,
    run: (batch) => runOnce(batch, { target, ending: ending.signal, options, world }),
  });
  const accept = (received: Received): void => {
    const name = nameOf(received.event);
    const isWanted = wanted.some((one) => one.test(name));
    world.print(logged(`${isWanted ? "event" : "ignored"}: ${name} ${received.id}`));
    if (isWanted) queue.add(received);
  };
  const { host, port } = options;
  const { nowMs } = world;
  const log = (line: string): void => world.report(logged(line));
  const receiver = await receive({ host, port, secrets, nowMs, accept, log });
  world.print(`Listening on ${receiver.url}`);
  await stopped(world);
  await receiver.close();
  const cancel = world.after(options.grace * 1_000, () => ending.abort());
  await queue.close();
  cancel();
  world.print("Stopped.");
}

const stopped = ({ stopped: signal }: World): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

interface Running {
  readonly target: Target;
  readonly ending: AbortSignal;
  readonly options: ListenOptions;
  readonly world: World;
}

async function runOnce(batch: Batch, { target, ending, options, world }: Running): Promise<void> {
  const late = new AbortController();
  const cancel = world.after(options.timeout * 1_000, () => late.abort());
  world.print(`run: started for ${batch.events.length + batch.leftOut} events`);
  const outcome = await target(batch, AbortSignal.any([ending, late.signal])).catch(
    // Not its message, which may repeat variables that the command would have got.
    (error: NodeJS.ErrnoException) => `cannot be started (${error.code ?? error.name})`,
  );
  cancel();
  world.print(logged(`run: ${outcome}${late.signal.aborted ? ", after its time limit" : ""}`));
}

const LINE_LENGTH_MAX = 300;

/** One line, without what looks like a secret: senders and forges choose parts of it. */
function logged(text: string): string {
  const open = maskSecrets(text, "[redacted]");
  return visible(open.length > LINE_LENGTH_MAX ? `${open.slice(0, LINE_LENGTH_MAX)}…` : open);
}

/** `server.*` as a pattern for whole names. */
const pattern = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .split("*")
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*")}$`,
  );

/** @throws InvalidInput where there is none */
function secretsOf({ secretFile }: ListenOptions, world: World): string[] {
  const text =
    secretFile === undefined ? (world.env[SECRET_VARIABLE] ?? "") : read(secretFile, world);
  const secrets = text.split(/\s+/).filter((one) => one !== "");
  if (secrets.length > 0) return secrets;
  const place = secretFile === undefined ? SECRET_VARIABLE : "--secret-file";
  throw new InvalidInput("listen", [issueAt([place], "webhook_no_secret", {})]);
}

/** @throws InvalidInput where a secret would prove nothing */
function assertUsable(secrets: readonly string[]): void {
  try {
    verifyWebhook({ body: "", headers: {}, secrets, nowMs: 0 });
  } catch (error) {
    // Nothing was sent that could be genuine; what is wrong with the secrets comes first.
    if (error instanceof InvalidInput) throw error;
  }
}

function read(path: string, world: World): string {
  try {
    return world.readFile(path);
  } catch {
    throw refusal("--secret-file", "cannot be read");
  }
}

const refusal = (path: string, text: string): InvalidInput =>
  new InvalidInput("listen", [issueAt([path], "stated", { text })]);

async function targetOf(
  words: readonly string[],
  options: ListenOptions,
  world: World,
): Promise<Target> {
  const { dispatch, api } = options;
  if (words.length > 0 === (dispatch !== undefined)) {
    throw refusal("command", "must be given after --, or --dispatch in its place");
  }
  if (dispatch === undefined) return commandTarget(words, world.env, world.after);
  if (!/^[\w.-]+\/[\w.-]+$/.test(dispatch)) throw refusal("--dispatch", "must be OWNER/NAME");
  // A token over plain HTTP could be read on the way; on this machine there is none.
  if (!/^https:\/\/|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::|\/|$)/.test(api)) {
    throw refusal("--api", "must be an https address");
  }
  const token = world.env[TOKEN_VARIABLE] ?? "";
  if (token === "") throw refusal(TOKEN_VARIABLE, "must be set for --dispatch");
  const repository = { api, name: dispatch, token };
  // Events are answered before their dispatch is: one that can never be posted would be lost in silence.
  await assertMayDispatch(repository, world);
  return dispatchTarget(repository, world);
}
