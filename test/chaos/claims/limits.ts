/** The quota is used, and not exceeded. */
import { expect } from "@jest/globals";
import { startCommand } from "../../harness/command";
import { engineFace } from "../faces/engine";
import { bundled } from "../support/bundle";
import { expectSuccess, servers, upBefore } from "../support/expectations";
import { leastMs, type Window } from "../../support/windows";
import type { Load } from "../support/load";
import { Scene } from "../support/scene";
import type { Claim } from "../trial";

/**
 * The short form has shorter windows, whose boundaries cost a larger share of them, and is part of
 * every test run: it only notices a client that lets whole windows pass.
 */
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
  rateMin: 0.4,
} as const;

const REFUSED_MAX = 0.01;
/** The first window is free: it may take a few times as long as bare requests. */
const firstMaxMs = (bareMs: number, isShort: boolean): number =>
  isShort ? 10 * bareMs + 1_000 : 3 * bareMs + 100;

const LOAD_MAX_MS = 5 * 60_000;

interface LoadOptions {
  readonly count: number;
  /** Of the limits that this process may use; `bare`: requests without the client. */
  readonly share: number | "bare";
  readonly windows: readonly Window[];
}

/** Creates servers in a separate process, as fast as it may. */
async function load({ env }: Scene, { count, share, windows }: LoadOptions): Promise<Load> {
  const limits = windows.map(({ requests, windowMs }) => `${requests}/${windowMs}ms`);
  const program = bundled(require.resolve("../support/load"));
  const { finished } = startCommand(
    process.execPath,
    [program, String(count), String(share), ...limits],
    { folder: __dirname, env, timeoutMs: LOAD_MAX_MS, onOutput: undefined },
  );
  const outcome = await finished;
  expectSuccess("the load", outcome);
  return JSON.parse(outcome.output) as Load; // Written by the load itself.
}

/** How long creates take without the client and without limits. */
const bareMs = (count: number): Promise<number> =>
  Scene.play(engineFace, {}, async (scene) => {
    const { startedAt, answeredAt } = await load(scene, { count, share: "bare", windows: [] });
    return Math.max(...answeredAt) - startedAt;
  });

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

/** Creates under limits by one process, or by two that share them. */
const underLimits =
  (processes: 1 | 2): Claim["run"] =>
  async ({ isShort }) => {
    const { windows, creates, rateMin } = isShort ? SHORT : FULL;
    const burst = windows[0].requests;
    const plainMs = await bareMs(burst);
    return Scene.play(engineFace, { limits: windows }, async (scene) => {
      const options = { count: creates / processes, share: 1 / processes, windows };
      const loads = await Promise.all(
        Array.from({ length: processes }, () => load(scene, options)),
      );
      const startedAt = Math.min(...loads.map((one) => one.startedAt));
      const answers = loads.flatMap(({ answeredAt }) => answeredAt).sort((a, b) => a - b);
      const tookMs = (answers.at(-1) ?? 0) - startedAt;
      const firstMs = (answers[burst - 1] ?? 0) - startedAt;
      const rate = leastMs(windows, creates) / tookMs;
      const calls = scene.emulator.journal();
      const refused = calls.filter(({ status }) => status === 429).length / calls.length;
      const figure = `${creates} in ${(tookMs / 1000).toFixed(1)} s, ${percent(rate)} of the rate, ${percent(refused)} 429, first ${burst} in ${firstMs} ms, bare in ${plainMs} ms`;
      expect({
        figure,
        isFast: rate >= rateMin,
        isRarelyRefused: refused <= REFUSED_MAX,
        isFirstWindowFree: firstMs <= firstMaxMs(plainMs, isShort),
        created: scene.ids().length,
      }).toEqual({
        figure,
        ...{ isFast: true, isRarelyRefused: true, isFirstWindowFree: true, created: creates },
      });
      return figure;
    });
  };

const engineOnly = "it is about the client, which all faces use";

/** 2,500 creates in windows of 100 per 2 s and 1,000 per 60 s. */
export const rateOfOneProcess: Claim = {
  name: "a process creates at 91 % of the rate that windows allow, with at most 1 % refused",
  group: "limits",
  engineOnly,
  run: underLimits(1),
};

export const rateOfTwoProcesses: Claim = {
  name: "two processes with a share of 0.5 together create at 91 % of the allowed rate",
  group: "limits",
  engineOnly,
  run: underLimits(2),
};

const RETRY_AFTER_S = 2;

export const rateLimitedRefresh: Claim = {
  name: "a 429 in a refresh is waited for and shown, and no object is taken for gone",
  group: "limits",
  run: (trial) =>
    trial.scene({}, async (scene) => {
      const { emulator } = scene;
      const site = await upBefore(scene, servers(trial.size));
      const before = await site.ids();
      const effect = { type: "status", status: 429, retry_after: RETRY_AFTER_S } as const;
      emulator.clearJournal();
      // Not the call by which a run finds out whose key it has.
      const match = { method: "GET", path: "/servers" };
      emulator.setFaults([{ match, times: 1, effect }]);
      const refresh = await site.refresh();
      expectSuccess("the refresh", refresh);
      const lists = emulator.journal().filter(({ path }) => path === "/servers");
      const [first = NaN, second = NaN] = lists.map(({ started_at }) => Date.parse(started_at));
      const waitedS = (second - first) / 1000;
      expect(waitedS).toBeGreaterThanOrEqual(RETRY_AFTER_S);
      expect(refresh.output).toMatch(/asked\s+for\s+a\s+pause\s+\(429\)/);
      expect(await site.ids()).toEqual(before);
      return `${RETRY_AFTER_S} s asked for, ${waitedS.toFixed(1)} s waited`;
    }),
};
