/** `erphost intents`: what interrupted runs left behind, and how to be rid of it. */
import { Command } from "commander";
import { InvalidInput, type Configuration } from "../provider";
import type { ServiceRecord } from "../provider/contract";
import { kinds } from "../provider/resources";
import type { IntentEntry } from "../provider/engine";
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

export function intentsCommand(world: World): Command {
  const command = new Command("intents")
    .description("Show and clear what interrupted runs left behind.")
    .addHelpText(
      "after",
      "\nEvery create and every rotation is written down before it is sent. A run that was cut off\nleaves that note, and the next run finds its object by it; mostly there is nothing to do here.",
    );
  command
    .command("list")
    .description("Creates and rotations of processes that have ended without clearing them.")
    .option("--json", "as one JSON array, for scripts")
    .action((options: Json) => list(options, world));
  command
    .command("drop")
    .description("Forget one; changes nothing in the service.")
    .argument("<id>", "its id, or the beginning of it")
    .action((id: string) => drop(id, world));
  withAccount(command.command("resolve"))
    .description("Look in the service what became of one, and say what to do.")
    .argument("<id>", "its id, or the beginning of it")
    .option("--object <id>", "note that it made this object; the next run takes it")
    .option("--json", "as one JSON object, for scripts")
    .action((id: string, options: ResolveOptions) => resolve(id, options, world));
  return command;
}

/** What may be shown: neither the body nor the idempotency key. */
const shown = (entry: IntentEntry) => ({
  id: entry.id,
  operation: entry.operation,
  kind: entry.kind,
  name: entry.name ?? null,
  target: entry.target ?? null,
  identity: entry.identity ?? null,
  answer: entry.answer ?? null,
  begun: isoSeconds(entry.time),
  account: entry.account,
});

async function list({ json }: Json, world: World): Promise<void> {
  const left = await leftIntents(world);
  const entries = left.map(({ intent }) => intent.entry);
  if (json === true) return world.print(JSON.stringify(entries.map(shown), null, 2));
  if (entries.length === 0) return world.print("No interrupted run has left anything behind.");
  const rows = entries.map((entry) => [
    entry.id,
    entry.operation,
    subjectOf(entry),
    duration(world.nowMs() - entry.time),
    entry.answer ?? "–",
    `${entry.account.environment} ${entry.account.baseUrl}`,
    entry.identity ?? "–",
  ]);
  const head = ["ID", "WHAT", "OF", "AGE", "ANSWERED", "ACCOUNT", "FOR"];
  for (const line of columns([head, ...rows])) world.print(line);
}

async function drop(id: string, world: World): Promise<void> {
  const { intent, keeper } = await leftIntent(id, world);
  await keeper.drop(intent);
  const { entry } = intent;
  const answer = entry.answer === undefined ? "not answered" : `answered ${entry.answer}`;
  world.print(`Dropped the ${entry.operation} of ${subjectOf(entry)} (${answer}).`);
}

async function resolve(id: string, options: ResolveOptions, world: World): Promise<void> {
  const { intent, keeper } = await leftIntent(id, world);
  const { entry } = intent;
  const configuration = configurationOf(options, world);
  assertSameAccount(entry, configuration);
  const records = await recordsFor(entry, options, world);
  if (options.object !== undefined) {
    const object = assertCreated(entry, options.object, records);
    await keeper.recordAnswer(intent, object);
    world.print(
      `Noted: the create of ${subjectOf(entry)} made ${object}. The next run takes this object.`,
    );
    return;
  }
  const advice = adviceFor(entry, records, configuration.contract, world.nowMs());
  if (options.json === true) {
    return world.print(JSON.stringify({ ...shown(entry), ...advice }, null, 2));
  }
  world.print(
    `${entry.operation} of ${subjectOf(entry)}, begun at ${isoSeconds(entry.time)} (${duration(world.nowMs() - entry.time)} ago).`,
  );
  for (const line of advice.lines) world.print(line);
}

function assertSameAccount(entry: IntentEntry, { account }: Configuration): void {
  const { baseUrl, environment } = entry.account;
  if (baseUrl === account.baseUrl && environment === account.environment) return;
  const message = `is of the ${environment} account at ${baseUrl}, and the configuration is of the ${account.environment} account at ${account.baseUrl}`;
  throw new InvalidInput(
    "intents",
    [{ path: [entry.id], message }],
    "Set ERPHOST_BASE_URL and ERPHOST_API_KEY to that account.",
  );
}

/** The list in which what the intent led to would be: of its kind, for a rotation the keys. */
function recordsFor(
  entry: IntentEntry,
  options: AccountOptions,
  world: World,
): Promise<ServiceRecord[]> {
  const resource = entry.operation === "rotate" ? "api_key" : kinds[entry.kind]?.resource;
  if (resource === undefined) {
    const message = `is of the kind ${entry.kind}, which this release does not know`;
    throw new InvalidInput("intents", [{ path: [entry.id], message }], "Use a newer release.");
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
  const fault = (message: string) =>
    new InvalidInput("intents", [{ path: ["object"], message }], "Nothing was noted.");
  if (entry.operation !== "create") {
    throw fault("can be said of a create only; a rotation is asked for again by the next run");
  }
  if (!records.some(({ id }) => id === object)) {
    throw fault(`is ${object}, and the service lists no ${entry.kind} with that id`);
  }
  return object;
}
