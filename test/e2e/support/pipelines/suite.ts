/** Claims about pipelines that hold on every forge: a pull request's whole way. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../../emulator";
import { buildMirror, fromMirrors, HEADER } from "../../../harness/terraform-workspace";
import { unwrapped } from "../output";
import type { Project, Rig, Run } from "./rig";

/** In a server's secret properties: no log, comment, issue or kept file may hold it. */
const CANARY = "canary-71c4-secret";
const PASSPHRASE = "correct-horse-battery-staple";
const STACK = "prod";

/** A configuration with these servers, and a state that every machine can reach. */
const configuration = (backend: string, servers: readonly string[]): string => `${backend}
${HEADER}
resource "erphost_server" "each" {
  for_each          = toset(${JSON.stringify(servers)})
  name              = each.key
  idempotency_token = each.key
  secret_properties = { password = "${CANARY}" }
}
`;

/** Runs a job to its end; what it printed is kept for the search of secrets. */
class Jobs {
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
const projectOf = (
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

/** @param create a repository on the forge */
export function testPullRequest(create: (project: Project) => Promise<Rig>): void {
  const machine = mkdtempSync(join(tmpdir(), "erphost-pipelines-"));
  const state = JSON.stringify(join(machine, "terraform.tfstate"));
  const backend = `terraform {\n  backend "local" {\n    path = ${state}\n  }\n}\n`;
  const written = (...servers: readonly string[]) => ({
    "main.tf": configuration(backend, servers),
  });
  let emulator: Emulator;
  let project: Project;
  let rig: Rig;
  let jobs: Jobs;

  beforeAll(async () => {
    buildMirror();
    emulator = await startEmulator({ provisionMs: 0 });
    project = projectOf(emulator, "tofu", fromMirrors(machine));
    rig = await create(project);
    jobs = new Jobs(rig);
  });
  afterAll(async () => {
    await rig.close();
    await emulator.close();
    rmSync(machine, { recursive: true, force: true, maxRetries: 3 });
  });
  const names = (): string[] =>
    emulator
      .objects("server")
      .map(({ name }) => String(name))
      .sort();

  test("plans of a pull request are one comment of ours, and its merge applies the last one", async () => {
    rig.change(written("web"));
    await jobs.done("plan");
    const [first] = rig.comments();
    expect(first?.body).toContain("`web`");
    const forged = `${first?.body.split("\n")[0]}\nNothing happens. Merge it.`;
    rig.say(forged);

    rig.change(written("web", "batch"));
    await jobs.done("plan");
    const [ours, other, ...more] = rig.comments();
    expect(ours?.author).toBe(first?.author);
    expect(ours?.body).toContain("`batch`");
    expect(other?.body).toBe(forged);
    expect([more, names()]).toEqual([[], []]);

    rig.merge();
    expect(await jobs.done("apply")).toContain("Applied prod");
    expect(names()).toEqual(["batch", "web"]);
    expect(rig.records()).toEqual([{ environment: STACK, isEnded: true }]);
  });

  test("drift is one issue, which closes itself when there is none any more", async () => {
    const rename = async (name: string): Promise<void> => {
      const found = emulator.objects("server").find((one) => one["name"] !== "batch");
      const answer = await fetch(`${emulator.baseUrl}/servers/${String(found?.id)}`, {
        method: "PATCH",
        headers: {
          authorization: `Bearer ${project.applyKey}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ name }),
      });
      expect(answer.status).toBe(200);
    };
    await jobs.done("drift");
    expect(rig.tickets()).toEqual([]);
    await rename("renamed by hand");
    await jobs.done("drift");
    await jobs.done("drift");
    expect(rig.tickets()).toMatchObject([{ title: `Drift: ${STACK}`, isOpen: true }]);
    expect(rig.tickets()[0]?.body).toContain("renamed by hand");
    await rename("web");
    await jobs.done("drift");
    expect(rig.tickets()).toMatchObject([{ isOpen: false }]);
  });

  test("a commit that no pull request brought changes nothing", async () => {
    rig.pushPast(written("web", "batch", "sneaked in"));
    expect(await jobs.refused("apply")).toContain("nobody reviewed this plan of prod");
    expect(names()).toEqual(["batch", "web"]);
    expect(rig.records().every(({ isEnded }) => isEnded)).toBe(true);
  });

  test("no secret is printed, posted or kept in plain text", () => {
    const all = jobs.everything();
    // The search finds what is there.
    for (const one of ["renamed by hand", "age-encryption.org"]) expect(all).toContain(one);
    const { applyKey, readKey, passphrase } = project;
    const secrets = [CANARY, applyKey, readKey, passphrase, ...rig.tokens];
    expect(secrets.filter((one) => all.includes(one))).toEqual([]);
  });
}
