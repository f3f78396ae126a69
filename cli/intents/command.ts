/** `erphost intents`: shows and clears what interrupted runs left behind. */
import { Command } from "commander";
import { hasCode, type Configuration } from "../../provider";
import { kinds } from "../../provider/resources";
import { mayHaveMade, type IntentEntry, type Unread } from "../../provider/engine";
import { noun, visible } from "../../provider/messages";
import { calling, configurationOf, withAccount, withEngine, type AccountOptions } from "../account";
import { adviceFor, subjectOf, type Seen } from "./advice";
import { fault, leftIntent, leftIntents, type LeftIntent } from "./store";
import { columns, duration, isoSeconds } from "../text";
import { errorText } from "../voice";
import { Exit, type World } from "../world";

interface Json {
  readonly json?: boolean;
}
interface ResolveOptions extends AccountOptions, Json {
  readonly object?: string;
}

interface DropOptions {
  readonly force?: boolean;
}

const HELP = `
Every create and rotation is noted on disk before it is sent. An interrupted run leaves its
note behind, and the next run uses it to find the object; usually there is nothing to do here.`;

const ID_HELP = "Id of the intent, or its first characters.";

/** @public The command, loaded by name. */
export function intentsCommand(world: World): Command {
  const command = new Command("intents")
    .description("Show and clear what interrupted runs left behind.")
    .addHelpText("after", HELP);
  command
    .command("list")
    .description("List the unfinished creates and rotations of processes that no longer run.")
    .option("--json", "Print one JSON array, for scripts.")
    .action((options: Json) => list(options, world));
  command
    .command("drop")
    .description("Forget an intent; changes nothing in the service.")
    .argument("<id>", ID_HELP)
    .option(
      "--force",
      "Drop it even if nothing shows whose it is, because ERPHOST_API_KEY is not set.",
    )
    .action((id: string, options: DropOptions) => drop(id, options, world));
  withAccount(command.command("resolve"))
    .description("Look up in the service what became of an intent, and say what to do.")
    .argument("<id>", ID_HELP)
    .option("--object <id>", "Record that it created this object, which the next run then adopts.")
    .option("--json", "Print one JSON object, for scripts.")
    .action((id: string, options: ResolveOptions) => resolve(id, options, world));
  return command;
}

/** What may be shown: neither the body nor the idempotency key. */
const intentJson = ({ intent: { entry, foreign }, unchecked }: LeftIntent) => ({
  id: entry.id,
  operation: entry.operation,
  kind: entry.kind,
  name: entry.name ?? null,
  target: entry.target ?? null,
  identity: entry.identity ?? null,
  answer: entry.answer ?? null,
  begun: isoSeconds(entry.time),
  account: entry.account,
  /** Null where it can't be checked. */
  foreign: unchecked ? null : foreign === true,
});

/** Nothing but its file is known of it. */
const unreadJson = ({ id, file }: Unread) => ({
  id,
  ...Object.fromEntries(UNKNOWN.map((name) => [name, null])),
  unread: file,
});
const UNKNOWN = "operation kind name target identity answer begun account foreign".split(" ");
const FOREIGN = "not ours, never followed";
const UNREAD = "not read, stops creates, rotations and deletes";
const UNCHECKED = "cannot be checked: set ERPHOST_API_KEY";

async function list({ json }: Json, world: World): Promise<void> {
  const { intents, unread, incomplete } = await leftIntents(world);
  if (json === true) {
    world.print(JSON.stringify([...intents.map(intentJson), ...unread.map(unreadJson)], null, 2));
    // A script need not read what was reported.
    if (incomplete) throw new Exit(1);
    return;
  }
  if (intents.length + unread.length === 0) {
    if (!incomplete) world.print("No interrupted run has left anything behind.");
    return;
  }
  const rows = intents.map(({ intent: { entry, foreign, file }, unchecked }) => [
    entry.id,
    entry.operation,
    ...(foreign
      ? [noun(entry.kind), "–", "–", unchecked ? UNCHECKED : FOREIGN, file]
      : [
          subjectOf(entry),
          duration(world.nowMs() - entry.time),
          entry.answer ?? "–",
          `${entry.account.environment} ${entry.account.baseUrl}`,
          entry.identity ?? "–",
        ]),
  ]);
  for (const { id, file } of unread) rows.push([id, "–", "–", "–", "–", UNREAD, file]);
  const head = ["ID", "OPERATION", "OBJECT", "AGE", "ANSWER", "ACCOUNT", "DECLARED AS"];
  for (const line of columns([head, ...rows])) world.print(line);
}

async function drop(id: string, { force }: DropOptions, world: World): Promise<void> {
  const { intent, store, unchecked, reread } = await leftIntent(id, world);
  const { entry, file, foreign } = intent;
  if (unchecked && force !== true) {
    throw fault(
      entry.id,
      `cannot be checked without an API key, and may lead to an object of an interrupted run: ${file}`,
      "Set ERPHOST_API_KEY to the key of the run that wrote it, or use --force.",
    );
  }
  await store.drop(intent);
  if (await reread()) throw unwritten("dropped", file);
  if (unchecked) return world.print(`Deleted ${file}, which was not checked.`);
  if (foreign) return world.print(`Deleted ${file}, which was never followed.`);
  const answer = entry.answer === undefined ? "not answered" : `answered ${entry.answer}`;
  world.print(`Dropped the ${entry.operation} of ${subjectOf(entry)} (${answer}).`);
}

async function resolve(id: string, options: ResolveOptions, world: World): Promise<void> {
  const left = await leftIntent(id, world);
  const { entry } = left.intent;
  assertOurs(left);
  const configuration = configurationOf(options, world);
  assertSameAccount(entry, configuration);
  const { object } = options;
  if (object !== undefined && entry.operation !== "create") {
    const message = "applies to creates only; the next run repeats a rotation by itself";
    throw fault("object", message, "Nothing was recorded.");
  }
  const seen = await look(entry, options, world);
  if (object !== undefined) {
    assertCreated(entry, object, seen, configuration);
    await record(left, object);
    return world.print(
      options.json === true
        ? JSON.stringify({ ...intentJson(left), answer: object }, null, 2)
        : `Recorded that the create of ${subjectOf(entry)} created ${object}. The next run adopts it.`,
    );
  }
  const nowMs = world.nowMs();
  const advice = adviceFor({ entry, seen, contract: configuration.contract, nowMs });
  if (options.json === true) {
    return world.print(JSON.stringify({ ...intentJson(left), ...advice }, null, 2));
  }
  const age = duration(nowMs - entry.time);
  world.print(
    `${entry.operation} of ${subjectOf(entry)}, started at ${isoSeconds(entry.time)} (${age} ago).`,
  );
  for (const line of advice.lines) world.print(line);
}

/** What somebody else may have written says nothing about the service. */
function assertOurs({ intent: { entry, file, foreign }, unchecked }: LeftIntent): void {
  if (!foreign) return;
  throw fault(
    entry.id,
    unchecked
      ? `cannot be checked without an API key: ${file}`
      : `is signed neither by this user nor with this API key: it was written by somebody else, or was changed since: ${file}`,
    unchecked
      ? "Set ERPHOST_API_KEY to the key of the run that wrote it."
      : `Set ERPHOST_API_KEY to the key of the run that wrote it, or delete it: \`erphost intents drop ${entry.id}\`.`,
  );
}

function assertSameAccount(entry: IntentEntry, { account }: Configuration): void {
  const { baseUrl, environment } = entry.account;
  if (baseUrl === account.baseUrl && environment === account.environment) return;
  throw fault(
    entry.id,
    `belongs to the ${environment} account at ${baseUrl}, but the configuration is for the ${account.environment} account at ${account.baseUrl}`,
    "Set ERPHOST_BASE_URL and ERPHOST_API_KEY for that account.",
  );
}

/** The object that is given or was answered, or else the list that would hold the result. */
async function look(entry: IntentEntry, options: ResolveOptions, world: World): Promise<Seen> {
  const isRotation = entry.operation === "rotate";
  const resource = isRotation ? "api_key" : kinds[entry.kind]?.resource;
  if (resource === undefined) {
    const message = `is of the kind ${entry.kind}, which this release does not know`;
    throw fault(entry.id, message, "Use a newer release.");
  }
  const id = isRotation ? undefined : (options.object ?? entry.answer);
  const calls = calling(options, world);
  return withEngine(options, world, async ({ lookups }) => {
    if (id === undefined) {
      const { records, gap } = await lookups.snapshot(resource, calls);
      return { records: [...records.values()], gap: gap() && errorText(gap()) };
    }
    try {
      const reading = await lookups.read(resource, id, calls);
      return { records: reading.state === "gone" ? [] : [reading.record] };
    } catch (error) {
      const isUnclear = hasCode(error, "odd_record", "unproved_absence");
      if (!isUnclear || options.object !== undefined) throw error;
      return { records: [], gap: errorText(error) };
    }
  });
}

function assertCreated(
  entry: IntentEntry,
  object: string,
  { records: [record] }: Seen,
  { apiKey, contract }: Configuration,
): void {
  const kind = kinds[entry.kind];
  if (!record || kind?.resource === undefined) {
    const message = `is ${object}, but the service has no ${entry.kind} with that id`;
    throw fault("object", message, "Nothing was recorded.");
  }
  const resource = contract.resources[kind.resource];
  if (mayHaveMade({ key: { secret: apiKey }, kind, resource }, entry, record)) return;
  const { name, created_at: createdAt = "an unknown time" } = record.fields;
  const facts = [name, `created at ${String(createdAt)}`].filter(Boolean).join(", ");
  throw fault(
    "object",
    visible(
      `is ${object} (${facts}), whose name, time or fixed fields are not those of the request (${subjectOf(entry)}, ${isoSeconds(entry.time)})`,
    ),
    `Nothing was recorded. If the object was renamed since, import it and drop the intent: \`erphost intents drop ${entry.id}\`.`,
  );
}

/** Without the request, which shows that a person said so; only that gives a key its secret again. */
async function record({ intent, store, reread }: LeftIntent, object: string): Promise<void> {
  const { body: _, ...entry } = intent.entry;
  const isKey = kinds[entry.kind]?.reading.rotates !== undefined;
  await store.recordAnswer({ ...intent, entry: isKey ? intent.entry : entry }, object);
  if ((await reread())?.entry.answer !== object) throw unwritten("recorded", intent.file);
}

/** A run continues where its journal can't be written; a command that does nothing else has failed. */
const unwritten = (done: string, file: string): Error =>
  new Error(
    `Nothing was ${done}, because ${file} could not be changed; make room on its disk, or make it writable, and try again.`,
  );
