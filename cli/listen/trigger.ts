/** `erphost trigger`: has an emulator send events to its webhooks, with the payload of their kinds. */
import { Command } from "commander";
import * as z from "zod";
import { isOnThisMachine, isPlainHttp } from "../../provider/client/settings/proxy";
import { eventNames, jsonOf } from "../../provider/contract";
import { visible } from "../../provider/messages";
import { Exit, type World } from "../world";
import { patternsOf, refusal, SECRET_VARIABLE } from "./options";

interface TriggerOptions {
  readonly to?: string;
  readonly emulator?: string;
}

const KEY_VARIABLE = "ERPHOST_EMULATOR_KEY";
const NEEDS_KEY = `set ${KEY_VARIABLE} to its admin key, which over plain http goes to this machine alone.`;
const DEFAULT_EMULATOR = "http://127.0.0.1:4010";
/** An endpoint has ten seconds to answer. */
const LOOKS_MAX = 120;
const LOOK_MS = 100;
const CALL_MS_MAX = 10_000;

const endpointsSchema = z.object({
  webhooks: z.array(z.object({ id: z.string(), url: z.string(), disabled: z.boolean() })),
});
const deliveriesSchema = z.object({
  deliveries: z.array(
    z.object({
      ...{ seq: z.number(), endpoint_id: z.string(), attempts: z.number() },
      ...{ last_status: z.number().nullable(), last_problem: z.string().nullable() },
    }),
  ),
});

const HELP = `
The emulator must run: \`erphost emulator\`. It signs what it sends with the secret that a webhook was registered with, by --to with ERPHOST_WEBHOOK_SECRET, or on its page. Without --to the event goes to every webhook.`;

/** @public The command, loaded by name. */
export const triggerCommand = (world: World): Command =>
  new Command("trigger")
    .description("Have an emulator send events to its webhooks.")
    .argument("<event...>", `Events, such as server.* for one of each: ${eventNames.join(", ")}.`)
    .option("--to <url>", "Address that gets them; it is registered if it is new.")
    .option("--emulator <url>", `Address of the emulator (default: ${DEFAULT_EMULATOR})`)
    .addHelpText("after", HELP)
    .action((globs: string[], options: TriggerOptions) => trigger(globs, options, world));

async function trigger(
  globs: readonly string[],
  { to, emulator = DEFAULT_EMULATOR }: TriggerOptions,
  world: World,
): Promise<void> {
  const wanted = patternsOf(globs, "event", "trigger");
  for (const [option, url] of Object.entries({ "--emulator": emulator, "--to": to ?? emulator })) {
    if (/^https?:/.test(url) && URL.canParse(url)) continue;
    throw refusal(option, "must be an http or https address", undefined, "trigger");
  }
  const call = callerOf(emulator, world);
  const { data } = endpointsSchema.safeParse(await call("GET", "webhooks"));
  if (!data) {
    throw new Error(`What answers at ${emulator} is not an emulator. Start one: erphost emulator.`);
  }
  let endpoints = data.webhooks.filter(({ url }) => to === undefined || url === to);
  if (to !== undefined && endpoints.length === 0) {
    const secret = world.env[SECRET_VARIABLE]?.split(/\s+/)[0];
    if (!secret) throw refusal(SECRET_VARIABLE, "must be set for a new --to", undefined, "trigger");
    const added = await call("POST", "webhooks", { url: to, secret });
    endpoints = endpointsSchema.parse({ webhooks: [added] }).webhooks;
  }
  if (endpoints.length === 0) throw new Error(`${emulator} has no webhook. Name one with --to.`);
  let isRefused = false;
  for (const event of eventNames.filter((name) => wanted.some((each) => each.test(name)))) {
    for (const { id, url } of endpoints) {
      const before = (await deliveriesOf(call)).at(-1)?.seq ?? 0;
      await call("POST", `webhooks/${id}/test`, { event });
      const answer = await answerTo(call, id, before, world);
      isRefused ||= !/^2\d\d$/.test(answer);
      world.print(visible(`${event} → ${url}: ${answer}`));
    }
  }
  if (isRefused) throw new Exit(1);
}

type Call = (method: "GET" | "POST", path: string, body?: object) => Promise<unknown>;

const deliveriesOf = async (call: Call) =>
  deliveriesSchema.parse(await call("GET", "webhooks/deliveries")).deliveries;

/** What an endpoint answered to the first attempt: a status, or why there is none. */
async function answerTo(call: Call, id: string, after: number, world: World): Promise<string> {
  for (let looks = 0; looks < LOOKS_MAX && !world.stopped.aborted; looks += 1) {
    const sent = (await deliveriesOf(call)).find(
      ({ seq, endpoint_id, attempts }) => seq > after && endpoint_id === id && attempts > 0,
    );
    if (sent) return String(sent.last_status ?? sent.last_problem ?? "no answer");
    await new Promise<void>((resolve) => world.after(LOOK_MS, resolve));
  }
  return "no answer";
}

const callerOf =
  (emulator: string, world: World): Call =>
  async (method, path, body) => {
    const key = isPlainHttp(emulator, undefined) ? undefined : world.env[KEY_VARIABLE];
    const signal = AbortSignal.any([world.stopped, AbortSignal.timeout(CALL_MS_MAX)]);
    const url = `${emulator.replace(/\/+$/, "")}/_emulator/${path}`;
    const headers = {
      "content-type": "application/json",
      ...(key && { authorization: `Bearer ${key}` }),
    };
    const sent = { method, signal, headers, ...(body && { body: JSON.stringify(body) }) };
    const { Agent, fetch: direct } = require("undici") as typeof import("undici");
    // Node's own takes a proxy of NODE_USE_ENV_PROXY, which would see the key.
    const answering = isOnThisMachine(emulator, undefined)
      ? direct(url, { ...sent, dispatcher: new Agent() })
      : fetch(url, sent);
    // Whatever the reason is, no emulator answers there.
    const answer = await answering.catch(() => undefined);
    if (!answer) throw new Error(`No emulator answers at ${emulator}. Start it: erphost emulator.`);
    if (answer.ok) return jsonOf(await answer.text());
    const why = answer.status === 401 ? NEEDS_KEY : (await answer.text()).slice(0, 200);
    throw new Error(visible(`${method} ${url} was answered with ${answer.status}: ${why}`));
  };
