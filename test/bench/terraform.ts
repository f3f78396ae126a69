/**
 * How long a plan without changes takes with Terraform or OpenTofu, compared with the engine's own
 * `terraform_data` and with a generic REST provider that reads each object separately.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { startEmulator, type Emulator } from "../../emulator";
import {
  buildMirror,
  HEADER,
  TerraformWorkspace,
  type EngineName,
} from "../harness/terraform-workspace";
import { RESTAPI as PEER, restapiHeader, restapiMirror } from "../e2e/support/restapi";
import { mirrorOf } from "../e2e/support/mirror";
import { bundle, TERRAFORM_ENTRY } from "../../scripts/release/bundle";
import { packedNode } from "../../scripts/release/runtime/node-binaries.cjs";
import { executable, terraformProgram } from "../../scripts/release/runtime/packages";
import type { Figure } from "../support/figures";
import { counted, inTurns, timed, type BenchOptions, type Section } from "./section";
import { manyServers } from "./serving";

const SERVERS = 1_000;
const NEAR_MS = 20;
const FAR_MS = 100;
const PEER_ROUNDS_MAX = 3;

const COUNT = 'variable "servers" {\n  type    = number\n  default = 1\n}\n';

const ours = `${COUNT}${HEADER}
resource "erphost_server" "all" {
  count = var.servers
  name  = "server-\${count.index}"
}
`;

const builtIn = `${COUNT}
resource "terraform_data" "all" {
  count = var.servers
  input = "server-\${count.index}"
}
`;

const peer = ({ baseUrl, adminKey }: Emulator): string => `${COUNT}
${restapiHeader(baseUrl, adminKey)}
resource "restapi_object" "all" {
  count = var.servers
  path  = "/servers"
  data  = jsonencode({ name = "server-\${count.index}" })
}
`;

const NOTHING = "bench/nothing";

const nothing = `${COUNT}
terraform {
  required_providers {
    nothing = {
      source = "${NOTHING}"
    }
  }
}
resource "erphost_server" "all" {
  provider = nothing
  count    = var.servers
  name     = "server-\${count.index}"
}
`;

type Sides = Readonly<Record<"ours" | "builtIn" | "peer" | "nothing", TerraformWorkspace>>;

/** Replaces the calls of this provider. */
const nothingInstead: Plugin = {
  name: "nothing-instead",
  setup(builder) {
    const path = require.resolve("./nothing/provider");
    builder.onResolve({ filter: /^\.\/server\/provider$/ }, () => ({ path }));
  },
};

/** A provider that does nothing, bundled and wrapped like ours. */
async function nothingMirror(engine: EngineName): Promise<string> {
  const { mirror, program } = mirrorOf(engine, NOTHING, "0.1.0");
  const source = await bundle(TERRAFORM_ENTRY, [nothingInstead]);
  const content = await executable(
    { ...terraformProgram(source), answers: {} },
    source,
    "linux-amd64",
    await packedNode("linux-amd64", process.env, "quick"),
  );
  writeFileSync(program, content, { mode: 0o755 });
  return mirror;
}

/** The part of a state file that is read here. */
interface StateFile {
  readonly resources: { instances: { readonly attributes: Readonly<Record<string, unknown>> }[] }[];
}
type Attributes = Readonly<Record<string, unknown>>;

/**
 * The engine has created one object. Afterwards its state has all of these records, which are copies
 * of it: everything that a plan looks at, without an apply of a thousand.
 */
function fill(workspace: TerraformWorkspace, one: Attributes, all: readonly Attributes[]): void {
  const state = JSON.parse(workspace.stateText()) as StateFile; // The engine wrote it just now.
  const [resource] = state.resources;
  const [instance] = resource?.instances ?? [];
  if (!resource || !instance) throw new Error("The apply created nothing.");
  const text = JSON.stringify(instance.attributes);
  resource.instances = all.map((record, index) => {
    const attributes = Object.entries(one).reduce(
      (inner, [field, value]) => inner.replaceAll(String(value), String(record[field])),
      text,
    );
    return { ...instance, index_key: index, attributes: JSON.parse(attributes) as Attributes };
  });
  writeFileSync(join(workspace.folder, "terraform.tfstate"), JSON.stringify(state));
  workspace.write("terraform.tfvars", `servers = ${SERVERS}\n`);
}

/** Gives each side a state of a thousand, and the service one thousand in all. */
async function fillAll(sides: Sides, emulator: Emulator): Promise<void> {
  const { ours: first, peer: second, builtIn: third } = sides;
  for (const side of [first, second, third]) succeeded("apply", await side.apply());
  const plain = ({ id, name, created_at }: Attributes): Attributes => ({ id, name, created_at });
  const [own, foreign] = emulator.objects("server").map(plain);
  if (!own || !foreign) throw new Error("Two servers should have been created.");
  emulator.removeObject("server", String(foreign["id"]));
  const servers = manyServers(SERVERS);
  const created = [own, ...emulator.createObjects("server", servers.slice(1)).map(plain)];
  fill(sides.ours, own, created);
  fill(sides.peer, foreign, created);
  fill(sides.builtIn, { name: own["name"] }, created);
  writeFileSync(
    join(sides.nothing.folder, "terraform.tfstate"),
    sides.ours.stateText().replaceAll("/erphost/erphost", `/${NOTHING}`),
  );
  sides.nothing.write("terraform.tfvars", `servers = ${SERVERS}\n`);
}

function succeeded(what: string, { code, output }: { code: number | null; output: string }): void {
  if (code !== 0) throw new Error(`${what} ended with ${String(code)}:\n${output.slice(-2_000)}`);
}

const planned = async (workspace: TerraformWorkspace): Promise<void> =>
  succeeded("a plan without changes", await workspace.plan());

const schema = async (workspace: TerraformWorkspace): Promise<void> =>
  succeeded("providers schema", await workspace.run("providers", "schema", "-json"));

async function measured(
  engine: EngineName,
  sides: Sides,
  emulator: Emulator,
  { rounds, say }: BenchOptions,
): Promise<Figure[]> {
  const plan = `${engine} plan of ${SERVERS.toLocaleString("en")} servers`;
  const delayed = (ms: number): string => {
    emulator.setFaults([{ match: { path: "/**" }, effect: { type: "delay", ms } }]);
    say(`${engine}, ${ms} ms a call`);
    return `${plan}, ${ms} ms a call`;
  };
  const own = () => planned(sides.ours);
  const name = delayed(NEAR_MS);
  await own();
  emulator.clearJournal();
  await own();
  const calls = emulator.journal().length;
  const near = await inTurns(rounds, {
    ours: own,
    builtIn: () => planned(sides.builtIn),
    nothing: () => planned(sides.nothing),
  });
  // The peer takes up to a minute per plan, so a few rounds must do.
  const few = Math.min(rounds, PEER_ROUNDS_MAX);
  const against = () => inTurns(few, { ours: own, peer: () => planned(sides.peer) });
  const nearPeer = await against();
  const farName = delayed(FAR_MS);
  const farPeer = await against();
  const schemas = await inTurns(rounds, {
    ours: () => schema(sides.ours),
    peer: () => schema(sides.peer),
  });
  const restapi = ({ peer: samples }: { peer: readonly number[] }) => ({
    name: "restapi",
    samples,
  });
  const least = "a provider that does nothing";
  return [
    counted(
      `${plan}, calls`,
      { unit: "calls", sample: calls },
      { name: "a call per record", value: SERVERS },
      11 / SERVERS,
    ),
    timed(name, near.ours, { name: "terraform_data", samples: near.builtIn }, 2.5),
    timed(name, near.ours, { name: least, samples: near.nothing }, 1.3),
    timed(name, nearPeer.ours, restapi(nearPeer), 1 / 5),
    timed(farName, farPeer.ours, restapi(farPeer), 1 / 15),
    timed(`${engine} providers schema`, schemas.ours, restapi(schemas), 3),
  ];
}

async function bench(engine: EngineName, options: BenchOptions): Promise<Figure[]> {
  const mirrors = [restapiMirror(engine), await nothingMirror(engine)];
  // The peer needs an item GET; ours is not configured to use it.
  const profile = { resources: { server: { operations: { get: true } } } };
  const emulator = await startEmulator({ provisionMs: 0, profile });
  const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
  const open = (configuration: string): Promise<TerraformWorkspace> =>
    TerraformWorkspace.create({ engine, env, mirrors }, configuration);
  const sides: Sides = {
    ours: await open(ours),
    peer: await open(peer(emulator)),
    builtIn: await open(builtIn),
    nothing: await open(nothing),
  };
  try {
    await fillAll(sides, emulator);
    return await measured(engine, sides, emulator, options);
  } finally {
    for (const side of Object.values(sides)) side.remove();
    for (const mirror of mirrors) rmSync(mirror, { recursive: true });
    await emulator.close();
  }
}

const section = (engine: EngineName, product: string): Section => ({
  name: engine,
  about: `plans of ${SERVERS} servers by ${product}`,
  programs: [engine, [PEER.program, PEER.version]],
  run: (options) => {
    buildMirror();
    return bench(engine, options);
  },
});

export const terraformSection = section("terraform", "Terraform");
export const tofuSection = section("tofu", "OpenTofu");
