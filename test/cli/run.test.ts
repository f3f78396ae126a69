import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "@jest/globals";
import { outcomeOf } from "../support/wait";
import { exitCodes } from "../../cli/help";
import { program as programOf } from "../../cli/run";
import { settings, variableOf } from "../../provider/settings";
import { atEnd, folder } from "../support/given";
import { findProgram } from "../../scripts/bootstrap/programs.cjs";
import { SECRET } from "./listen/support";
import { complaint, erphost, worldOf } from "./support";

const ROOT = join(__dirname, "../..");

/** Every command, with the words that it is called by. */
function walked(
  command = programOf([], worldOf()),
  words: readonly string[] = [],
): { words: readonly string[]; path: string; command: Command }[] {
  const inner = command.commands.flatMap((each) => walked(each, [...words, each.name()]));
  return [{ words, path: words.join(" "), command }, ...inner];
}

/** How each shell says what completes the last of some words, by the script of a file. */
const SHELLS: Readonly<Record<string, (file: string, words: readonly string[]) => string[]>> = {
  bash: (file, words) => [
    "-c",
    `set -u; source ${file}; COMP_WORDS=(${quotedAll(words)}); COMP_CWORD=${words.length - 1}; _erphost; printf '%s\\n' "\${COMPREPLY[@]-}"`,
  ],
  // In place of zsh's own, which need a terminal.
  zsh: (file, words) => [
    "-fc",
    `compdef() { }; compadd() { shift; for word in $@; do [[ $word = $words[CURRENT]* ]] && print -- $word; done }; _files() { }; compset() { words[CURRENT]=\${words[CURRENT]#*=} }; source ${file}; words=(${quotedAll(words)}); CURRENT=${words.length}; _erphost`,
  ],
  fish: (file, words) => ["-c", `source ${file}; complete -C '${words.join(" ")}'`],
};
const quotedAll = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");

/** Runs a program in TypeScript as a process of its own. */
const node = (...words: string[]) =>
  outcomeOf(spawn(process.execPath, ["-r", "ts-node/register", ...words], { cwd: ROOT }));

describe("erphost", () => {
  test("erphost --version prints the version", async () => {
    expect(await erphost(["--version"])).toEqual({ code: 0, out: ["1.2.3"], err: [] });
  });

  test("erphost --help lists every command, and every variable that the product reads", async () => {
    const { code, out, err } = await erphost(["--help"], { columns: 100 });
    const text = out.join("\n");
    expect({ code, err }).toEqual({ code: 0, err: [] });
    for (const { words } of walked()) expect(text).toContain(`\n  ${words[0] ?? "emulator"} `);
    const rooms = ["cli", "emulator", "provider"].map((room) => join(ROOT, room));
    const sources = rooms.flatMap((room) =>
      readdirSync(room, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(join(room, file), "utf8")),
    );
    const read = sources.join("\n").match(/\bERPHOST_[A-Z_]*[A-Z](?![A-Z_])/g) ?? [];
    // What a build defines, what a command is given, and names of accounts.
    const others = /^ERPHOST_(?:RELEASE|EVENT(?:_ID|_COUNT)?|ACCOUNT(?:_EU_.*)?)$/;
    const all = [...read, ...Object.keys(settings).map(variableOf)];
    const missing = all.filter((name) => !others.test(name) && !text.includes(`\n  ${name} `));
    expect(missing).toEqual([]);
  });

  test.each(walked())(
    "the help of erphost $path has examples that fit it, variables and the exit codes",
    async ({ words, command }) => {
      const { code, out } = await erphost([...words, "--help"]);
      expect(code).toBe(0);
      expect(out[0]).toContain(`Usage: ${["erphost", ...words].join(" ")} `);
      expect(out.filter((line) => line.length > 80 && !line.startsWith("  erphost "))).toEqual([]);
      const codes = exitCodes.map(([value, meaning]) => `  ${value}  ${meaning}`);
      expect(out.slice(out.indexOf("Exit codes:") + 1)).toEqual(codes);
      expect(out.slice(out.indexOf("Environment:")).join()).toContain("ERPHOST_DEBUG");
      const examples = out.slice(out.indexOf("Examples:") + 1, out.indexOf("Environment:") - 1);
      expect(examples.length).toBeGreaterThan(0);
      expect(new Set(examples).size).toBe(examples.length);
      for (const example of examples) {
        expect(example).toContain(`erphost ${words.join(" ")}`);
        const known = command.options.map(({ long }) => long);
        const own =
          example
            .split(" -- ")[0]
            ?.split("erphost ")[1]
            ?.match(/--[a-z-]+/g) ?? [];
        if (words.length > 0 && command.commands.length === 0)
          expect(known).toEqual(expect.arrayContaining(own));
      }
    },
  );

  test.each([
    ["whoami", "--base-url", ""],
    ["import", "--report", "--profile= "],
    ["plan-summary", "plan.json", "--environment", ""],
    ["pipeline", "plan", "--tool", "terraform", "--stack", " "],
    ["import", "--to", "terraform", "--out", "x", "--name", ""],
  ])("an option that is given empty is refused, as %s %s %s", async (...words) => {
    const [option] = words.join(" ").match(/--[a-z-]+(?=[= ]*$)/) ?? [];
    expect(await complaint(2, erphost(words))).toBe(
      `error: ${option} is empty. Give a value, or leave it out.`,
    );
  });

  test("help is as wide as the terminal, and breaks no word", async () => {
    const texts = await Promise.all(
      [40, 60, 200].map(async (columns) => {
        const { out } = await erphost(["--help"], { columns });
        const long = out.filter(
          (line) => line.length > columns && / \S+ \S/.test(line.trim().slice(0, columns - 10)),
        );
        expect(long.filter((line) => !line.includes("erphost "))).toEqual([]);
        return out.join(" ").replace(/\s+/g, " ");
      }),
    );
    expect(texts[0]?.split("Examples:")[1]).toBe(texts[2]?.split("Examples:")[1]);
  });

  test.each([
    ["nothing", "unknown command 'nothing'"],
    ["whoami --key x", "unknown option '--key'"],
    ["whoami --environment prod", "--environment (ERPHOST_ENVIRONMENT) must be live or test."],
    ["intents drop", "missing required argument 'id'"],
    ["emulator --port x", "must be a port"],
  ])("the arguments %j are invalid input, and one sentence says why", async (words, sentence) => {
    const { code, out, err } = await erphost(words.split(" "));
    expect({ code, out }).toEqual({ code: 2, out: [] });
    expect(err[0]).toContain("error: ");
    expect(err[0]).toContain(sentence);
  });

  test("the stack of an error is shown only with ERPHOST_DEBUG", async () => {
    const plain = await erphost(["whoami"]);
    const debugged = await erphost(["whoami"], { env: { ERPHOST_DEBUG: "1" } });
    expect(plain.err).toHaveLength(1);
    expect(debugged.err.some((line) => line.trimStart().startsWith("at "))).toBe(true);
  });

  test("erphost runs as a program with an exit code, and stdout holds the result only", async () => {
    const stdout = expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/);
    expect(await node("cli/main.ts", "--version")).toEqual({ code: 0, stdout, stderr: "" });
  });

  (existsSync("/dev/full") ? test : test.skip).each([
    [["--version"], 1],
    [["listen", "--port", "0", "--", "true"], 0],
  ] as const)("with a full disk %j says so once, and ends with %i", async (words, code) => {
    const all = ["-r", "ts-node/register", "cli/main.ts", ...words];
    const env = { PATH: process.env["PATH"], ERPHOST_WEBHOOK_SECRET: SECRET };
    const full = openSync("/dev/full", "w");
    atEnd(() => closeSync(full));
    const child = spawn(process.execPath, all, { cwd: ROOT, env, stdio: ["pipe", full, "pipe"] });
    // A listener listens until it is stopped.
    if (code === 0) child.stderr?.once("data", () => child.kill());
    const stderr = "error: stdout cannot be written (ENOSPC).\n";
    expect(await outcomeOf(child)).toEqual({ code, stdout: "", stderr });
  });

  test("a plan that never ends on standard input does not outlive the first signal", async () => {
    const program = `require("./cli/main.ts");
      setImmediate(() => process.kill(process.pid, "SIGINT"));
      setTimeout(() => process.exit(9), 4_000).unref();`;
    const stderr = "error: The operation was aborted\n";
    const ended = await node("-e", program, "erphost", "plan-summary", "-");
    expect(ended).toEqual({ code: 1, stdout: "", stderr });
  });

  test("a file in UTF-16, as PowerShell writes it, is read as any other", async () => {
    const file = join(folder(), "plan.json");
    const text = '\uFEFF{"format_version":"1.2","planned_values":{}}';
    for (const bytes of [Buffer.from(text, "utf16le"), Buffer.from(text, "utf16le").swap16()]) {
      writeFileSync(file, bytes);
      const { stdout, stderr } = await node("cli/main.ts", "plan-summary", file);
      expect(stdout + stderr).toContain("Nothing to do.");
    }
  });

  test("erphost --version, --help and whoami load neither the emulator's server nor SQLite", async () => {
    // What one process has loaded when it ends, besides what it prints.
    const program = `process.on("exit", () => {
      const loaded = Object.keys(require.cache).filter((file) => /emulator.(?:core|store.sqlite)\\.ts$/.test(file));
      require("node:fs").writeSync(2, "loaded: " + loaded.length);
    });
    for (const word of ["--version", "--help", "whoami"]) {
      process.argv[2] = word;
      delete require.cache[require.resolve("./cli/main.ts")];
      require("./cli/main.ts");
    }`;
    const { stdout, stderr } = await node("-e", program, "erphost", "none");
    expect(stdout + stderr).toMatch(/^\d+\.\d+\.\d+\n.*Usage: erphost.*error: .*loaded: 0$/s);
  });
});

describe("erphost completion", () => {
  for (const shell of Object.keys(SHELLS)) {
    const isThere = findProgram(shell, process.env["PATH"] ?? "") !== undefined;
    (isThere ? test : test.skip)(
      `completes in ${shell} what every command declares`,
      async () => {
        const { code, out } = await erphost(["completion", shell]);
        expect(code).toBe(0);
        const file = join(folder(), "completion");
        writeFileSync(file, out.join("\n"));
        const completed = (...words: string[]): string[] =>
          execFileSync(shell, SHELLS[shell]?.(file, ["erphost", ...words]) ?? [], {
            encoding: "utf8",
            env: { ...process.env, HOME: folder() },
          })
            .trim()
            .split("\n")
            // What fish says of each.
            .map((line) => line.replace(/\t.*/, ""))
            .sort();
        for (const { words, command } of walked()) {
          const options = command.options.map(({ long }) => long ?? "");
          expect(completed(...words, "--")).toEqual([...options, "--help"].sort());
          const inner = command.commands.map((each) => each.name()).sort();
          if (inner.length > 0)
            expect(completed(...words, "").filter((word) => !word.startsWith("-"))).toEqual(inner);
        }
        const tools = ["cdktf", "pulumi", "terraform", "tofu"];
        expect(completed("pipeline", "plan", "--stack", "prod", "--tool", "")).toEqual(tools);
        const both = ["terraform", "tofu"];
        expect(completed("pipeline", "plan", "--tool", "t")).toEqual(expect.arrayContaining(both));
        const sign = shell === "bash" ? ["--tool", "=", "t"] : ["--tool=t"];
        const ofSign = completed("pipeline", "plan", ...sign).map((word) => word.split("=").at(-1));
        expect(ofSign).toEqual(both);
        expect(completed("comp")).toEqual(expect.arrayContaining(["completion"]));
        expect(completed("completion", "b")).toEqual(expect.arrayContaining(["bash"]));
      },
      60_000,
    );
  }

  test("a shell that has no script is refused by name, with those that have one", async () => {
    const said = await complaint(2, erphost(["completion", "tcsh"]));
    expect(said).toContain("Allowed choices are bash, zsh, fish.");
  });
});
