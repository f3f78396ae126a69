/** The programs of engines: how much is read of what they print, and what Pulumi's previews say. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { start } from "../../../cli/pipeline/tools/process";
import { Pulumi } from "../../../cli/pipeline/tools/pulumi";
import { Terraform } from "../../../cli/pipeline/tools/terraform";
import { sharedFolder } from "../../support/folder";

const folder = sharedFolder();
const nothing = () => undefined;
const surroundings = {
  world: { report: nothing, stopped: new AbortController().signal, after: () => nothing },
  env: { PATH: `${folder}:${process.env["PATH"] ?? ""}` },
  cwd: folder,
} as const;

const printing = (isQuiet: boolean, charsMax: number) =>
  start(surroundings, { program: "sh", words: ["-c", "echo 12345678"], isQuiet, charsMax });

test("a result that is longer than what is read of it is an error that says so", async () => {
  await expect(printing(true, 5)).rejects.toThrow(
    "sh -c printed more than 5 characters, which is too long.",
  );
  expect(await printing(true, 100)).toMatchObject({ code: 0, stdout: "12345678\n" });
});

test("progress may be as long as it is, and its end is that of the program", async () => {
  expect(await printing(false, 5)).toMatchObject({ code: 0 });
  const words = ["-c", "printf '%05000d\\nend' 0 >&2"];
  expect((await start(surroundings, { program: "sh", words })).complaint).toBe("end");
});

test("a line of an engine is not a command to the runner of the job, however it was cut into pieces", async () => {
  const lines: string[] = [];
  const world = { ...surroundings.world, report: (line: string) => lines.push(line) };
  const words = ["-c", "printf 'a::b\\n \u0085:'; printf ':set-env name=A::b\\n##[group]c'"];
  await start({ ...surroundings, world }, { program: "sh", words });
  expect(lines).toEqual(["a::b", " \u0085: :set-env name=A::b", "## [group]c"]);
});

test("a stack of CDKTF that the synthesis does not make is named", async () => {
  const synthesis = { line: "true", folder: join(folder, "cdktf.out/stacks/prd") };
  const of = { program: "terraform", isReading: true, work: folder, surroundings, synthesis };
  await expect(new Terraform(of).prepare()).rejects.toThrow(
    "--stack names no stack of the program: its synthesis made no cdktf.out/stacks/prd",
  );
});

test.each([
  ["TF_CLI_ARGS_plan", "-parallelism=1 -target=a.b"],
  ["TF_CLI_ARGS", "--exclude a.b"],
  ["TF_CLI_ARGS_apply", "'-target-file=x'"],
])(
  "%s=%j is refused, since OpenTofu's plan does not say that it is a part",
  async (name, value) => {
    const env = { ...surroundings.env, [name]: value };
    const of = { program: "true", isReading: true, work: folder };
    const tool = new Terraform({ ...of, surroundings: { ...surroundings, env } });
    await expect(tool.prepare()).rejects.toThrow(`${name} must not have -target or -exclude`);
    const open = { ...surroundings.env, [name]: "-var=a=-target -lock=false" };
    await new Terraform({ ...of, surroundings: { ...surroundings, env: open } }).prepare();
  },
);

test.each(["TARGET", "TARGET_DEPENDENTS", "TARGET_REPLACE", "EXCLUDE", "REPLACE"])(
  "PULUMI_OPTION_%s is refused, since a preview does not say that it is a part",
  async (option) => {
    const name = `PULUMI_OPTION_${option}`;
    const env = { ...surroundings.env, [name]: "urn:pulumi:prod::shop::a::b" };
    const of = { stack: "prod", work: folder, surroundings: { ...surroundings, env } };
    await expect(new Pulumi(of).prepare()).rejects.toThrow(`${name} must not be set`);
  },
);

/** In the place of Pulumi: it answers what it is given. */
const ENGINE = `#!/bin/sh
for word; do case "$word" in --save-plan=*) cp "\${0%/*}/saved.json" "\${word#--save-plan=}";; esac; done
cat "\${0%/*}/preview.json"
`;

async function changesOutputs(type: string, outputDiff: object): Promise<boolean> {
  const resourcePlans = { "urn:pulumi:prod::shop::a::b": { goal: { type, outputDiff } } };
  writeFileSync(join(folder, "preview.json"), JSON.stringify({ steps: [] }));
  writeFileSync(join(folder, "saved.json"), JSON.stringify({ resourcePlans }));
  writeFileSync(join(folder, "pulumi"), ENGINE, { mode: 0o755 });
  return (await new Pulumi({ stack: "prod", work: folder, surroundings }).plan()).changesOutputs;
}

test("outputs that a preview does not name are found in the plan that it saves", async () => {
  expect(await changesOutputs("pulumi:pulumi:Stack", { adds: { url: "a" } })).toBe(true);
  expect(await changesOutputs("pulumi:pulumi:Stack", {})).toBe(false);
  expect(await changesOutputs("erphost:index:Server", { adds: { name: "a" } })).toBe(false);
});
