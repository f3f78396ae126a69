/** What a soak consists of: each part is a value of `--only`, and throws if it tries nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../../scripts/bootstrap/programs.cjs";
import { serving } from "../bench/serving";
import { explore } from "../engine/model/explore";
import { followAdvice } from "../engine/model/follow";
import { runStryker } from "../mutants/stryker";
import type { Figure } from "../support/figures";
import { soak } from "./load";

const ROOT = join(__dirname, "..", "..");
const FOLDER = join(__dirname, "schemathesis");
const RUN_MS_MAX = 60 * 60_000;
const OUTPUT_CHARS_MAX = 4_000_000;

/** What `hooks.py` refers to. */
const seed = {
  objects: {
    server: [{ id: "srv_seeded", name: "seeded" }],
    instance: [{ id: "ins_seeded", name: "seeded", server_id: "srv_seeded" }],
  },
};

/** How the emulator is started: all operations, the documented ones, and under a quota. */
const profiles = {
  full: { seed },
  strict: { seed, strict: true },
  limited: { seed, limits: [{ requests: 60, windowMs: 1_000 }] },
} as const;
type ProfileName = keyof typeof profiles;

/**
 * All checks of Schemathesis over one profile.
 * @param examples per operation; the phase that covers each rule of the document comes on top
 * @param quick without that phase; takes seconds
 * @throws Error where it tried nothing
 */
async function check(profile: ProfileName, examples: number, random: number, quick: boolean) {
  // It leaves what it learned where it runs.
  const work = mkdtempSync(join(tmpdir(), "erphost-check-"));
  const service = await serving(profiles[profile]);
  try {
    const words = [
      ...["--config-file", join(FOLDER, "schemathesis.toml"), "run", `${service.url}/openapi.json`],
      ...["--url", `${service.url}/v1`, "--checks", "all", "--no-color"],
      ...["--max-examples", String(examples), "--seed", String(random)],
      ...["--generation-database", "none", "--suppress-health-check", "all"],
      ...(quick ? ["--phases", "examples,fuzzing,stateful"] : []),
      "--continue-on-failure",
    ];
    const { code, output } = await runProgram("schemathesis", words, {
      cwd: work,
      env: {
        ...process.env,
        ERPHOST_API_KEY: service.apiKey,
        SCHEMATHESIS_HOOKS: join(FOLDER, "hooks.py"),
      },
      timeoutMs: RUN_MS_MAX,
      outputCharsMax: OUTPUT_CHARS_MAX,
    });
    const cases = Number(/^\s*(\d+) generated/m.exec(output)?.[1] ?? 0);
    if (cases === 0) throw new Error(`Schemathesis tried nothing:\n${output.slice(-4_000)}`);
    const [, failures = output] = /=+ (?:FAILURES|ERRORS|WARNINGS) =+\n([^]*)/.exec(output) ?? [];
    // Empty where the emulator does what its document says.
    return { cases, failure: code === 0 ? "" : failures.trim() };
  } finally {
    service.close();
    rmSync(work, { recursive: true, force: true });
  }
}

interface PartOptions {
  /** How long the load lasts. */
  readonly minutes: number;
  /** One in that many scenarios, or functions, is tried. */
  readonly sample: number;
  /** Requests that are made at least. */
  readonly cases: number;
  /** What chooses them. */
  readonly seed: number;
  readonly say: (text: string) => void;
}

interface PartResult {
  readonly figures: readonly Figure[];
  /** What was not as it must be, besides figures that miss their aim. */
  readonly failures: readonly string[];
}

export interface Part {
  readonly name: string;
  readonly about: string;
  /** The option that it takes. */
  readonly takes?: "minutes" | "sample" | "cases";
  run(options: PartOptions): Promise<PartResult>;
}

const figure = (name: string, unit: string, value: number, aim?: Figure["aim"]): Figure => ({
  ...{ name, unit, samples: [value] },
  ...(aim && { aim }),
});

/** More than a client needs that keeps nothing; a leak of one record per create is far above. */
const GROWTH_MAX_MIB_PER_MINUTE = 1;
const REFUSED_MAX_PERCENT = 1;
const OBJECTS = 500;
/** Requests per 100 ms. */
const RATE = 100;

const loadPart: Part = {
  name: "load",
  about: `one client under limits: every write is there, memory does not grow`,
  takes: "minutes",
  run: async ({ minutes, say }) => {
    const until = { ms: minutes * 60_000 };
    const found = await soak({ until, objects: OBJECTS, rate: RATE, onProgress: say });
    const { calls, creates, refusedCount, failures, heapMib, growthMibPerMinute } = found;
    const refused = (100 * refusedCount) / calls;
    return {
      failures,
      figures: [
        figure("calls of one client under limits", "calls", calls),
        figure("creates among them, each found again", "creates", creates),
        figure("calls answered with 429", "%", refused, { atMost: REFUSED_MAX_PERCENT }),
        { name: "reachable heap", unit: "MiB", samples: [...heapMib] },
        figure("growth of the reachable heap", "MiB per minute", growthMibPerMinute, {
          atMost: GROWTH_MAX_MIB_PER_MINUTE,
        }),
      ],
    };
  },
};

const SAY_EVERY = 1_000;

const modelPart: Part = {
  name: "model",
  about: "every interleaving of interrupted runs of one scope, on the real engine",
  takes: "sample",
  run: async ({ sample, say }) => {
    const startedAt = performance.now();
    const { scenarios, states, transitions, breaches } = await explore({ every: sample }, (so) => {
      if (so.scenarios % SAY_EVERY !== 0) return;
      say(`${so.scenarios} scenarios, ${so.states} states, ${so.transitions} transitions`);
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    return {
      failures: breaches,
      figures: [
        figure("scenarios", "scenarios", scenarios),
        figure("states", "states", states),
        figure("transitions", "transitions", transitions),
        figure("time", "s", Math.round(seconds)),
      ],
    };
  },
};

const PROGRAMS = 500;
/** What these programs hear at the least. */
const HEARD = ["found_alive", "made_with_same_name", "planned_twice", "possibly_ours", "same_name"];

const advicePart: Part = {
  name: "advice",
  about: `${PROGRAMS} programs whose runs are cut off, and somebody who does what messages say`,
  run: async ({ seed, say }) => {
    const { followed, breaches } = await followAdvice({ programs: PROGRAMS, seed }, (count) => {
      if (count % 100 === 0) say(`${count} programs`);
    });
    const counts = Object.entries(followed);
    return {
      failures: [
        ...breaches,
        ...HEARD.filter((code) => !followed[code]).map((code) => `nobody heard ${code}`),
      ],
      figures: [
        figure("programs", "programs", PROGRAMS),
        ...counts.map(([code, count]) => figure(`advice of ${code}`, "times", count)),
      ],
    };
  },
};

const strykerPart: Part = {
  name: "stryker",
  about:
    "StrykerJS over engine, client and kinds, without the strings of messages: hours, unless sampled",
  takes: "sample",
  run: async ({ sample, seed, say }) => {
    const result = await runStryker({
      ...{ root: ROOT, env: process.env, sample, seed },
      onProgress: (text) => say(text.trim()),
    });
    for (const survivor of result.survivors) say(`survived: ${survivor}`);
    return {
      // A survivor is work to do, and no fault of this run.
      failures: [],
      figures: [
        figure("mutants that StrykerJS tried", "mutants", result.mutants),
        figure("functions among which they are: one in", "functions", sample),
        figure("noticed, of those tried", "%", result.score),
        ...[...result.rooms].flatMap(([room, { mutants, score }]) => [
          figure(`of ${room}, tried`, "mutants", mutants),
          figure(`of ${room}, noticed`, "%", score),
        ]),
      ],
    };
  },
};

/** Per operation; with the cases that cover each rule they make some 1,500 for each profile. */
const EXAMPLES = 10;
const REQUESTS = "requests as the document allows or forbids them";

const schemathesisPart: Part = {
  name: "schemathesis",
  about: "the emulator against its OpenAPI document, full, strict and limited",
  takes: "cases",
  run: async ({ cases: wanted, seed, say }) => {
    const names = Object.keys(profiles) as ProfileName[]; // The keys of that very table.
    const failures: string[] = [];
    let cases = 0;
    // A second look has more examples, until there were enough cases.
    for (let examples = EXAMPLES; cases < wanted && failures.length === 0; examples *= 4) {
      for (const profile of names) {
        const found = await check(profile, examples, seed + examples, wanted < QUICK_CASES);
        say(`${profile}: ${found.cases} cases${found.failure === "" ? "" : ", failures"}`);
        if (found.failure !== "") failures.push(`${profile}, seed ${seed}:\n${found.failure}`);
        cases += found.cases;
      }
    }
    return { failures, figures: [figure(REQUESTS, "cases", cases, { atLeast: wanted })] };
  },
};

/** Fewer than that leave no room for the phase that covers each rule. */
const QUICK_CASES = 3_000;

/** In the order in which they run. */
export const parts: readonly Part[] = [
  ...[loadPart, modelPart, advicePart, strykerPart, schemathesisPart],
];
