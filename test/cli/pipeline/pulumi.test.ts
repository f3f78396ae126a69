/** What is read of Pulumi's previews, on a program in its place that answers what it is given. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { Pulumi } from "../../../cli/pipeline/tools/pulumi";

const folder = mkdtempSync(join(tmpdir(), "erphost-pulumi-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENGINE = `#!/bin/sh
for word; do case "$word" in --save-plan=*) cp "\${0%/*}/saved.json" "\${word#--save-plan=}";; esac; done
cat "\${0%/*}/preview.json"
`;

/** Whether a saved plan changes outputs of the stack. */
async function changesOutputs(type: string, outputDiff: object): Promise<boolean> {
  const resourcePlans = { "urn:pulumi:prod::shop::a::b": { goal: { type, outputDiff } } };
  writeFileSync(join(folder, "preview.json"), JSON.stringify({ steps: [] }));
  writeFileSync(join(folder, "saved.json"), JSON.stringify({ resourcePlans }));
  writeFileSync(join(folder, "pulumi"), ENGINE, { mode: 0o755 });
  const world = {
    report: () => undefined,
    stopped: new AbortController().signal,
    after: () => () => undefined,
  } as const;
  const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const pulumi = new Pulumi({
    stack: "prod",
    work: folder,
    surroundings: { world, env, cwd: folder },
  });
  return (await pulumi.plan()).changesOutputs;
}

test("outputs that a preview does not name are found in the plan that it saves", async () => {
  expect(await changesOutputs("pulumi:pulumi:Stack", { adds: { url: "a" } })).toBe(true);
  expect(await changesOutputs("pulumi:pulumi:Stack", {})).toBe(false);
  expect(await changesOutputs("erphost:index:Server", { adds: { name: "a" } })).toBe(false);
});
