/** A plugin's package for each platform: an executable that needs nothing else, where one is made. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json";
import { SERVICE } from "../../../provider/terraform/names";
import { TERRAFORM_CALLS } from "../../../provider/terraform/server/methods";
import { schemaAnswers } from "../../../provider/terraform/server/schema-answers";
import type { Entry } from "../archive";
import { PULUMI_ENTRY, TERRAFORM_ENTRY } from "../bundle";
import { MINIMUM, PULUMI_PROGRAM, pulumiFiles, TERRAFORM_PROGRAM } from "../launcher";
import { terraformFiles } from "../launcher";
import { goParts, notices } from "../notices";
import { PLATFORMS, platformOf } from "../terraform/layout";
import { packedNode, type PackedNode } from "./packed-node";
import { hasGo, starterWith, type Contents } from "./starter";
import { pulumiWarmUp, terraformWarmUp, type WarmUp } from "./warm-up";

/** As Go names the parts, and Pulumi joins them: linux-amd64. */
const joined = (platform: string): string => platform.replace("_", "-");

/** This machine's. */
export const OWN_PLATFORM = joined(platformOf(process.platform, process.arch));

/** A plugin, and how it complains. */
export interface Program extends Pick<Contents, "complaints" | "calls" | "answers"> {
  /** File name of what is started, without `.exe`. */
  readonly name: string;
  /** As a person knows it. */
  readonly title: string;
  readonly warmUp: WarmUp;
  /** What it was bundled from. */
  readonly entry: string;
  /** The package that needs Node.js on the user's machine. */
  readonly launcher: readonly Entry[];
}

/** The engines show what stands where the handshake should be, and hide stderr. */
export const terraformProgram = (bundle: string): Program => ({
  name: `${TERRAFORM_PROGRAM}_v${version}`,
  title: TERRAFORM_PROGRAM,
  complaints: "stdout",
  warmUp: terraformWarmUp(),
  calls: TERRAFORM_CALLS,
  answers: Object.fromEntries(
    Object.entries(schemaAnswers).map(([name, answer]) => [SERVICE + name, answer()]),
  ),
  entry: TERRAFORM_ENTRY,
  launcher: terraformFiles(bundle, version),
});

/** What Pulumi starts. */
export const pulumiProgram = (bundle: string): Program => ({
  name: PULUMI_PROGRAM,
  title: PULUMI_PROGRAM,
  complaints: "stderr",
  warmUp: pulumiWarmUp(),
  calls: [],
  answers: {},
  entry: PULUMI_ENTRY,
  launcher: pulumiFiles(bundle),
});

/** The files of the package for one platform. */
export interface Package {
  readonly platform: string;
  /** Empty where not even a launcher would work. */
  readonly entries: readonly Entry[];
  /** Needs no Node.js on the user's machine. */
  readonly selfContained: boolean;
  /** Why it is not. */
  readonly note?: string;
}

/** One package for each of PLATFORMS. Executables that cannot be made here become launchers. */
export async function packagesOf(
  program: Program,
  bundle: string,
  which: "own" | "all",
): Promise<Package[]> {
  const packages: Package[] = [];
  for (const platform of PLATFORMS.map(joined)) {
    const made =
      which === "own" && platform !== OWN_PLATFORM
        ? launcherOf(program, platform, "a build with --all makes one that does not")
        : packageOf(program, bundle, platform, which);
    packages.push(await made);
  }
  return packages;
}

async function launcherOf(program: Program, platform: string, why: string): Promise<Package> {
  // Windows starts no script by the name that Terraform asks for.
  const isStarted = !platform.startsWith("windows-") || program.launcher.some(isForWindows);
  const entries = isStarted ? [...program.launcher, ...(await notices(program.entry, []))] : [];
  const note = isStarted ? `needs Node.js, because ${why}` : `left out, because ${why}`;
  return { platform, entries, selfContained: false, note };
}

const isForWindows = ({ name }: Entry): boolean => name.endsWith(".cmd");

async function packageOf(program: Program, bundle: string, platform: string, which: "own" | "all") {
  if (!hasGo()) return launcherOf(program, platform, "there is no `go` on PATH to make another");
  try {
    const node = await packedNode(platform, process.env, which === "all" ? "best" : "quick");
    const content = await executable(program, bundle, platform, node);
    const suffix = platform.startsWith("windows-") ? ".exe" : "";
    const others = [{ name: `Node.js ${node.version}`, text: node.licence }, ...(await goParts())];
    const made = { name: program.name + suffix, content, executable: true };
    const entries = [made, ...(await notices(program.entry, others))];
    return { platform, entries, selfContained: true };
  } catch (error) {
    return launcherOf(program, platform, error instanceof Error ? error.message : String(error));
  }
}

/** @throws Error where it cannot be made, such as without Go */
async function executable(
  { title, complaints, warmUp, calls, answers }: Omit<Program, "name" | "entry" | "launcher">,
  bundle: string,
  platform: string,
  node: PackedNode,
): Promise<Buffer> {
  const script = (name: string): string => readFileSync(join(__dirname, name), "utf8");
  return starterWith(platform, {
    program: title,
    complaints,
    needs: MINIMUM,
    patience: 30,
    calls,
    answers,
    node,
    scripts: {
      "start.cjs": script("start.cjs").replace('"0.0.0"', JSON.stringify(MINIMUM)),
      "warm.cjs": script("warm.cjs"),
      "warm-up.json": JSON.stringify(warmUp),
      "provider.cjs": bundle,
    },
  });
}
