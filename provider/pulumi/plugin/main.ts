/** The plugin's entry: Pulumi starts it with its engine's address, and reads the port from stdout. */
import { randomUUID } from "node:crypto";
import { fstatSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { connectHost, type Host } from "./host";
import { ofUser } from "./peer";
import type { Provider } from "./provider";
import { serve } from "./server";
import { packageVersion } from "./version";

async function main(args: readonly string[]): Promise<void> {
  const address = args.find((argument) => !argument.startsWith("-"));
  const host = connectHost(address, (text) => void process.stderr.write(`${text}\n`));
  let loaded: Provider | undefined;
  const provider = (): Provider => (loaded ??= load(host));
  const { port } = await serve(
    { get: (path) => provider().methods.get(path) },
    ofUser(process.geteuid?.()),
    (line) => void process.stderr.write(line),
  );
  process.stdout.write(`${port}\n`, () => void provider());
  // Once the last answer is on its way.
  const leave = (end: Promise<void>): void =>
    void end.finally(() => setImmediate(() => process.exit(0)));
  // Pulumi says goodbye like this when its runs are over, on Windows with the last one. A person's
  // Ctrl-C reaches Pulumi alone, which cancels.
  for (const signal of ["SIGINT", "SIGTERM", "SIGBREAK"]) {
    process.on(signal, () => leave(provider().session.end()));
  }
  if (address === undefined) return;
  const hosted = args.includes("--hosted");
  const how = await endOfPulumi({ engine: address, hosted });
  // Running operations are finished. After an abandoned run, intents stay for the next one.
  leave(how === "dismissed" ? provider().session.end() : provider().session.stop());
}

const LOOK_MS = 1_000;
/** A process that is being killed may still answer for a moment. */
const DYING_MS = 250;

interface Watch {
  /** Address of Pulumi's engine. */
  readonly engine: string;
  /** Started for one of Pulumi's hosts, which end a plugin with SIGKILL: the starter holds the input. */
  readonly hosted: boolean;
}

/**
 * Resolves at the end: `dismissed` where Pulumi still runs and has all our answers, `abandoned` where
 * it was killed and stores no more of them. Standard input is a pipe that Pulumi holds while it runs,
 * but hosts provide none and outlive Pulumi, so the engine's address is tried as well.
 */
const endOfPulumi = (watch: Watch): Promise<"dismissed" | "abandoned"> =>
  Promise.race([refusal(watch), endOfInput(watch)]);

async function refusal({ engine }: Watch): Promise<"abandoned"> {
  do await wait(LOOK_MS);
  while (await answers(engine));
  return "abandoned";
}

async function endOfInput({ engine, hosted }: Watch): Promise<"dismissed" | "abandoned"> {
  const { stdin } = process;
  const held = fstatSync(stdin.fd);
  await new Promise<void>((resolve) => {
    if (held.isFIFO() || held.isSocket()) {
      stdin
        .once("end", resolve)
        .once("error", () => resolve())
        .resume();
    }
  });
  if (!hosted) return "abandoned";
  await wait(DYING_MS);
  return (await answers(engine)) ? "dismissed" : "abandoned";
}

/** Only a refused connection proves that nobody listens; any other failure may be temporary. */
function answers(engine: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${engine}`);
  const socket = connect({ host: hostname, port: Number(port) });
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED"));
  }).finally(() => socket.destroy());
}

function load(host: Host): Provider {
  const { openProvider } = require("./provider") as typeof import("./provider");
  return openProvider(host, {
    env: process.env,
    cwd: process.cwd(),
    pid: process.pid,
    platform: process.platform,
  });
}

/** `pulumi-resource-erphost move < exported.json > moved.json` */
async function move(): Promise<void> {
  const { moveStack } = await import("./move.js");
  const exported: unknown = JSON.parse(await text(process.stdin));
  const { state, count, accounts } = moveStack(exported, packageVersion, randomUUID);
  process.stdout.write(`${JSON.stringify(state, null, 4)}\n`);
  process.stderr.write(`${count} resources moved. Now: pulumi stack import --file THIS_OUTPUT\n`);
  if (accounts.length === 0) return;
  process.stderr.write(
    `The next preview updates ${accounts.length === 1 ? "the provider" : "the providers"} ${accounts.join(", ")} and nothing else: address and key come from the program now.\n`,
  );
}

const HELP = `Pulumi starts this plugin by itself, with the address of its engine.

  pulumi-resource-erphost move < exported.json > moved.json
      moves an exported stack from the dynamic classes to the plugin
  pulumi-resource-erphost --version
      prints the version
`;

async function say(text: string): Promise<void> {
  process.stdout.write(text);
}

const words = process.argv.slice(2);
const task = words.includes("--help")
  ? say(HELP)
  : words.includes("--version")
    ? say(`${packageVersion}\n`)
    : words[0] === "move"
      ? move()
      : main(words);
task.catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
