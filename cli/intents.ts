/** `erphost intents`: shows and clears what interrupted runs left behind. */
import { Command } from "commander";
import { InvalidInput, type Configuration } from "../provider";
import { issueAt, type ServiceRecord } from "../provider/contract";
import { kinds } from "../provider/resources";
import type { Intent, IntentEntry } from "../provider/engine";
import { noun } from "../provider/messages";
import { calling, configurationOf, withAccount, withEngine, type AccountOptions } from "./account";
import { adviceFor, subjectOf } from "./intent-advice";
import { leftIntent, leftIntents } from "./intent-store";
import { columns, duration, isoSeconds } from "./text";
import type { World } from "./world";

interface Json {
  readonly json?: boolean;
}
interface ResolveOptions extends AccountOptions, Json {
  readonly object?: string;
}

const HELP = `
Every create and rotation is noted on disk before it is sent. An interrupted run leaves its
note behind, and the next run uses it to find the object; usually there is nothing to do here.`;

const ID_HELP = "Id of the intent, or its first characters.";

/** The command. */
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
    .action((id: string) => drop(id, world));
  withAccount(command.command("resolve"))
    .description("Look up in the service what became of an intent, and say what to do.")
    .argument("<id>", ID_HELP)
    .option("--object <id>", "Record that it created this object, which the next run then adopts.")
    .option("--json", "Print one JSON object, for scripts.")
    .action((id: string, options: ResolveOptions) => resolve(id, options, world));
  return command;
}

/** What may be shown: neither the body nor the idempotency key. */
const shown = ({ entry, foreign }: Intent) => ({
  id: entry.id,
  operation: entry.operation,
  kind: entry.kind,
  name: entry.name ?? null,
  target: entry.target ?? null,
  identity: entry.identity ?? null,
  answer: entry.answer ?? null,
  begun: isoSeconds(entry.time),
  account: entry.account,
  foreign: foreign === true,
});

async function list({ json }: Json, world: World): Promise<void> {
  const left = await leftIntents(world);
  const intents = left.map(({ intent }) => intent);
  if (json === true) return world.print(JSON.stringify(intents.map(shown), null, 2));
  if (intents.length === 0) return world.print("No interrupted run has left anything behind.");
  const rows = intents.map(({ entry, foreign, file }) =>
    foreign
      ? [entry.id, entry.operation, noun(entry.kind), "–", "–", "not ours, never followed", file]
      : [
          entry.id,
          entry.operation,
          subjectOf(entry),
          duration(world.nowMs() - entry.time),
          entry.answer ?? "–",
          `${entry.account.environment} ${entry.account.baseUrl}`,
          entry.identity ?? "–",
        ],
  );
  const head = ["ID", "OPERATION", "OBJECT", "AGE", "ANSWER", "ACCOUNT", "DECLARED AS"];
  for (const line of columns([head, ...rows])) world.print(line);
}

async function drop(id: string, world: World): Promise<void> {
  const { intent, store } = await leftIntent(id, world);
  await store.drop(intent);
  const { entry, file, foreign } = intent;
  if (foreign) return world.print(`Deleted ${file}, which was never followed.`);
  const answer = entry.answer === undefined ? "not answered" : `answered ${entry.answer}`;
  world.print(`Dropped the ${entry.operation} of ${subjectOf(entry)} (${answer}).`);
}

async function resolve(id: string, options: ResolveOptions, world: World): Promise<void> {
  const { intent, store } = await leftIntent(id, world);
  const { entry } = intent;
  assertOurs(intent);
  const configuration = configurationOf(options, world);
  assertSameAccount(entry, configuration);
  const records = await recordsFor(entry, options, world);
  if (options.object !== undefined) {
    const object = assertCreated(entry, options.object, records);
    await store.recordAnswer(intent, object);
    world.print(
      `Recorded that the create of ${subjectOf(entry)} created ${object}. The next run adopts it.`,
    );
    return;
  }
  const nowMs = world.nowMs();
  const advice = adviceFor({ entry, records, contract: configuration.contract, nowMs });
  if (options.json === true) {
    return world.print(JSON.stringify({ ...shown(intent), ...advice }, null, 2));
  }
  const age = duration(nowMs - entry.time);
  world.print(
    `${entry.operation} of ${subjectOf(entry)}, started at ${isoSeconds(entry.time)} (${age} ago).`,
  );
  for (const line of advice.lines) world.print(line);
}

const fault = (path: string, text: string, remedy: string): InvalidInput =>
  new InvalidInput("intents", [issueAt([path], "stated", { text, remedy })]);

/** What somebody else may have written says nothing about the service. */
function assertOurs({ entry, file, foreign }: Intent): void {
  if (!foreign) return;
  throw fault(
    entry.id,
    `was written neither by this user nor with this API key, or was changed since: ${file}`,
    `Set ERPHOST_API_KEY to the key of the run that wrote it, or delete it: \`erphost intents drop ${entry.id}\`.`,
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

/** The list that would hold the result: objects of the kind or, for a rotation, API keys. */
function recordsFor(
  entry: IntentEntry,
  options: AccountOptions,
  world: World,
): Promise<ServiceRecord[]> {
  const resource = entry.operation === "rotate" ? "api_key" : kinds[entry.kind]?.resource;
  if (resource === undefined) {
    const message = `is of the kind ${entry.kind}, which this release does not know`;
    throw fault(entry.id, message, "Use a newer release.");
  }
  return withEngine(options, world, (engine) =>
    engine.lookupList(resource, {}, calling(options, world)),
  );
}

function assertCreated(
  entry: IntentEntry,
  object: string,
  records: readonly ServiceRecord[],
): string {
  const refusal = (message: string) => fault("object", message, "Nothing was recorded.");
  if (entry.operation !== "create") {
    throw refusal("applies to creates only; the next run repeats a rotation by itself");
  }
  if (!records.some(({ id }) => id === object)) {
    throw refusal(`is ${object}, but the service has no ${entry.kind} with that id`);
  }
  return object;
}
