/** Times of a plan without changes and of an apply, next to a provider in Go that does nothing. */
import { rmSync, writeFileSync } from "node:fs";
import { startEmulator, type Emulator } from "../../emulator";
import { buildMirror, HEADER, TerraformWorkspace } from "../harness/terraform-workspace";
import type { EngineName } from "../harness/terraform-workspace";
import type { Figure } from "../support/figures";
import { counted, inTurns, succeeded, timed, type BenchOptions, type Section } from "./section";
import { manyServers } from "./serving";
import { PEER, peerHeader, peerMirror, REFERENCE } from "./startup";

const PLANNED = 1_000;
const APPLIED = 100;
const CALL_MS = 20;
/** For a plan, a page of a hundred is a call, and one more asks whose key it is. */
const RATIO_MAX = {
  plan: { time: 1.3, calls: 11 / PLANNED },
  apply: { time: 1.75, calls: 1.1 },
} as const;

/** @param header declares the provider of this name */
const program = (header: string, provider: string): string => `${header}
variable "servers" {
  type = number
}

resource "erphost_server" "all" {
  provider = ${provider}
  count    = var.servers
  name     = "server-\${count.index}"
}
`;

type Sides = Readonly<Record<"ours" | "peer", TerraformWorkspace>>;
type Attributes = Readonly<Record<string, unknown>>;

/**
 * The engine has created one object. Afterwards its state has all of these records, which are copies
 * of it: everything that a plan looks at, without an apply of a thousand. The peer has the same
 * attributes, without what only our provider keeps next to them.
 */
function fill({ ours, peer }: Sides, one: Attributes, all: readonly Attributes[]): void {
  // The part that is read here; the engine wrote it just now.
  const state = JSON.parse(ours.stateText()) as { resources: { instances: Attributes[] }[] };
  const [resource] = state.resources;
  const [instance] = resource?.instances ?? [];
  if (!resource || !instance) throw new Error("The apply created nothing.");
  const text = JSON.stringify(instance["attributes"]);
  const instances = all.map((record, index): Attributes => {
    const attributes = Object.entries(one).reduce(
      (inner, [field, value]) => inner.replaceAll(String(value), String(record[field])),
      text,
    );
    return { ...instance, index_key: index, attributes: JSON.parse(attributes) as Attributes };
  });
  resource.instances = instances;
  writeFileSync(ours.stateFile, JSON.stringify(state));
  resource.instances = instances.map(({ schema_version, index_key, attributes }) => ({
    ...{ schema_version, index_key, attributes },
  }));
  const theirs = JSON.stringify(state).replaceAll("/erphost/erphost", `/${PEER.source}`);
  writeFileSync(peer.stateFile, theirs);
}

const planned = (side: TerraformWorkspace) => succeeded("a plan without changes", side.plan());

/** Applies the whole program, in a service and a state with nothing in them. */
function applied(side: TerraformWorkspace, emulator: Emulator): Promise<void> {
  rmSync(side.stateFile, { force: true });
  for (const { id } of emulator.objects("server")) emulator.removeObject("server", String(id));
  return succeeded("an apply", side.apply());
}

const declare = (sides: Sides, servers: number): void => {
  for (const side of Object.values(sides)) side.write("terraform.tfvars", `servers = ${servers}\n`);
};

/** Gives each side a state of a thousand, and the service one thousand in all. */
async function fillAll(sides: Sides, emulator: Emulator): Promise<void> {
  declare(sides, 1);
  await applied(sides.ours, emulator);
  const plain = ({ id, name, created_at }: Attributes): Attributes => ({ id, name, created_at });
  const [own] = emulator.objects("server").map(plain);
  if (!own) throw new Error("A server should have been created.");
  const further = emulator.createObjects("server", manyServers(PLANNED).slice(1));
  fill(sides, own, [own, ...further.map(plain)]);
  declare(sides, PLANNED);
}

async function measured(
  engine: EngineName,
  sides: Sides,
  emulator: Emulator,
  { rounds, say }: BenchOptions,
): Promise<Figure[]> {
  const { ours, peer } = sides;
  const both = async (
    command: keyof typeof RATIO_MAX,
    servers: number,
    run: (side: TerraformWorkspace) => Promise<void>,
  ): Promise<Figure[]> => {
    const name = `${engine} ${command} of ${servers.toLocaleString("en")} servers`;
    say(name);
    const times = await inTurns(rounds, { ours: () => run(ours), peer: () => run(peer) });
    emulator.clearJournal();
    await run(ours);
    const sample = emulator.journal().length;
    const each = { name: "a call per server", value: servers };
    const { time, calls } = RATIO_MAX[command];
    return [
      timed(`${name}, time`, times.ours, { name: REFERENCE, samples: times.peer }, time),
      counted(`${name}, calls`, { unit: "calls", sample }, each, calls),
    ];
  };
  declare(sides, APPLIED);
  const applies = await both("apply", APPLIED, (side) => applied(side, emulator));
  await fillAll(sides, emulator);
  return [...(await both("plan", PLANNED, planned)), ...applies];
}

async function bench(engine: EngineName, options: BenchOptions): Promise<Figure[]> {
  const mirrors = [peerMirror(engine)];
  const emulator = await startEmulator({ provisionMs: 0 });
  const effect = { type: "delay", ms: CALL_MS } as const;
  emulator.setFaults([{ match: { path: "/**" }, probability: 1, effect }]);
  const env = {
    ERPHOST_API_KEY: emulator.adminKey,
    ERPHOST_BASE_URL: emulator.baseUrl,
    PEER_CREATE_MS: String(CALL_MS),
  };
  const open = (configuration: string): Promise<TerraformWorkspace> =>
    TerraformWorkspace.create({ engine, env, mirrors }, configuration);
  const sides: Sides = {
    ours: await open(program(HEADER, "erphost")),
    peer: await open(program(peerHeader, "peer")),
  };
  try {
    return await measured(engine, sides, emulator, options);
  } finally {
    for (const side of Object.values(sides)) side.remove();
    for (const mirror of mirrors) rmSync(mirror, { recursive: true });
    await emulator.close();
  }
}

const section = (engine: EngineName, product: string): Section => ({
  name: engine,
  about: `plans and applies of servers by ${product}, ${CALL_MS} ms a call`,
  programs: [engine, PEER.programAndVersion],
  run: (options) => {
    buildMirror();
    return bench(engine, options);
  },
});

export const terraformSection = section("terraform", "Terraform");
export const tofuSection = section("tofu", "OpenTofu");
