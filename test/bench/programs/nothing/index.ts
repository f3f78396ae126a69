/**
 * As many dynamic resources that do nothing: they have an input, which is their output, and three of
 * the calls that Pulumi makes. A create waits as long as one call to a service would take, and a
 * read, which would take another one, waits for nothing.
 */
import * as pulumi from "@pulumi/pulumi";

interface Inputs {
  readonly name: string;
}

const latencyMs = Number(process.env["BENCH_LATENCY_MS"]);

const provider: pulumi.dynamic.ResourceProvider<Inputs, Inputs> = {
  create: async (inputs) => {
    await new Promise((resolve) => setTimeout(resolve, latencyMs));
    return { id: inputs.name, outs: inputs };
  },
  diff: async (_id, olds, news) => ({ changes: olds.name !== news.name }),
  read: async (id, properties) => ({ id, ...(properties && { props: properties }) }),
};

class Nothing extends pulumi.dynamic.Resource {
  constructor(name: string) {
    super(provider, name, { name });
  }
}

for (let index = 0; index < Number(process.env["BENCH_COUNT"]); index += 1) {
  new Nothing(`server-${index}`);
}
