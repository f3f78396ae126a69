/**
 * Other engines than OpenTofu on GitLab, and a stored key: the guide's component by gitlab-ci-local,
 * on a stand-in for GitLab. What holds on every forge is in pull-request.test.ts.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator } from "../../../emulator";
import { GitLabRig } from "../support/pipelines/gitlab";
import { Jobs, projectOf } from "../support/pipelines/jobs";
import type { Files } from "../support/pipelines/rig";
import { idsOf, killedUnanswered } from "../support/remote/killed";
import { makeFolder, SECRET, tools, type Tool, type Written } from "./programs";

const OUTPUT = "pipeline_key";

/** The program with these servers, and its key where it has one. */
function filesOf(
  program: Written,
  top: string,
  { servers = ["web"], scope }: { servers?: readonly string[]; scope?: string },
): Files {
  const folder = makeFolder(top);
  program.write(folder, servers);
  program.writeKey?.(folder, scope);
  const texts = readdirSync(folder).map(
    (name) => [name, readFileSync(join(folder, name), "utf8")] as const,
  );
  return Object.fromEntries(texts);
}

/** A project on GitLab whose stack is the tool's. */
async function given(tool: Tool) {
  const top = mkdtempSync(join(tmpdir(), "erphost-gitlab-"));
  const program = await tool.start(top);
  const emulator = await startEmulator({ provisionMs: 0 });
  // The home of a machine is the runner's, which keeps the project's variables there.
  const { HOME: _, ...others } = program.env;
  const { engine } = program;
  const env = { ...others, ...(engine !== undefined && { TERRAFORM_BINARY_NAME: engine }) };
  const project = {
    ...projectOf(emulator, tool.tool, env),
    stack: tool.stack,
    identity: program.identity,
    inputs: {
      ...(program.synth !== undefined && { synth: program.synth }),
      ...(program.writeKey !== undefined && { rotated_output: OUTPUT, policies: "all" }),
    },
  };
  const rig = await GitLabRig.create(project);
  const { applyKey, readKey, passphrase } = project;
  return {
    ...{ rig, emulator, jobs: new Jobs(rig) },
    files: (of: Parameters<typeof filesOf>[2] = {}) => filesOf(program, top, of),
    unlock: async () => program.unlock?.(),
    secrets: [SECRET, applyKey, readKey, passphrase, program.identity ?? [], rig.tokens].flat(),
    state: () => readFileSync(join(top, "terraform.tfstate"), "utf8"),
    close: async () => {
      await rig.close();
      await emulator.close();
      program.remove();
      rmSync(top, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

describe.each([tools.terraform, tools.pulumi, tools.cdktf])(
  "a project on GitLab, with $name:",
  (tool) => {
    const testWithEngine = tool.isHere ? test : test.skip;
    let project: Awaited<ReturnType<typeof given>>;
    beforeAll(async () => {
      if (tool.isHere) project = await given(tool);
    });
    afterAll(() => (tool.isHere ? project.close() : undefined));

    if (tool === tools.terraform) {
      testWithEngine(
        "a plan that policies refuse fails its job, and its note says why",
        async () => {
          const { rig, jobs, files } = project;
          rig.change(files({ scope: "servers:*" }));
          expect(await jobs.refused("plan")).toContain("Policies refuse the plan of prod");
          expect(rig.comments()).toMatchObject([
            { body: expect.stringMatching(/`wildcard-scope`: `erphost_api_key.ci` is a key with/) },
          ]);
          expect(rig.given()).not.toContain("age-encryption.org");
        },
      );
    }

    testWithEngine("a merge applies what the note on its merge request shows", async () => {
      const { rig, emulator, jobs, files } = project;
      rig.change(files());
      await jobs.done("plan");
      const body: unknown = expect.stringContaining(`\`${tool.address("web")}\`: server \`web\``);
      expect(rig.comments()).toMatchObject([{ body }]);
      expect(emulator.objects("server")).toEqual([]);
      rig.merge();
      expect(await jobs.done("apply")).toContain(`Applied ${tool.stack} at `);
      expect(emulator.objects("server")).toMatchObject([{ name: "web" }]);
      expect(rig.records()).toEqual([{ environment: tool.stack, isEnded: true }]);
    });

    if (tool === tools.terraform) {
      testWithEngine(
        "the encrypted key in an output is a masked, protected variable of the environment after the apply, and in no state",
        async () => {
          const { rig, emulator, secrets, state } = project;
          const [, stored, ...more] = rig.variables("ERPHOST_API_KEY");
          expect(more).toEqual([]);
          const { value, ...flags } = stored ?? {};
          expect(flags).toMatchObject({
            ...{ masked: true, protected: true, raw: true },
            environment_scope: tool.stack,
          });
          const key = String(value);
          const headers = { authorization: `Bearer ${key}` };
          const answer = await fetch(`${emulator.baseUrl}/auth/test`, { headers });
          expect(answer.status).toBe(200);
          expect(state()).toContain("pipeline_key");
          expect(state().includes(key)).toBe(false);
          secrets.push(key);
        },
      );
    }

    if (tool === tools.pulumi) {
      testWithEngine(
        "a killed apply leaves Pulumi's lock, and once that is removed the next run continues to the same ids",
        async () => {
          const { rig, emulator, jobs, files, unlock } = project;
          const servers = ["web", "one", "two", "three"];
          rig.change(files({ servers }));
          await jobs.done("plan");
          rig.merge();
          const made = await killedUnanswered(emulator, servers.length, () => rig.start("apply"));
          const locked = await jobs.refused("apply");
          expect(locked).toContain("the stack is currently locked by 1 lock(s)");
          expect(idsOf(emulator).sort()).toEqual(made);
          await unlock();
          expect(await jobs.done("apply")).toContain("was cut off");
          expect(idsOf(emulator).sort()).toEqual(made);
          expect(await jobs.done("apply")).toContain("Nothing to change in dev.");
        },
      );
    }

    testWithEngine("nothing of it shows a key, a token, the passphrase or a secret", () => {
      const all = project.jobs.everything();
      // The search finds what is there.
      for (const one of ["server `web`", "age-encryption.org"]) expect(all).toContain(one);
      expect(project.secrets.filter((one) => all.includes(one))).toEqual([]);
    });
  },
);
