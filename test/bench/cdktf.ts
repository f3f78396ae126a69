/**
 * Constructs and synthesises many servers one way, in a separate process, and prints the time and
 * memory as JSON: `node -r ts-node/register test/bench/cdktf.ts <bare|same|l2> SERVERS STACKS`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, TerraformResource, TerraformStack } from "cdktf";
import { ErphostProvider, Server } from "../../cdktf-bindings";

export interface Measured {
  /** Construction and synthesis, validations included. */
  readonly seconds: number;
  /** Highest resident size of the process, in MiB. */
  readonly peakMib: number;
}

function bare(stack: TerraformStack, name: string): TerraformResource {
  const resource = new TerraformResource(stack, name, {
    terraformResourceType: "erphost_server",
    terraformGeneratorMetadata: { providerName: "erphost" },
  });
  resource.addOverride("name", name);
  return resource;
}

const ways: Readonly<Record<string, (stack: TerraformStack, name: string) => unknown>> = {
  // As a person would write it.
  bare,
  // The same text as a Server renders, including the identity.
  same: (stack, name) => {
    bare(stack, name).addOverride("idempotency_token", `fleet/${name} of \${terraform.workspace}`);
  },
  l2: (stack, name) => new Server(stack, name),
};

function measure(
  add: (stack: TerraformStack, name: string) => unknown,
  servers: number,
  stackCount: number,
): Measured {
  const outdir = mkdtempSync(join(tmpdir(), "erphost-bench-"));
  try {
    const app = new App({ outdir });
    const stacks = Array.from({ length: stackCount }, (_, index) => {
      const stack = new TerraformStack(app, index === 0 ? "fleet" : `fleet-${index}`);
      new ErphostProvider(stack, "provider");
      return stack;
    });
    const startedAt = performance.now();
    for (const stack of stacks) {
      for (let index = 0; index < servers / stackCount; index += 1) add(stack, `server-${index}`);
    }
    app.synth();
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, peakMib: process.resourceUsage().maxRSS / 1024 };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

if (require.main === module) {
  const way = ways[process.argv[2] ?? ""];
  if (!way) throw new Error(`Name one of ${Object.keys(ways).join(", ")}.`);
  console.log(JSON.stringify(measure(way, Number(process.argv[3]), Number(process.argv[4]))));
}
