/** Runs the demo's steps, counts the calls of each, and prints a summary at the end. */
import { styleText } from "node:util";
import type { Emulator } from "../emulator";
import { table, UsageError } from "../test/support/command-line";

/** The result of a step that succeeded; a failure is thrown. */
export interface Outcome {
  /** One line for the summary. */
  readonly summary: string;
  /** Shown below the step. */
  readonly details?: readonly string[];
}

export interface Step {
  /** A value of `--break`. */
  readonly name: string;
  readonly title: string;
  run(): Promise<Outcome>;
}

/** The steps of a story, in the order of their titles: it has a method of each name. */
export const stepsOf = <N extends string, T>(
  titles: Readonly<Record<N, (of: T) => string>>,
  of: T,
  story: Readonly<Record<NoInfer<N>, () => Promise<Outcome>>>,
): Step[] =>
  // Of that very object.
  (Object.keys(titles) as N[]).map((name) => ({
    ...{ name, title: titles[name](of) },
    run: () => story[name](),
  }));

export interface Demo {
  readonly title: string;
  /** One for each account. */
  readonly emulators: readonly Emulator[];
  readonly steps: readonly Step[];
  /** How many calls the demo has made itself; they are not the engine's. */
  probes(): number;
  /** Called each time the engine prints something. */
  onOutput?: (text: string) => void;
  close(): void;
}

interface Row {
  readonly name: string;
  readonly ok: boolean;
  readonly summary: string;
  readonly calls: number;
  readonly seconds: string;
}

/** Colours where the stream shows them, and nobody asks for none. */
const paint =
  (format: "green" | "red" | "dim" | "bold") =>
  (text: string): string =>
    styleText(format, text, { stream: process.stdout });
const green = paint("green");
const red = paint("red");
const dim = paint("dim");
const bold = paint("bold");

/** @throws UsageError if none of the demos has such a step */
export function assertStep(name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  const known = [...new Set(names)].join(", ");
  throw new UsageError(`There is no step ${name}. The steps are ${known}.`);
}

/** Returns whether every step succeeded. Stops at the first that did not. */
export async function runSteps(
  demo: Demo,
  options: { breakStep: string | undefined; verbose: boolean },
): Promise<boolean> {
  const { emulators } = demo;
  if (options.verbose) demo.onOutput = (text) => void process.stdout.write(dim(text));
  const run = emulators.length === 1 ? "The emulator runs" : "The emulators run";
  const places = `${run} at ${emulators.map(({ url }) => url).join(" and ")} (dashboard and API).`;
  console.log(`${bold(demo.title)}\n${dim(places)}\n`);
  const rows: Row[] = [];
  try {
    for (const step of demo.steps) {
      if (step.name === options.breakStep) {
        for (const emulator of emulators) {
          emulator.setFaults([
            { match: { path: "/**" }, probability: 1, effect: { type: "status", status: 403 } },
          ]);
        }
      }
      rows.push(await runStep(demo, step));
      if (!rows.at(-1)?.ok) break;
    }
    printSummary(rows, demo);
    return rows.length === demo.steps.length && rows.every(({ ok }) => ok);
  } finally {
    demo.close();
    for (const emulator of emulators) await emulator.close();
  }
}

async function runStep(demo: Demo, step: Step): Promise<Row> {
  for (const emulator of demo.emulators) emulator.clearJournal();
  const startedAt = performance.now();
  const probes = demo.probes();
  process.stdout.write(`${dim("·")} ${step.title} … `);
  const done = (ok: boolean, summary: string): Row => {
    const answered = demo.emulators.map((emulator) => emulator.journal().length);
    const calls = answered.reduce((sum, count) => sum + count) - (demo.probes() - probes);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${ok ? green("ok") : red("FAILED")} ${dim(`${seconds} s, ${calls} API calls`)}`);
    return { name: step.name, ok, summary, calls, seconds };
  };
  try {
    const { summary, details = [] } = await step.run();
    const row = done(true, summary);
    for (const line of details) console.log(`    ${line}`);
    return row;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const row = done(false, message.split("\n")[0] ?? "");
    console.log(message.replace(/^/gm, "    "));
    return row;
  }
}

function printSummary(rows: readonly Row[], demo: Demo): void {
  const lines = rows.map(({ name, ok, summary, calls, seconds }) => {
    return [`${ok ? "✓" : "✗"} ${name}`, String(calls), seconds, summary];
  });
  const summary = table(["  step", "calls", "seconds", "what happened"], lines);
  const marked = summary.replace(/^✓/gm, green("✓")).replace(/^✗/gm, red("✗"));
  console.log(`\n${bold("Summary")}\n${marked}`);
  const total = rows.reduce((sum, { calls }) => sum + calls, 0);
  const missing = demo.steps.length - rows.length;
  console.log(`  ${total} API calls in total.`);
  if (missing > 0) console.log(red(`  ${missing} steps were not run.`));
}

/** Throws with the reason unless the condition holds. */
export function expect(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new Error(reason);
}
