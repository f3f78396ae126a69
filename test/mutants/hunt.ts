/** Runs mutants: product code is broken on purpose in copies of the checkout, and its tests are run. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onInterrupt } from "../../scripts/bootstrap/interrupt.cjs";
import { runProgram } from "../../scripts/bootstrap/programs.cjs";
import { copyCheckout } from "../../scripts/check/tracked";
import { atATime } from "../support/wait";
import type { Mutant } from "./mutant";

/** What one run of tests says. */
interface Verdict {
  readonly passed: number;
  /** Full titles. */
  readonly failed: readonly string[];
  /** A test file that did not even load, or a run that came to no end: it says nothing of a claim. */
  readonly trouble?: string;
}

/** What became of one mutant. Only `killed` is good. */
export type Outcome =
  | { readonly state: "killed"; readonly by: string }
  | { readonly state: "survived" }
  | { readonly state: "unusable"; readonly why: string };

/** Tests take seconds, of slow mutants on a loaded machine minutes. What loops must not hold up the rest. */
const TRY_TIMEOUT_MS = 300_000;
/** The tests of every mutant at once, on unbroken code. */
const RUN_TIMEOUT_MS = 900_000;
const GIT_TIMEOUT_MS = 30_000;
const WORDS_OF_TROUBLE_MAX = 400;

/** The part of jest's JSON report that is read. */
interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** One copy of the checkout. */
class Laboratory {
  private readonly forget = onInterrupt(() => this.remove());

  private constructor(private readonly folder: string) {}

  /** A copy of the checkout with the same dependencies, in a temporary folder. */
  static open(root: string): Laboratory {
    const folder = mkdtempSync(join(tmpdir(), "erphost-mutants-"));
    copyCheckout(root, folder);
    return new Laboratory(folder);
  }

  close(): void {
    this.forget();
    this.remove();
  }

  private remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs unit tests: files or folders, from the root. */
  async run(
    paths: readonly string[],
    env: NodeJS.ProcessEnv,
    timeoutMs = RUN_TIMEOUT_MS,
  ): Promise<Verdict> {
    const report = join(this.folder, "report.json");
    rmSync(report, { force: true });
    const words = ["node_modules/jest/bin/jest.js", "--selectProjects", "unit", "--ci"];
    // With --bail jest ends before it writes its report.
    const how = ["--maxWorkers=1", "--json", `--outputFile=${report}`];
    const { code, output } = await runProgram(process.execPath, [...words, ...how, ...paths], {
      cwd: this.folder,
      env,
      group: true,
      timeoutMs,
    });
    if (!existsSync(report)) {
      const end = output.slice(-WORDS_OF_TROUBLE_MAX).trim();
      return { passed: 0, failed: [], trouble: code === null ? `no end was reached: ${end}` : end };
    }
    return verdictOf(JSON.parse(readFileSync(report, "utf8")) as Report);
  }

  /** Breaks the copy as the mutant says, runs the tests that must notice, and mends it again. */
  async try(mutant: Mutant, env: NodeJS.ProcessEnv): Promise<Outcome> {
    const stale = await this.patch(mutant, [], env);
    if (stale !== undefined) {
      return { state: "unusable", why: `the patch does not apply any more: ${stale}` };
    }
    try {
      const { failed, trouble } = await this.run([mutant.tests], env, TRY_TIMEOUT_MS);
      if (failed[0] !== undefined) return { state: "killed", by: failed[0] };
      return trouble === undefined ? { state: "survived" } : { state: "unusable", why: trouble };
    } finally {
      const left = await this.patch(mutant, ["--reverse"], env);
      if (left !== undefined) throw new Error(`${mutant.name} could not be taken out: ${left}`);
    }
  }

  /** @returns what git says if the patch does not apply */
  private async patch(
    mutant: Mutant,
    words: readonly string[],
    env: NodeJS.ProcessEnv,
  ): Promise<string | undefined> {
    const file = join(this.folder, "mutant.patch");
    writeFileSync(file, mutant.patch);
    const { code, output } = await runProgram(
      "git",
      ["apply", "--recount", "--unidiff-zero", ...words, file],
      {
        cwd: this.folder,
        // A temporary folder may lie inside a repository, whose own paths would then count.
        env: { ...env, GIT_CEILING_DIRECTORIES: dirname(this.folder) },
        timeoutMs: GIT_TIMEOUT_MS,
      },
    );
    return code === 0 ? undefined : output.trim();
  }
}

function verdictOf({ testResults }: Report): Verdict {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
  const unloaded = testResults.find(({ assertionResults }) => assertionResults.length === 0);
  const passed = tests.filter(({ status }) => status === "passed").length;
  const trouble =
    unloaded?.message.slice(0, WORDS_OF_TROUBLE_MAX) ??
    (passed + failed.length === 0 ? "no test ran" : undefined);
  return { passed, failed, ...(trouble === undefined ? {} : { trouble }) };
}

export interface Hunt {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** How many at a time; each has a copy of the checkout. */
  readonly jobs: number;
  readonly onOutcome?: (mutant: Mutant, outcome: Outcome, ms: number) => void;
}

export interface Hunted {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
}

/**
 * Tries every mutant. The tests that must notice are run on unbroken code first: one that fails
 * there would "kill" anything.
 *
 * @throws Error if there is nothing to try, or the unbroken code fails
 */
export async function hunt(mutants: readonly Mutant[], options: Hunt): Promise<readonly Hunted[]> {
  if (mutants.length === 0) throw new Error("There is no mutant to try.");
  const { root, env } = options;
  const laboratories = Array.from({ length: Math.min(options.jobs, mutants.length) }, () =>
    Laboratory.open(root),
  );
  try {
    const [first] = laboratories;
    const { failed, trouble } = (await first?.run(testsOf(mutants), env)) ?? { failed: [] };
    if (trouble !== undefined || failed.length > 0) {
      throw new Error(`The unbroken code fails its tests: ${trouble ?? failed.join("; ")}`);
    }
    return await atATime(laboratories.length, mutants, async (mutant, worker) => {
      const startedAt = performance.now();
      const outcome = await (laboratories[worker] as Laboratory).try(mutant, env);
      options.onOutcome?.(mutant, outcome, performance.now() - startedAt);
      return { mutant, outcome };
    });
  } finally {
    for (const laboratory of laboratories) laboratory.close();
  }
}

const testsOf = (mutants: readonly Mutant[]): string[] => [
  ...new Set(mutants.map(({ tests }) => tests)),
];
