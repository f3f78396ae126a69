/** `npm run mutants`: breaks the product on purpose, one promise at a time; its tests must notice. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { listenForInterrupts } from "../../scripts/bootstrap/interrupt.cjs";
import { runCommand, UsageError, wholeNumber } from "../support/command-line";
import { hunt, type Outcome } from "./hunt";
import { readMutants, type Mutant } from "./mutant";

const ROOT = join(__dirname, "..", "..");

const HELP = `npm run mutants -- [OPTIONS] [NAME…]: breaks the product on purpose, one promise at a time.

  NAME      a room (engine), or a mutant (engine/NAME); all of them if none is given
  --jobs N  how many at a time (default: 2)
  --list    prints the mutants and runs nothing

Each is a patch in test/mutants/ROOM.patch. It is applied to a copy of the checkout, where the tests
that it names are run; one of them must fail. The exit code is 1 if a mutant survives, does not apply any
more, or breaks more than its promise.
`;

listenForInterrupts();
runCommand(async (args) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { jobs: { type: "string", default: "2" }, list: { type: "boolean", default: false } },
  });
  const mutants = chosen(readMutants(ROOT), positionals);
  if (values.list) {
    for (const { name, breaks } of mutants) process.stdout.write(`${name}: ${breaks}\n`);
    return 0;
  }
  const jobs = wholeNumber("jobs", values.jobs);
  let done = 0;
  const hunted = await hunt(mutants, {
    root: ROOT,
    env: process.env,
    jobs,
    onOutcome: (mutant, outcome, ms) => {
      done += 1;
      const seconds = (ms / 1000).toFixed(0);
      const line = `${done}/${mutants.length} ${mutant.name}: ${said(outcome)} (${seconds} s)`;
      process.stderr.write(`${line}\n`);
    },
  });
  const left = hunted.filter(({ outcome }) => outcome.state !== "killed");
  for (const { mutant, outcome } of left) {
    process.stdout.write(`✗ ${mutant.name} (${mutant.breaks}): ${said(outcome)}\n`);
  }
  process.stdout.write(`${hunted.length - left.length} of ${hunted.length} mutants killed\n`);
  return left.length === 0 ? 0 : 1;
}, HELP);

function said(outcome: Outcome): string {
  if (outcome.state === "killed") return `killed by "${outcome.by}"`;
  return outcome.state === "survived" ? "survived" : outcome.why;
}

/** @throws UsageError for a name that is neither a room nor a mutant */
function chosen(mutants: readonly Mutant[], names: readonly string[]): readonly Mutant[] {
  for (const name of names) {
    if (!mutants.some((mutant) => mutant.name === name || mutant.room === name)) {
      const rooms = [...new Set(mutants.map(({ room }) => room))].join(", ");
      throw new UsageError(`"${name}" is neither a mutant (see --list) nor a room: ${rooms}.`);
    }
  }
  if (names.length === 0) return mutants;
  return mutants.filter(({ name, room }) => names.includes(name) || names.includes(room));
}
