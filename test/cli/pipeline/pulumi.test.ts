/** What is read of Pulumi's previews, on a program in its place that answers what it is given. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { Pulumi } from "../../../cli/pipeline/tools/pulumi";

const folder = mkdtempSync(join(tmpdir(), "erphost-pulumi-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const URN = "urn:pulumi:prod::shop::erphost:index:Server::web";
const ENGINE = `#!/bin/sh
for word; do case "$word" in --save-plan=*) cp "\${0%/*}/saved.json" "\${word#--save-plan=}";; esac; done
cat "\${0%/*}/preview.json"
`;

/** Whether a plan with one step changes what the state alone holds. */
async function changesState(before: object, after: object): Promise<boolean> {
  const state = { urn: URN, protect: false, inputs: {}, outputs: {} };
  const oldState = { ...state, ...before };
  const steps = [{ op: "same", urn: URN, oldState, newState: { ...state, ...after } }];
  writeFileSync(join(folder, "preview.json"), JSON.stringify({ steps }));
  writeFileSync(join(folder, "saved.json"), JSON.stringify({ resourcePlans: {} }));
  writeFileSync(join(folder, "pulumi"), ENGINE, { mode: 0o755 });
  const world = {
    report: () => undefined,
    stopped: new AbortController().signal,
    after: () => () => undefined,
    platform: "linux",
  } as const;
  const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const pulumi = new Pulumi({
    stack: "prod",
    work: folder,
    surroundings: { world, env, cwd: folder },
  });
  return (await pulumi.plan()).changesState;
}

test.each([
  ["is protected from now on", {}, { protect: true }],
  ["is retained from now on", {}, { retainOnDelete: true }],
  ["has another name by an alias", { urn: URN.replace("web", "old") }, {}],
])("a plan whose object %s changes the state", async (_, before, after) => {
  expect(await changesState(before, after)).toBe(true);
});

test("a plan whose object stays as it is changes nothing, wherever the program has moved it", async () => {
  expect(await changesState({ sourcePosition: "a:1" }, { sourcePosition: "a:2" })).toBe(false);
  expect(await changesState({}, { protect: undefined })).toBe(false);
});
