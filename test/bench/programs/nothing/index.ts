/** As many dynamic resources that do nothing. */
import * as pulumi from "@pulumi/pulumi";

interface Inputs {
  readonly name: string;
}

const provider: pulumi.dynamic.ResourceProvider<Inputs, Inputs> = {
  create: async (inputs) => ({ id: inputs.name, outs: inputs }),
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
