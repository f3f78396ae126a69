/**
 * How long someone waits for the one error of a run that cannot work: from the start of a plan of
 * many resources, over what a person gets wrong first, to the engine's exit.
 */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { startEmulator } from "../../emulator";
import {
  buildMirror,
  hasEngine,
  HEADER,
  TerraformWorkspace,
  type EngineName,
} from "../harness/terraform-workspace";
import type { Figure } from "../support/figures";
import { seconds, type BenchOptions, type Section } from "./section";

const RESOURCES = 200;
const SECONDS_MAX = 3;
const WRONG_KEY = "erp_test_0000000000000000";

const PROGRAM = `${HEADER}
resource "erphost_server" "all" {
  count = ${RESOURCES}
  name  = "web-\${count.index}"
}
`;

interface Fault {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the error has to say. */
  readonly says: RegExp;
}

/** Something that listens and is not the service. */
async function stranger(answer: RequestListener): Promise<{ url: string; close(): void }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Plans until the error, `rounds` times. @throws if the plan works, or says something else */
async function waited(workspace: TerraformWorkspace, fault: Fault, rounds: number) {
  const samples: number[] = [];
  const { env, says, name } = fault;
  for (let round = 0; round < rounds; round += 1) {
    const plan = async (): Promise<void> => {
      const { code, output } = await workspace.start(["plan", "-input=false"], env).finished;
      const errors = output.match(/Error: /g) ?? [];
      if (code !== 1 || errors.length !== 1 || !says.test(output))
        throw new Error(`${name}: exit ${String(code)}, ${errors.length} errors:\n${output}`);
    };
    samples.push(await seconds(plan));
  }
  return samples;
}

async function bench({ rounds, say }: BenchOptions): Promise<Figure[]> {
  buildMirror();
  const emulator = await startEmulator({ provisionMs: 0 });
  const website = await stranger((_, response) => {
    response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not Found</h1>");
  });
  const ERPHOST_API_KEY = emulator.createKey({ permissions: ["servers:read"] }).value;
  const faults: readonly Fault[] = [
    { name: "a wrong key", env: { ERPHOST_API_KEY: WRONG_KEY }, says: /401/ },
    {
      name: "a missing scope",
      env: { ERPHOST_API_KEY, ERPHOST_PREFLIGHT: "error" },
      says: /servers:write/,
    },
    { name: "another website", env: { ERPHOST_BASE_URL: website.url }, says: /404/ },
    { name: "a closed port", env: { ERPHOST_BASE_URL: "http://127.0.0.1:1/v1" }, says: /REFUSED/ },
    {
      name: "an unknown host",
      env: { ERPHOST_BASE_URL: "https://erp.invalid/v1" },
      says: /ENOTFOUND|EAI_AGAIN/,
    },
  ];
  const figures: Figure[] = [];
  const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
  try {
    for (const engine of (["terraform", "tofu"] satisfies EngineName[]).filter(hasEngine)) {
      const workspace = await TerraformWorkspace.create({ engine, env }, PROGRAM);
      try {
        for (const fault of faults) {
          say(`${engine}: ${fault.name}`);
          const samples = await waited(workspace, fault, rounds);
          const aim = { atMost: SECONDS_MAX };
          figures.push({ name: `${engine}: ${fault.name} is reported`, unit: "s", samples, aim });
        }
      } finally {
        workspace.remove();
      }
    }
  } finally {
    website.close();
    await emulator.close();
  }
  return figures;
}

export const firstSightSection: Section = {
  name: "first-sight",
  about: `how long a plan of ${RESOURCES} resources takes to say what is wrong with key or address`,
  run: bench,
};
