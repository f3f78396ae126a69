/** Claims about pipelines that hold on every forge: a pull request's whole way. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../../emulator";
import { buildMirror, fromMirrors } from "../../../harness/terraform-workspace";
import { CANARY, configuration, Jobs, projectOf, STACK } from "./jobs";
import type { Project, Rig } from "./rig";

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
    // Both forges start one at a time; what runs them here does not.
    const both = await Promise.all(
      [rig.start("apply"), rig.start("apply")].map((run) => jobs.run(run)),
    );
    const done = both.filter(({ code }) => code === 0).map(({ output }) => output);
    expect(done.join("\n")).toContain("Applied prod");
    expect(names()).toEqual(["batch", "web"]);
    expect(rig.records()).toContainEqual({ environment: STACK, isEnded: true });
    // One of the two may have failed after the other: the next apply records that all is well.
    if (done.length < both.length) await jobs.done("apply");
    expect(await jobs.done("apply")).toContain("Nothing to change in prod");
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
