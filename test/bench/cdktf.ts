/**
 * What the constructs cost: synthesis of 10,000 servers as `Server`, as generated L1, and as bare
 * TerraformResources, each in a process of its own, in turn.
 *
 * Run alone: `node -r ts-node/register test/bench/cdktf.ts`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, TerraformResource, TerraformStack } from "cdktf";
import { ErphostProvider, l1, Server } from "../../cdktf-bindings";

const SERVERS = 10_000;
const ROUNDS = 3;

type Layer = "bare" | "l1" | "l2";
const layers: readonly Layer[] = ["bare", "l1", "l2"];

export interface Measured {
  readonly layer: Layer;
  readonly constructMs: number;
  readonly synthMs: number;
  /** Highest resident size of the process. */
  readonly peakMb: number;
}

export interface CdktfBench {
  readonly servers: number;
  /** Medians over the rounds. */
  readonly layers: readonly Measured[];
  /** Of `Server` to bare TerraformResources: construction and synthesis together. */
  readonly timeRatio: number;
  readonly memoryRatio: number;
}

const add: Readonly<Record<Layer, (stack: TerraformStack, name: string) => void>> = {
  bare: (stack, name) => {
    const resource = new TerraformResource(stack, name, {
      terraformResourceType: "erphost_server",
      terraformGeneratorMetadata: { providerName: "erphost" },
    });
    // What a Server says as well, so that the same text is synthesised.
    resource.addOverride("name", name);
    resource.addOverride("idempotency_token", `fleet/${name} of \${terraform.workspace}`);
    resource.lifecycle = { ignoreChanges: ["idempotency_token"] };
  },
  l1: (stack, name) => {
    new l1.server.Server(stack, name, { name });
  },
  l2: (stack, name) => {
    new Server(stack, name);
  },
};

/** One measurement; validations run in all. */
function measure(layer: Layer): Measured {
  const outdir = mkdtempSync(join(tmpdir(), "erphost-bench-"));
  try {
    const app = new App({ outdir });
    const stack = new TerraformStack(app, "fleet");
    new ErphostProvider(stack, "provider");
    const started = performance.now();
    for (let index = 0; index < SERVERS; index += 1) add[layer](stack, `server-${index}`);
    const constructed = performance.now();
    app.synth();
    return {
      layer,
      constructMs: Math.round(constructed - started),
      synthMs: Math.round(performance.now() - constructed),
      peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
    };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

const apart = (layer: Layer): Measured =>
  // What `measure` wrote.
  JSON.parse(
    execFileSync(process.execPath, ["-r", "ts-node/register", __filename, layer], {
      encoding: "utf8",
    }),
  ) as Measured;

/** Measures all layers, each in processes of its own. */
export function benchCdktf(): CdktfBench {
  const all = Array.from({ length: ROUNDS }, () => layers.map(apart)).flat();
  const medians = layers.map((layer): Measured => {
    const own = all.filter((each) => each.layer === layer);
    return {
      layer,
      constructMs: median(own.map(({ constructMs }) => constructMs)),
      synthMs: median(own.map(({ synthMs }) => synthMs)),
      peakMb: median(own.map(({ peakMb }) => peakMb)),
    };
  });
  const of = (layer: Layer) => medians.find((each) => each.layer === layer) ?? none(layer);
  const total = ({ constructMs, synthMs }: Measured): number => constructMs + synthMs;
  return {
    servers: SERVERS,
    layers: medians,
    timeRatio: total(of("l2")) / total(of("bare")),
    memoryRatio: of("l2").peakMb / of("bare").peakMb,
  };
}

const none = (layer: Layer): never => {
  throw new Error(`${layer} was not measured`);
};

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

if (require.main === module) {
  const layer = layers.find((each) => each === process.argv[2]);
  if (layer) console.log(JSON.stringify(measure(layer)));
  else console.table(benchCdktf().layers);
}
