/** What many servers cost: a refresh and a wait by pages in calls and time, an apply in time. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Engine, State } from "../../provider/engine";
import { openEngine } from "../../provider/engine/open";
import type { Figure } from "../support/figures";
import { atATime } from "../support/wait";
import { bareClient } from "./bare-client";
import { counted, inTurns, seconds, timed } from "./section";
import type { BenchOptions, Section } from "./section";
import { manyServers, serving, type Serving } from "./serving";

const COUNT = 1_000;
const AT_A_TIME = 10;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const recordsSchema = z.object({
  objects: z.array(z.object({ id: z.string(), name: z.string(), created_at: z.string() })),
});
const requestsSchema = z.object({ requests: z.array(z.unknown()) });

function opened(server: Serving, intents: string, logCall?: (line: string) => void): Engine {
  const { pid, platform } = process;
  return openEngine({
    given: { apiKey: server.apiKey, baseUrl: `${server.url}/v1` },
    surroundings: { env: { ERPHOST_INTENTS_DIR: intents }, cwd: intents, pid, platform },
    warn: () => undefined,
    ...(logCall && { logCall }),
  });
}

/** States of `count` servers: the engine creates one, the others are copies of it. */
async function statesOf(server: Serving, intents: string, count: number): Promise<State[]> {
  const engine = opened(server, intents);
  const { state } = await engine.create(engine.kind("server"), { name: "server" });
  await engine.close();
  const made = await server.control("POST", "/objects/server", manyServers(count - 1));
  const { objects } = recordsSchema.parse(made);
  const like = objects.map(({ id, ...values }): State => {
    return { ...state, id, values: { ...state.values, ...values } };
  });
  return [state, ...like];
}

/** A whole refresh, as a new process of a host does it. */
async function refreshed(server: Serving, intents: string, states: readonly State[]) {
  const engine = opened(server, intents);
  const kind = engine.kind("server");
  await atATime(100, states, async (state) => {
    const now = await engine.read(kind, state);
    if (now.state === undefined) throw new Error(`${state.id} is gone`);
  });
  await engine.close();
}

async function bench({ rounds, say }: BenchOptions): Promise<Figure[]> {
  say(`${COUNT} servers`);
  const server = await serving();
  const intents = mkdtempSync(join(tmpdir(), "erphost-bench-"));
  const bare = bareClient(server.url, server.apiKey);
  try {
    const states = await statesOf(server, intents, COUNT);
    const pages = numbers(Math.ceil(COUNT / 100));
    await server.control("DELETE", "/requests");
    await refreshed(server, intents, states);
    const asked = requestsSchema.parse(await server.control("GET", "/requests"));
    const calls = { unit: "calls", sample: asked.requests.length };
    const times = await inTurns(rounds, {
      reference: () => atATime(AT_A_TIME, pages, (page) => bare.page(page, 100)),
      ours: () => refreshed(server, intents, states),
    });
    const undici = { name: "bare undici, the same pages", samples: times.reference };
    const name = `a refresh of ${COUNT.toLocaleString("en")} servers`;
    return [
      counted(`${name}, calls`, calls, { name: "a call per record", value: COUNT }),
      timed(`${name}, time`, times.ours, undici),
    ];
  } finally {
    await bare.close();
    server.close();
    rmSync(intents, { recursive: true, force: true });
  }
}

export const refreshSection: Section = {
  name: "refresh",
  about: "a refresh of 1,000 servers by the engine",
  run: bench,
};

const APPLIES = [
  { count: 1_000, inFlight: 10 },
  { count: 3_000, inFlight: 10 },
  { count: 1_000, inFlight: 200 },
  { count: 3_000, inFlight: 200 },
] as const;
const PROVISION_MS = 50;

async function waited({ count, inFlight }: (typeof APPLIES)[number]): Promise<Figure[]> {
  const server = await serving({ provisionMs: PROVISION_MS });
  const intents = mkdtempSync(join(tmpdir(), "erphost-bench-"));
  try {
    let pages = 0;
    const engine = opened(server, intents, (line) => {
      if (line.startsWith("GET /servers")) pages += 1;
    });
    const kind = engine.kind("server");
    const time = await seconds(() =>
      atATime(inFlight, numbers(count), async (number) => {
        const { state } = await engine.create(kind, { name: `server-${number}` });
        if (state.values["status"] !== "running") throw new Error(`${state.id} is not ready`);
      }),
    );
    await engine.close();
    const turns = count / inFlight;
    const name = `${count.toLocaleString("en")} creates, ${inFlight} in flight`;
    return [
      counted(
        `${name}, pages`,
        { unit: "pages", sample: pages },
        { name: "a page for each turn", value: turns },
        (1.3 * turns + 20) / turns,
      ),
      counted(
        `${name}, time`,
        { unit: "s", sample: time },
        { name: "0.2 s for each turn", value: turns / 5 },
      ),
    ];
  } finally {
    server.close();
    rmSync(intents, { recursive: true, force: true });
  }
}

export const waitingSection: Section = {
  name: "waiting",
  about: "pages that are read while 1,000 and 3,000 servers are created and become ready",
  async run({ say }) {
    const figures: Figure[] = [];
    for (const apply of APPLIES) {
      say(`${apply.count} servers, ${apply.inFlight} in flight`);
      figures.push(...(await waited(apply)));
    }
    return figures;
  },
};
