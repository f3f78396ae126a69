import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { erphost } from "./support";

const root = join(__dirname, "../..");

describe("erphost", () => {
  it("says which version it is", async () => {
    expect(await erphost(["--version"])).toEqual({ code: 0, out: ["1.2.3"], err: [] });
  });

  it("shows every command with examples, and that is no failure", async () => {
    const { code, out, err } = await erphost(["--help"]);
    const text = out.join("\n");
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(text).toContain("erphost whoami --json");
    for (const name of ["emulator", "whoami", "intents"]) expect(text).toContain(`\n  ${name} `);
  });

  it.each([["emulator"], ["whoami"], ["intents"], ["intents", "resolve"]])(
    "helps with %s %s",
    async (...words) => {
      const { code, out } = await erphost([...words.filter(Boolean), "--help"]);
      expect(code).toBe(0);
      expect(out[0]).toContain(`Usage: erphost ${words.join(" ")}`.trimEnd());
    },
  );

  it.each([
    { words: ["nothing"], said: "unknown command 'nothing'" },
    { words: ["whoami", "--key", "x"], said: "unknown option '--key'" },
    { words: ["whoami", "--environment", "prod"], said: "Allowed choices are live, test" },
    { words: ["intents", "drop"], said: "missing required argument 'id'" },
    { words: ["emulator", "--port", "x"], said: "must be a port" },
  ])("takes $words for bad input and says why in one sentence", async ({ words, said }) => {
    const { code, out, err } = await erphost(words);
    expect({ code, out }).toEqual({ code: 2, out: [] });
    expect(err[0]).toContain("error: ");
    expect(err[0]).toContain(said);
  });

  it("shows where an error came from only when asked to", async () => {
    const plain = await erphost(["whoami"]);
    const debugged = await erphost(["whoami"], { env: { ERPHOST_DEBUG: "1" } });
    expect(plain.err).toHaveLength(1);
    expect(debugged.err.some((line) => line.trimStart().startsWith("at "))).toBe(true);
  });

  it("is a program: words in, exit code out, nothing on stdout but what was asked for", async () => {
    const ended = await new Promise((resolve) => {
      const words = ["-r", "ts-node/register", "cli/main.ts", "--version"];
      const child = execFile(process.execPath, words, { cwd: root }, (_, stdout, stderr) => {
        resolve({ code: child.exitCode, stdout, stderr });
      });
    });
    expect(ended).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/),
      stderr: "",
    });
  });
});
