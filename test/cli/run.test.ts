import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { settings, variableOf } from "../../provider/settings";
import { erphost } from "./support";

/** Runs a program in TypeScript as a process of its own. */
const node = (...words: string[]) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const all = ["-r", "ts-node/register", ...words];
    const options = { cwd: join(__dirname, "../..") };
    const child = execFile(process.execPath, all, options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });

describe("erphost", () => {
  test("erphost --version prints the version", async () => {
    expect(await erphost(["--version"])).toEqual({ code: 0, out: ["1.2.3"], err: [] });
  });

  test("erphost --help lists every command with examples and succeeds", async () => {
    const { code, out, err } = await erphost(["--help"]);
    const text = out.join("\n");
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(text).toContain("erphost whoami --json");
    for (const name of ["emulator", "whoami", "intents"]) expect(text).toContain(`\n  ${name} `);
    for (const name of Object.keys(settings)) expect(text).toContain(`\n  ${variableOf(name)} `);
  });

  test.each([["emulator"], ["whoami"], ["intents"], ["intents", "resolve"]])(
    "erphost %s %s --help shows how the command is used",
    async (...words) => {
      const { code, out } = await erphost([...words.filter(Boolean), "--help"]);
      expect(code).toBe(0);
      expect(out[0]).toContain(`Usage: erphost ${words.join(" ")}`.trimEnd());
    },
  );

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
