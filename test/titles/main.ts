/**
 * Shows what became of every test title that once passed, so that none is lost while the tests get
 * lighter: `node scripts/run.cjs typescript test/titles/main.ts BEFORE NOW…`, results of
 * `npm test -- --json --outputFile=FILE` (with `-t zzz` they name the tests without running them),
 * and of `npm test -- test/e2e/release` for what runs there. A test that only changes its file keeps
 * its title, and is not listed.
 * gone.tsv has a line for each title that is gone: its file and title, those that show the same now,
 * and the command that runs them. It is taken out once the suite has its weight.
 */
import { readFileSync } from "node:fs";
import { join, sep } from "node:path";

interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string }[];
  }[];
}

const keyOf = (file: string, title: string): string =>
  `${file}\t${title.replace(/ > /g, " ").replace(/\s+/g, " ").trim()}`;

function titlesIn(path: string): ReadonlySet<string> {
  // Jest's own form.
  const { testResults } = JSON.parse(readFileSync(path, "utf8")) as Results;
  return new Set(
    testResults.flatMap(({ name, assertionResults }) => {
      const file = name.slice(name.lastIndexOf(`${sep}test${sep}`) + 1).replaceAll(sep, "/");
      return assertionResults.map(({ fullName }) => keyOf(file, fullName));
    }),
  );
}

const titleOf = (key: string): string => key.slice(key.indexOf("\t") + 1);

const [beforePath = "", ...nowPaths] = process.argv.slice(2);
const before = titlesIn(beforePath);
const now = new Set(nowPaths.flatMap((path) => [...titlesIn(path)].map(titleOf)));
const successors = new Map(
  readFileSync(join(__dirname, "gone.tsv"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [file = "", title = "", newFile = "", newTitle = "", command = ""] = line.split("\t");
      return [keyOf(file, title), { to: keyOf(newFile, newTitle), command }] as const;
    }),
);
const counts = { kept: 0, succeeded: 0, elsewhere: 0, lost: 0 };
for (const title of before) {
  const next = successors.get(title);
  const isElsewhere = next !== undefined && !/^npm test\b(?!:)/.test(next.command);
  // What succeeds a title may itself have been succeeded, and what runs elsewhere is not in NOW.
  let last = next?.to;
  while (last !== undefined && !now.has(titleOf(last)) && successors.has(last)) {
    last = successors.get(last)?.to;
  }
  if (now.has(titleOf(title))) counts.kept += 1;
  else if (last !== undefined && now.has(titleOf(last))) counts.succeeded += 1;
  else if (isElsewhere) counts.elsewhere += 1;
  else {
    counts.lost += 1;
    console.log(
      `lost: ${title}${last === undefined ? "" : `\n  succeeded by one that is not there: ${last}`}`,
    );
  }
}
console.log(
  `${counts.kept} kept, ${counts.succeeded} shown by another, ${counts.elsewhere} run elsewhere, ${counts.lost} lost`,
);
process.exitCode = counts.lost === 0 ? 0 : 1;
