/** What the first commands in a checkout do with the engines that are on the machine, and without. */
import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { ensureEngines } from "../../scripts/engines/get.cjs";
import { TASKS } from "../../scripts/tasks.cjs";
import { outcomeOf } from "../support/wait";
import { createSandbox, startRun, type Sandbox } from "./support/run";

let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  sandbox = createSandbox();
  // A vendor that refuses at once, as on a machine without a network.
  env = { ...sandbox.env, ERPHOST_ENGINES_MIRROR: "https://127.0.0.1:2" };
});

describe("the demo without an engine's name", () => {
  /** The words that the demo is called with once its engine is there, and what was said until then. */
  async function demo(...words: string[]) {
    let stderr = "";
    const write = jest.spyOn(process.stderr, "write").mockImplementation((text) => {
      stderr += String(text);
      return true;
    });
    try {
      const { engines, args } = TASKS["demo"] ?? {};
      const context = { env, node: process.execPath };
      const { found } = await ensureEngines(engines?.(words) ?? [], [], context);
      const names = found.map(({ name }) => name);
      return { words: args?.(words, names), stderr };
    } finally {
      write.mockRestore();
    }
  }

  const addPulumi = (): void => {
    sandbox.addProgram("pulumi", "echo v3.253.0");
    for (const name of ["nodejs", "python", "python-exec", "yaml"]) {
      sandbox.addProgram(`pulumi-language-${name}`, "");
    }
    sandbox.addProgram("pulumi-resource-pulumi-nodejs", "");
  };

  test("the demo takes the Pulumi that is there, and says nothing of engines", async () => {
    addPulumi();
    sandbox.addProgram("tofu", "echo OpenTofu v1.12.1");
    expect(await demo()).toEqual({ words: ["--engine", "pulumi"], stderr: "" });
  });

  test.each([
    ["tofu", "OpenTofu"],
    ["terraform", "Terraform"],
  ])("the demo takes the %s that is there rather than getting Pulumi", async (program, title) => {
    sandbox.addProgram(program, `echo ${title} v1.12.1`);
    const stderr = `erphost: with ${title}, which is here; \`npm run engines pulumi\` gets Pulumi as well\n`;
    expect(await demo("--verbose")).toEqual({ words: ["--verbose", "--engine", program], stderr });
  });

  test("the demo gets Pulumi where no engine is there, and names every way that was tried", async () => {
    sandbox.addProgram("tofu", "echo OpenTofu v1.6.0");
    await expect(demo()).rejects.toThrow(
      /Pulumi >=\S+ <\S+ is needed and not available\.[^]*downloaded: https:\S+ cannot be reached[^]*built with Go: no `go` on PATH/,
    );
  });

  test("the demo of an engine that is named gets that one", async () => {
    addPulumi();
    const message = /OpenTofu >=\S+ <\S+ is needed and not available\./;
    await expect(demo("--engine=tofu")).rejects.toThrow(message);
  });
});

describe("the shell", () => {
  /** Types the lines, then leaves. */
  const shell = (words: readonly string[], ...lines: string[]) => {
    const child = startRun(["shell", ...words], { ...env, SHELL: "sh" });
    child.stdin.end(lines.map((line) => `${line}\n`).join(""));
    return outcomeOf(child);
  };

  test("the shell opens without any engine, and names how to get each", async () => {
    const { code, stdout, stderr } = await shell([], 'echo "at $ERPHOST_BASE_URL"');
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Engines here: none.\n");
    for (const name of ["pulumi", "tofu", "terraform"]) {
      expect(stdout).toContain(`${name} is not; npm run shell -- --engine ${name} gets it.`);
    }
    expect(stdout).toMatch(/^at http:\/\/127\.0\.0\.1:\d+\/v1$/m);
  });

  test("the shell takes the engine that is there, and shows what to try with it", async () => {
    sandbox.addProgram("tofu", "echo OpenTofu v1.12.1");
    const { code, stdout } = await shell([], "tofu version");
    expect(code).toBe(0);
    expect(stdout).toContain("Engines here: tofu.\n");
    expect(stdout).toContain("tofu init -plugin-dir=../../dist/terraform-mirror");
    expect(stdout).not.toContain("tofu is not;");
    expect(stdout).toMatch(/^OpenTofu v1\.12\.1$/m);
  });

  test("the shell without an engine speaks of none, and passes other words on", async () => {
    sandbox.addProgram("tofu", "echo OpenTofu v1.12.1");
    const { stdout } = await shell(["--engine", "none"], "exit");
    expect(stdout).toContain("Engines here: none.\n");
    expect(stdout).not.toContain("is not;");
    expect(await shell(["--engine=none", "-c", "echo words"])).toMatchObject({ stdout: "words\n" });
  });

  test("the shell gets the engine that is named, or says why it cannot", async () => {
    const { code, stdout, stderr } = await shell(["--engine", "terraform"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/Terraform >=\S+ <\S+ is needed and not available\./);
  });

  test("an engine that the shell does not know is refused with those that it does", async () => {
    const stderr =
      'There is no engine "docker" for a shell. Use pulumi, tofu, terraform or none.\n';
    expect(await shell(["--engine", "docker"])).toMatchObject({ code: 2, stderr });
  });
});
