import { run } from "../../cli/run";
import { systemInjectables } from "../../provider/client";
import type { World } from "../../cli/world";

export interface CommandResult {
  readonly code: number;
  /** Lines on stdout and stderr. */
  readonly out: readonly string[];
  readonly err: readonly string[];
}

export type Surroundings = Partial<
  Omit<World, "print" | "report"> & {
    /** Called with each line on stdout as it is printed. */
    readonly onLine: (line: string) => void;
  }
>;

/** A world without anything of this process. */
export const worldOf = (world: Partial<World> = {}): World => ({
  env: {},
  cwd: "/nowhere",
  pid: 1,
  platform: "linux",
  processes: { self: "1-1", isAlive: () => false },
  nowMs: () => Date.now(),
  after: (ms, work) => systemInjectables().clock.after(ms, work),
  userKey: async () => undefined,
  readFile: (path) => {
    throw new Error(`${path} was read`);
  },
  readInput: async () => "",
  isTerminal: false,
  stopped: new AbortController().signal,
  version: "1.2.3",
  print: () => undefined,
  report: () => undefined,
  ...world,
});

export async function erphost(words: readonly string[], { onLine, ...world }: Surroundings = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const given = worldOf({
    ...world,
    print: (line) => {
      out.push(...line.split("\n"));
      onLine?.(line);
    },
    report: (line) => void err.push(...line.split("\n")),
  });
  return { code: await run(words, given), out, err };
}

/** What a command complains of. @throws Error with all of it where it ends with another code */
export async function complaint(code: number, ended: Promise<CommandResult>): Promise<string> {
  const result = await ended;
  const text = result.err.join("\n");
  if (result.code !== code) throw new Error(`exit code ${result.code}\n${text}`);
  return text;
}

/** Letters in place of digits: numbers would make names alike, and one line of them. */
export const letters = (index: number): string =>
  String(index).replace(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "");

/** Objects of a section in Markdown: each of its lines is one, or says how many are left out. */
export const objectsIn = (section: string): number =>
  (section.match(/^- `/gm)?.length ?? 0) +
  Number(/… and ([\d,]+) more, left out/.exec(section)?.[1]?.replaceAll(",", "") ?? 0);

/** The last word of the line that begins so. */
export const lastWord = (lines: readonly string[], start: string): string =>
  lines
    .find((line) => line.trim().startsWith(start))
    ?.split(/\s+/)
    .at(-1) ?? "";

/** Runs `erphost emulator` until `use` is done with what it serves. */
export async function served(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  use: (baseUrl: string, lines: readonly string[]) => Promise<void> = async () => undefined,
): Promise<CommandResult> {
  const stop = new AbortController();
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  const ended = erphost(["emulator", "--port", "0", ...words], {
    env,
    stopped: stop.signal,
    onLine: (line) => {
      lines.push(line);
      if (line.startsWith("export ")) ready.resolve();
    },
  });
  await Promise.race([ready.promise, ended]);
  try {
    if (lines.some((line) => line.startsWith("export "))) {
      await use(lastWord(lines, "service"), lines);
    }
  } finally {
    stop.abort();
  }
  return ended;
}
