/** `npm run check [NAME…]`: what must hold besides the tests; failures are printed at the end. */
import { join } from "node:path";
import { runCommand, UsageError } from "../test/support/command-line";
import { checks } from "./check/checks";
import { runAll, seconds, type Check, type Outcome } from "./check/run-all";

/** The machines that matter have two cores; three at a time are no faster and need more memory. */
const AT_A_TIME = 2;

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    const known = checks.map(({ name }) => name).join(", ");
    throw new UsageError(`There is no check ${unknown.join(", ")}. There are ${known}.`);
  }
  const chosen = names.length === 0 ? checks : checks.filter(({ name }) => names.includes(name));
  const started = performance.now();
  const outcomes = await runAll(chosen, {
    root: join(__dirname, ".."),
    width: AT_A_TIME,
    onEnd: (check, outcome) => {
      console.log(line(check, outcome));
      if (check.shows && outcome.ok) console.log(`\n${outcome.output}\n`);
    },
  });
  const failed = chosen.filter(({ name }) => outcomes.get(name)?.ok !== true);
  for (const check of failed) console.error(report(check, outcomes.get(check.name)));
  const took = seconds(performance.now() - started);
  if (failed.length === 0) {
    console.log(`All ${chosen.length} checks passed in ${took}.`);
    return 0;
  }
  console.error(
    `${failed.length} of ${chosen.length} checks failed in ${took}: ${failed.map(({ name }) => name).join(", ")}.`,
  );
  return 1;
}

const line = ({ name, about }: Check, { ok, ms }: Outcome): string =>
  `${ok ? "ok    " : "FAILED"} ${name.padEnd(10)} ${seconds(ms).padStart(7)}  ${about}`;

const report = ({ name, remedy }: Check, outcome: Outcome | undefined): string =>
  [`\n── ${name}`, outcome?.output.trim() ?? "It did not run.", `→ ${remedy}\n`].join("\n");

runCommand(main);
