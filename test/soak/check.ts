/** Schemathesis against the emulator: what its OpenAPI document says is what it does. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../../scripts/bootstrap/programs.cjs";
import { serving } from "../bench/serving";

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
export const profiles = {
  full: { seed },
  strict: { seed, strict: true },
  limited: { seed, limits: [{ requests: 60, windowMs: 1_000 }] },
} as const;
export type ProfileName = keyof typeof profiles;

export interface CheckOptions {
  /** Per operation; the phase that covers each rule of the document comes on top. */
  readonly examples: number;
  readonly seed: number;
  /** Without the phase that covers each rule; takes seconds. */
  readonly quick?: boolean;
}

export interface Checked {
  readonly cases: number;
  /** Empty where the emulator does what its document says. */
  readonly failure: string;
}

/** All checks of Schemathesis over one profile. @throws Error where it tried nothing */
export async function check(profile: ProfileName, options: CheckOptions): Promise<Checked> {
  const { examples, seed: random, quick = false } = options;
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
    return { cases, failure: code === 0 ? "" : failures.trim() };
  } finally {
    service.close();
    rmSync(work, { recursive: true, force: true });
  }
}
