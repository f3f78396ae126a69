/** What claims about pipelines share: a stack of servers, and the jobs that change it. */
import type { Emulator } from "../../../../emulator";
import { HEADER } from "../../../harness/terraform-workspace";
import { unwrapped } from "../output";
import type { Project, Rig, Run } from "./rig";

/** In a server's secret properties: no log, comment, issue or kept file may hold it. */
export const CANARY = "canary-71c4-secret";
const PASSPHRASE = "correct-horse-battery-staple";
export const STACK = "prod";

/** A configuration with these servers, which each release replaces, and a state that every machine can reach. */
export const configuration = (
  backend: string,
  servers: readonly string[],
  release = 1,
): string => `${backend}
${HEADER}
resource "terraform_data" "release" {
  input = "${release}"
}

resource "erphost_server" "each" {
  for_each          = toset(${JSON.stringify(servers)})
  name              = each.key
  idempotency_token = each.key
  secret_properties = { password = "${CANARY}" }
  lifecycle {
    replace_triggered_by = [terraform_data.release]
  }
}
`;

/** Runs a job to its end; what it printed is kept for the search of secrets. */
export class Jobs {
  private readonly outputs: string[] = [];

  constructor(readonly rig: Rig) {}

  async done(...job: Parameters<Rig["start"]>): Promise<string> {
    const { code, output } = await this.run(this.rig.start(...job));
    if (code !== 0) throw new Error(`${job[0]}: exit code ${String(code)}\n${output}`);
    return output;
  }

  async refused(...job: Parameters<Rig["start"]>): Promise<string> {
    const { code, output } = await this.run(this.rig.start(...job));
    if (code === 0) throw new Error(`${job[0]} was done\n${output}`);
    return output;
  }

  async run(run: Run): Promise<{ code: number | null; output: string }> {
    const { code, output } = await run.finished;
    run.discard();
    this.outputs.push(output);
    return { code, output: unwrapped(output) };
  }

  /** All that machines printed and gave to the forge. */
  everything(): string {
    return [...this.outputs, this.rig.given()].join("\n");
  }
}

/** What a repository needs for one stack, whichever forge has it. */
export const projectOf = (
  emulator: Emulator,
  engine: Project["tool"],
  env: Readonly<Record<string, string>>,
): Project & { readonly readKey: string } => {
  const readKey = String(emulator.createKey({ name: "reader", permissions: ["read"] }).value);
  return {
    ...{ stack: STACK, tool: engine, readKey, applyKey: emulator.adminKey, passphrase: PASSPHRASE },
    ...{ baseUrl: emulator.baseUrl, env },
  };
};
