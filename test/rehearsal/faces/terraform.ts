/** The provider with Terraform and OpenTofu, from a registry and from a network mirror. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram, lastLines } from "../../../scripts/bootstrap/programs.cjs";
import type { NodeRelease } from "../registries/all";
import { RESTAPI } from "../../e2e/support/restapi";
import { MIRROR, type Hosts } from "../registries/hosts";
import { SYSTEM, type Stage } from "../stage";
import type { Stranger } from "../stranger";
import { expectText, machine, type Face } from "./face";

const EXAMPLE = join(__dirname, "../../../examples/terraform/main.tf");

/** As `terraform version` prints it. */
interface Engine {
  readonly program: "terraform" | "tofu";
  /** The file in one's home that configures the command line. */
  readonly settings: string;
}

const engines: readonly Engine[] = [
  { program: "terraform", settings: ".terraformrc" },
  { program: "tofu", settings: ".tofurc" },
];

/** Another provider besides ours. */
const WITH_OTHER = `terraform {
  required_providers {
    erphost = {
      source = "erphost/erphost"
    }
    restapi = {
      source = "${RESTAPI.source}"
    }
  }
}

provider "erphost" {}

provider "restapi" {
  uri = "http://127.0.0.1:9"
}

resource "erphost_server" "main" {
  name = "shop"
}

data "erphost_servers" "all" {
  depends_on = [erphost_server.main]
}
`;

/** Where the engine gets the provider from. */
interface Source {
  readonly name: string;
  /** What is in the command line's configuration; most people have none. */
  readonly settings?: string;
  readonly configuration: string;
}

const FROM_REGISTRY: Source = { name: "registry", configuration: readFileSync(EXAMPLE, "utf8") };

const sources: readonly Source[] = [
  FROM_REGISTRY,
  {
    name: "network mirror, a second provider from the registry",
    settings: `provider_installation {
  network_mirror {
    url     = "https://${MIRROR}/"
    include = ["erphost/erphost"]
  }
  direct {
    exclude = ["erphost/erphost"]
  }
}
`,
    configuration: WITH_OTHER,
  },
];

const faceOf = (engine: Engine): Face => ({
  name: engine.program,
  about: `the provider with ${engine.program} init, from a registry and from a network mirror`,
  rehearse: async (stage) => {
    for (const source of sources) await rehearseSource(stage, engine, source);
  },
});

async function rehearseSource(
  stage: Stage,
  { program, settings }: Engine,
  source: Source,
): Promise<boolean> {
  const stranger = await terraformUser(stage, await stage.registries.terraform(), program);
  if (source.settings !== undefined) stranger.writeAtHome(settings, source.settings);
  stranger.write({ "main.tf": source.configuration });
  return stage.attempt({
    face: program === "tofu" ? "OpenTofu" : "Terraform",
    platform: `${SYSTEM}, ${program} ${await versionOf(stranger, program)}`,
    command: `${program} init (${source.name})`,
    install: async () => {
      await stranger.run(program, "init", "-no-color");
      return join(stranger.folder, ".terraform", "providers");
    },
    use: () => livesAndDies(stage, stranger, [program]),
  });
}

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
  const found = engines.find(({ program }) => findProgram(program, process.env["PATH"] ?? ""));
  if (!found) throw new Error("neither terraform nor tofu is on PATH");
  return found.program;
};
