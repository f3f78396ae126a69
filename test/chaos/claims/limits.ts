/** The quota is used, and not run against. */
import type { EmulatorOptions } from "../../../emulator";
import { up } from "../faces/face";
import { bundled } from "../support/bundle";
import type { Load } from "../support/load";
import { onScene } from "../support/scene";
import { ended, serversOf } from "../support/settled";
import { spawned } from "../support/spawned";
import { openWorld, type World } from "../support/world";
import { Evidence, tail, type Claim } from "./claim";

interface Window {
  readonly requests: number;
  readonly windowMs: number;
}

/** The short form has shorter windows, whose borders cost more of them. */
const FULL = {
  windows: [
    { requests: 100, windowMs: 2_000 },
    { requests: 1_000, windowMs: 60_000 },
  ],
  creates: 2_500,
  rateMin: 0.91,
} as const;
const SHORT = {
  windows: [
    { requests: 50, windowMs: 500 },
    { requests: 200, windowMs: 4_000 },
  ],
  creates: 500,
  rateMin: 0.8,
} as const;

const REFUSED_MAX = 0.01;
/** The first window's worth is free: it may take what bare requests take, a few times over. */
const firstMaxMs = (bareMs: number): number => 3 * bareMs + 100;

/** The least time for so many requests, from the beginning of all windows on. */
export function leastMs(windows: readonly Window[], count: number): number {
  const sent: number[] = [];
  for (let index = 0; index < count; index += 1) {
    let at = sent[index - 1] ?? 0;
    for (const { requests, windowMs } of windows) {
      const before = sent[index - requests];
      // Fixed windows: the first of the next window may come when that one is over.
      if (before !== undefined) at = Math.max(at, (Math.floor(before / windowMs) + 1) * windowMs);
    }
    sent.push(at);
  }
  return sent.at(-1) ?? 0;
}

async function load(
  world: World,
  count: number,
  share: number | "bare",
  windows: readonly Window[],
): Promise<Load> {
  const limits = windows.map(({ requests, windowMs }) => `${requests}/${windowMs}ms`);
  const { finished } = spawned(
    process.execPath,
    [bundled(require.resolve("../support/load")), String(count), String(share), ...limits],
    { cwd: __dirname, env: { PATH: process.env["PATH"], ...world.env } },
  );
  const { code, output } = await finished;
  if (code !== 0) throw new Error(`the load ended with ${code}: ${tail(output)}`);
  return JSON.parse(output) as Load; // Written by the load itself.
}

/** What so many creates take without a client and without limits. */
async function bareMs(count: number): Promise<number> {
  const world = await openWorld();
  try {
    const { begunAt, answeredAt } = await load(world, count, "bare", []);
    return Math.max(...answeredAt) - begunAt;
  } finally {
    await world.close();
  }
}

function rateClaim(processes: 1 | 2): Claim {
  return {
    name: processes === 1 ? "the rate that windows allow" : "two processes with a share of 0.5",
    group: "limits",
    says: `${processes === 1 ? "One process" : "Two processes on one key, with a share of one half each,"} with windows of 100 per 2 s and 1,000 per 60 s, 2,500 creates: at least 91 % of the rate that the windows allow, at most 1 % of the answers are 429, and the first 100 take not much longer than bare requests.`,
    skip: (face) =>
      face.name === "engine" ? undefined : "it is about the client, whatever is on top of it",
    run: async ({ trials }) => {
      const evidence = new Evidence();
      const { windows, creates, rateMin } = trials(0, 0) === 1 ? SHORT : FULL;
      const options: EmulatorOptions = { limits: windows };
      const burst = windows[0].requests;
      const plainMs = await bareMs(burst);
      const world = await openWorld(options);
      try {
        const each = creates / processes;
        const loads = await Promise.all(
          Array.from({ length: processes }, () => load(world, each, 1 / processes, windows)),
        );
        const begunAt = Math.min(...loads.map((one) => one.begunAt));
        const answers = loads.flatMap(({ answeredAt }) => answeredAt).sort((a, b) => a - b);
        const tookMs = (answers.at(-1) ?? 0) - begunAt;
        const rate = leastMs(windows, creates) / tookMs;
        const calls = world.emulator.journal();
        const refused = calls.filter(({ status }) => status === 429).length / calls.length;
        const firstMs = (answers[burst - 1] ?? 0) - begunAt;
        const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
        evidence.expect(rate >= rateMin, () => `${percent(rate)} of the rate`);
        evidence.expect(refused <= REFUSED_MAX, () => `${percent(refused)} of the answers are 429`);
        evidence.expect(
          firstMs <= firstMaxMs(plainMs),
          () => `the first ${burst} took ${firstMs} ms, bare ones ${plainMs} ms`,
        );
        const made = world.emulator.objects("server").length;
        evidence.expect(made === creates, () => `${made} servers of ${creates}`);
        return {
          figure: `${creates} in ${(tookMs / 1000).toFixed(1)} s, ${percent(rate)} of the rate, ${percent(refused)} 429, first ${burst} in ${firstMs} ms, bare in ${plainMs} ms`,
          failures: evidence.failures,
        };
      } finally {
        await world.close();
      }
    },
  };
}

const refusedRefresh: Claim = {
  name: "a 429 in a refresh",
  group: "limits",
  says: "It is waited for as long as the service asks, shown to the person, and is no reason to think that something is gone.",
  run: async ({ face, size }) => {
    const evidence = new Evidence();
    const asked = 3;
    const seconds = await onScene(face, {}, async ({ world, open }) => {
      const site = await open();
      site.declare(serversOf(size));
      ended(evidence, "before", await up(site));
      const before = JSON.stringify(await site.ids());
      const effect = { type: "status", status: 429, retry_after: asked } as const;
      world.emulator.clearJournal();
      world.emulator.setFaults([{ match: { method: "GET" }, times: 1, effect }]);
      const refresh = await site.refresh();
      ended(evidence, "the refresh", refresh);
      const lists = world.emulator.journal().filter(({ path }) => path === "/servers");
      const [first, second] = lists.map(({ started_at }) => Date.parse(started_at));
      const waited = ((second ?? 0) - (first ?? 0)) / 1000;
      evidence.expect(waited >= asked, () => `it waited ${waited} s, ${asked} s were asked for`);
      evidence.expect(
        /asked\s+for\s+a\s+pause\s+\(429\)/.test(refresh.output),
        () => `the wait is not shown\n      ${tail(refresh.output)}`,
      );
      const after = JSON.stringify(await site.ids());
      evidence.expect(after === before, () => "the state has changed");
      return waited;
    });
    return {
      figure: `${asked} s asked, ${seconds.toFixed(1)} s waited`,
      failures: evidence.failures,
    };
  },
};

export const limitClaims: readonly Claim[] = [rateClaim(1), rateClaim(2), refusedRefresh];
