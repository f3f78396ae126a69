/**
 * `npm run shell`: a shell in which everything is ready to try by hand. The emulator runs, its
 * address and a key are in the environment, the engines are on PATH, and Pulumi keeps its state in
 * a separate folder, which is deleted when the shell exits. Other arguments are passed to the shell.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../emulator";
import { runCommand } from "../test/support/command-line";
import { becomeProgram } from "./bootstrap/programs.cjs";

const ENGINES = ["pulumi", "tofu", "terraform"];

const USAGE = `Usage: npm run shell -- [--engine pulumi|tofu|terraform|none] [ARGUMENTS OF THE SHELL]

Opens a shell with the emulator running and the engines on PATH: those that are on this machine, or
the one that is named, which is got first if it is not there.
`;

async function main(words: readonly string[]): Promise<number> {
  const { engine, rest } = parse(words);
  if (engine !== undefined && engine !== "none" && !ENGINES.includes(engine)) {
    process.stderr.write(
      `There is no engine "${engine}" for a shell. Use ${ENGINES.join(", ")} or none.\n`,
    );
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), "erphost-shell-"));
  const emulator = await startEmulator();
  try {
    mkdirSync(join(folder, "state"));
    if (rest.length === 0) console.log(greeting(emulator, engine).join("\n"));
    const shell = process.env["SHELL"] ?? "sh";
    const env = {
      ...process.env,
      ERPHOST_BASE_URL: emulator.baseUrl,
      ERPHOST_API_KEY: emulator.adminKey,
      ERPHOST_INTENTS_DIR: join(folder, "intents"),
      PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: process.env["PULUMI_CONFIG_PASSPHRASE"] ?? "emulator",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
    return await becomeProgram(shell, rest, { env });
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `--engine NAME` and `--engine=NAME` are ours, everything else is the shell's. */
function parse(words: readonly string[]) {
  const at = words.findIndex((word) => /^--engine(?:=|$)/.test(word));
  const option = words[at];
  if (option === undefined) return { engine: undefined, rest: words };
  const isJoined = option.includes("=");
  const engine = isJoined ? option.slice("--engine=".length) : (words[at + 1] ?? "");
  return { engine, rest: words.toSpliced(at, isJoined ? 1 : 2) };
}

/** What a person who has just opened the shell needs to know. */
function greeting(emulator: Emulator, engine: string | undefined): string[] {
  // `name (source): folder`, a line each; scripts/run.cjs writes it.
  const lines = (process.env["ERPHOST_ENGINES_FOUND"] ?? "").split("\n");
  const found = ENGINES.filter((name) => lines.some((line) => line.startsWith(`${name} (`)));
  const missing = engine === undefined ? ENGINES.filter((name) => !found.includes(name)) : [];
  const tries: Readonly<Record<string, string>> = {
    pulumi: "cd examples/pulumi && pulumi stack init dev && pulumi up",
    tofu: "cd examples/terraform && tofu init -plugin-dir=../../dist/terraform-mirror && tofu apply",
    terraform:
      "cd examples/terraform && terraform init -plugin-dir=../../dist/terraform-mirror && terraform apply",
  };
  const needsMirror = found.some((name) => name !== "pulumi");
  return [
    `The emulator runs at ${emulator.url} (dashboard and API); its key is in ERPHOST_API_KEY.`,
    `Engines here: ${found.join(", ") || "none"}.`,
    ...missing.map((name) => `  ${name} is not; npm run shell -- --engine ${name} gets it.`),
    "Try: npm run -s erphost -- whoami",
    ...found.map((name) => `Or:  ${tries[name] ?? ""}`),
    ...(needsMirror ? ["(npm run build:terraform makes dist/terraform-mirror.)"] : []),
    ...(isPulumiBuilt(lines)
      ? [
          "A Pulumi that was built here hosts few languages: runtime.options.virtualenv is ignored, and package",
          "add, folder plugins, policy packs and the code that `pulumi import` writes do not work.",
        ]
      : []),
  ];
}

/** Whether the Pulumi in the cache was built rather than downloaded; its record says so. */
function isPulumiBuilt(lines: readonly string[]): boolean {
  const folder = lines
    .map((line) => /^pulumi \((?:built|cache)\): (.+)$/.exec(line)?.[1])
    .find((found) => found !== undefined);
  if (folder === undefined) return false;
  return readFileSync(join(folder, "entry.json"), "utf8").includes('"source": "built');
}

runCommand(main, USAGE);
