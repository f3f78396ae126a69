/** The provider with Terraform and OpenTofu, from a registry. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram, lastLines } from "../../../scripts/bootstrap/programs.cjs";
import type { NodeRelease } from "../registries/all";
import type { Hosts } from "../registries/hosts";
import { SYSTEM, type Stage } from "../stage";
import type { Stranger } from "../stranger";
import { expectText, machine, type Face } from "./face";

const EXAMPLE = join(__dirname, "../../../examples/terraform/main.tf");

const engines = ["terraform", "tofu"] as const;

const faceOf = (program: string): Face => ({
  name: program,
  about: `the provider with ${program} init, from a registry`,
  rehearse: async (stage) => {
    const stranger = await terraformUser(stage, await stage.registries.terraform(), program);
    stranger.write({ "main.tf": readFileSync(EXAMPLE, "utf8") });
    await stage.attempt({
      face: program === "tofu" ? "OpenTofu" : "Terraform",
      platform: `${SYSTEM}, ${program} ${await versionOf(stranger, program)}`,
      command: `${program} init`,
      install: async () => {
        await stranger.run(program, "init", "-no-color");
        return join(stranger.folder, ".terraform", "providers");
      },
      use: () => livesAndDies(stage, stranger, [program]),
    });
  },
});

export const [terraform, tofu] = engines.map(faceOf) as [Face, Face];

/** Somebody with one engine, who reaches these hosts. */
export const terraformUser = async (
  stage: Stage,
  hosts: Hosts,
  engine: string,
  release?: NodeRelease,
): Promise<Stranger> =>
  stage.stranger(release ?? (await stage.registries.newest()), {
    programs: machine(engine),
    env: { ...hosts.env, TF_IN_AUTOMATION: "1", CHECKPOINT_DISABLE: "1" },
  });

async function versionOf(stranger: Stranger, engine: string): Promise<string> {
  const { stdout } = await stranger.run(engine, "version");
  return /v(\d\S+)/.exec(stdout)?.[1] ?? "unknown";
}

/** Applies, plans nothing, and destroys. @param engine the program and its first words */
export function livesAndDies(
  stage: Stage,
  stranger: Stranger,
  [engine, ...first]: readonly [string, ...string[]],
): Promise<string> {
  return stage.withEmulator(stranger, async (emulator) => {
    await stranger.run(engine, ...first, "apply", "-auto-approve", "-input=false", "-no-color");
    const words = [...first, "plan", "-detailed-exitcode", "-no-color"];
    const plan = await stranger.try(engine, ...words);
    if (plan.code !== 0)
      throw new Error(`a second plan is not empty:\n${lastLines(plan.output, 20)}`);
    expectText(plan.output, /No changes/);
    await stranger.run(engine, ...first, "destroy", "-auto-approve", "-input=false", "-no-color");
    await emulator.expectEmpty();
    return "apply, no changes, destroy";
  });
}

/** The first engine that is on PATH, for what either can do. */
export const anyEngine = (): string => {
  const found = engines.find((program) => findProgram(program, process.env["PATH"] ?? ""));
  if (!found) throw new Error("neither terraform nor tofu is on PATH");
  return found;
};
