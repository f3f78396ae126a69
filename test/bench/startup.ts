/** What starting the provider costs, compared with one in Go, made with HashiCorp's framework. */
import { readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { startProvider } from "../e2e/release/starter/process";
import { mirrorOf } from "../e2e/support/restapi";
import { buildMirror, HEADER, MIRROR, onPath } from "../harness/terraform-workspace";
import { TerraformWorkspace, type EngineName } from "../harness/terraform-workspace";
import type { Figure } from "../support/figures";
import { inTurns, sampled, succeeded, timed, type BenchOptions, type Section } from "./section";

const PROGRAM = "terraform-provider-peer";

/** The provider in Go, which is made of our schema and does nothing. */
export const PEER = {
  source: "bench/peer",
  programAndVersion: [PROGRAM, "with terraform-plugin-framework 1.19.0"],
} as const;
export const REFERENCE = "a Go provider with the same schema";
const TIME_RATIO_MAX = 1.5;
const MEMORY_RATIO_MAX = 2.5;
const PACKAGE_MB_MAX = 45;

const OURS = join(
  MIRROR,
  `registry.terraform.io/erphost/erphost/${version}/linux_amd64/terraform-provider-erphost_v${version}`,
);

/** The beginning of a configuration with it, as the provider `peer`. */
export const peerHeader = `terraform {
  required_providers {
    peer = {
      source = "${PEER.source}"
    }
  }
}
`;

const schema = (workspace: TerraformWorkspace): Promise<void> =>
  succeeded("providers schema", workspace.run("providers", "schema", "-json"));

/** @throws Error where it is not on PATH */
function peerProgram(): string {
  const program = onPath(PROGRAM);
  if (program === undefined) throw new Error(`${PROGRAM} is not on PATH`);
  return program;
}

export function peerMirror(engine: EngineName): string {
  const { mirror, program } = mirrorOf(engine, PEER.source, "1.0.0");
  symlinkSync(peerProgram(), program);
  return mirror;
}

/** An engine's command that starts the provider once, asks for its schema and ends it. */
async function commandTimes(engine: EngineName, rounds: number): Promise<Figure> {
  const mirror = peerMirror(engine);
  const ours = await TerraformWorkspace.create({ engine, env: {} }, HEADER);
  const withPeer = { engine, env: {}, mirrors: [mirror] };
  const theirs = await TerraformWorkspace.create(withPeer, peerHeader);
  try {
    const times = await inTurns(rounds, { ours: () => schema(ours), peer: () => schema(theirs) });
    const reference = { name: REFERENCE, samples: times.peer };
    return timed(`${engine} providers schema`, times.ours, reference, TIME_RATIO_MAX);
  } finally {
    for (const workspace of [ours, theirs]) workspace.remove();
    rmSync(mirror, { recursive: true });
  }
}

/** Starts a provider as an engine does and asks for its schema. @returns its largest memory in MB */
async function peakOf(program: string): Promise<number> {
  const { child, connect } = await startProvider(program);
  try {
    const client = await connect();
    const { status } = await client.call("/tfplugin6.Provider/GetProviderSchema", Buffer.alloc(0));
    if (status !== 0) throw new Error(`${program} has no schema: status ${status}`);
    const memory = readFileSync(`/proc/${child.pid}/status`, "utf8");
    const [, kilobytes = ""] = /^VmHWM:\s*(\d+) kB$/m.exec(memory) ?? [];
    client.close();
    return Number(kilobytes) / 1000;
  } finally {
    child.kill("SIGKILL");
  }
}

async function bench({ rounds, say }: BenchOptions): Promise<Figure[]> {
  buildMirror();
  const peer = peerProgram();
  const engines = (["terraform", "tofu"] as const).filter((engine) => onPath(engine));
  const figures: Figure[] = [];
  for (const engine of engines) {
    say(`${engine} providers schema`);
    figures.push(await commandTimes(engine, rounds));
  }
  say("the provider by itself");
  const start = await inTurns(rounds, { ours: () => peakOf(OURS), peer: () => peakOf(peer) });
  figures.push(timed("start to the schema", start.ours, { name: REFERENCE, samples: start.peer }));
  const peaks = await sampled(rounds, { ours: () => peakOf(OURS), peer: () => peakOf(peer) });
  const size = { name: "the package", unit: "MB", samples: [statSync(OURS).size / 1e6] };
  return [
    ...figures,
    {
      ...{ name: "largest memory, asked for the schema", unit: "MB", samples: peaks.ours },
      reference: { name: REFERENCE, samples: peaks.peer, how: "in turns" },
      aim: { atMost: MEMORY_RATIO_MAX },
    },
    { ...size, aim: { atMost: PACKAGE_MB_MAX } },
  ];
}

export const startupSection: Section = {
  name: "startup",
  about: "what starting the provider costs, compared with a provider in Go",
  programs: [PEER.programAndVersion],
  run: bench,
};
