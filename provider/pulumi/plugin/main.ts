/** The plugin's entry: Pulumi starts it with its engine's address, and reads the port from stdout. */
import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { connectHost } from "./host";
import { moveStack } from "./move";
import { serve } from "./server";
import { renderSchema } from "./schema/render";
import { Session } from "./session";
import { packageVersion } from "./version";
import { endOfPulumi } from "./watch";

async function main(args: readonly string[]): Promise<void> {
  const address = args.find((argument) => !argument.startsWith("-"));
  const host = connectHost(address, (text) => void process.stderr.write(`${text}\n`));
  const session = new Session(host, {
    env: process.env,
    cwd: process.cwd(),
    pid: process.pid,
    platform: process.platform,
  });
  const { port } = await serve(session, {
    version: packageVersion,
    schema: () => JSON.stringify(renderSchema(packageVersion)),
  });
  process.stdout.write(`${port}\n`);
  const leave = (end: Promise<void>): void => void end.finally(() => process.exit(0));
  // Pulumi's own goodbye: its runs are over. A person's Ctrl-C reaches Pulumi alone, which cancels.
  process.on("SIGINT", () => leave(session.end()));
  process.on("SIGTERM", () => leave(session.end()));
  if (address === undefined) return;
  const hosted = args.includes("--hosted");
  const how = await endOfPulumi({ engine: address, hosted, wait });
  // What was begun is finished; abandoned, intents stay for the run that comes after.
  leave(how === "dismissed" ? session.end() : session.stop());
}

/** `pulumi-resource-erphost move < exported.json > moved.json` */
async function move(): Promise<void> {
  const exported: unknown = JSON.parse(await text(process.stdin));
  const { state, count } = moveStack(exported, packageVersion, randomUUID());
  process.stdout.write(`${JSON.stringify(state, null, 4)}\n`);
  process.stderr.write(`${count} resources moved. Now: pulumi stack import --file THIS_OUTPUT\n`);
}

const words = process.argv.slice(2);
const task = words[0] === "move" ? move() : main(words);
task.catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
