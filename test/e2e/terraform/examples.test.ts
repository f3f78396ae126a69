/** Everything that a reader may copy runs: examples/terraform, the guide to first steps, and each page of the docs. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  HEADER,
  TerraformWorkspace,
} from "../../harness/terraform-workspace";
import { withDebugged } from "../support/debugged";

const ENGINE = "tofu";
const root = join(__dirname, "../../..");
const testWithEngine = hasEngine(ENGINE) ? test : test.skip;
let emulator: Emulator;

beforeAll(async () => {
  if (!hasEngine(ENGINE)) return;
  buildMirror();
  emulator = await startEmulator({ provisionMs: 5 });
});
afterAll(async () => {
  if (hasEngine(ENGINE)) await emulator.close();
});

const open = (configuration: string): Promise<TerraformWorkspace> =>
  TerraformWorkspace.create(
    {
      engine: ENGINE,
      env: { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl },
    },
    configuration,
  );

/** The `terraform` blocks of a page; the first is its example. */
const blocks = (folder: string): { page: string; example: string }[] =>
  readdirSync(join(root, "docs", folder)).map((file) => {
    const text = readFileSync(join(root, "docs", folder, file), "utf8");
    const example = /```terraform\n([\s\S]*?)\n```/.exec(text)?.[1] ?? "";
    return { page: `${folder}/${file.replace(/\.md$/, "")}`, example };
  });

describe("examples", () => {
  testWithEngine(
    "the example of a whole installation can be applied, upgraded and destroyed",
    async () => {
      const text = readFileSync(join(root, "examples/terraform/main.tf"), "utf8");
      const workspace = await open(text);
      try {
        expect(await workspace.run("fmt", "-check")).toMatchObject({ code: 0 });
        const applied = await workspace.apply();
        expect(applied).toMatchObject({ code: 0 });
        expect(applied.output).toMatch(/rotation_days += 90/);
        const before = emulator.objects("backup").length;
        expect(await workspace.apply("-var=release=18.0")).toMatchObject({ code: 0 });
        // The release's own, and the one that is taken before the version changes.
        expect(emulator.objects("backup")).toHaveLength(before + 2);
        expect(await workspace.plan("-var=release=18.0")).toMatchObject({ code: 0 });
        expect(await workspace.destroy()).toMatchObject({ code: 0 });
      } finally {
        workspace.remove();
      }
    },
  );

  testWithEngine("the plan that the guide shows is the plan of its first program", async () => {
    const text = readFileSync(join(root, "docs/guides/first-steps.md"), "utf8");
    const program = /```terraform\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
    const shown = /`tofu plan` says:\n\n```text\n([\s\S]*?)```/.exec(text)?.[1] ?? "nothing";
    emulator.reset();
    const workspace = await open(program);
    try {
      expect(await workspace.run("fmt", "-check")).toMatchObject({ code: 0 });
      expect(await workspace.apply()).toMatchObject({ code: 0 });
      workspace.write("main.tf", program.replace("17.0", "18.0"));
      expect((await workspace.plan()).output).toContain(shown.trimEnd());
    } finally {
      workspace.remove();
    }
  });

  testWithEngine(
    "each example of a resource page is formatted and can be applied on its own",
    async () => {
      const other = emulator.createKey({ name: "from the dashboard" });
      const workspace = await open(HEADER);
      try {
        // One provider serves all of these runs.
        await withDebugged(workspace, async (attached) => {
          for (const { page, example } of blocks("resources")) {
            workspace.write("example.tf", `${example.replace('"key_1"', `"${other.id}"`)}\n`);
            const { code, output } = await workspace.run("fmt", "-check", "-diff");
            expect({ page, code, output }).toEqual({ page, code: 0, output: "" });
            const apply = ["apply", "-auto-approve", "-input=false"];
            const applied = await workspace.start(apply, attached).finished;
            expect({ page, ...applied }).toMatchObject({ page, code: 0 });
          }
        });
        expect(blocks("resources").length).toBeGreaterThan(5);
      } finally {
        workspace.remove();
      }
    },
  );

  testWithEngine(
    "the examples of data sources, ephemeral resources and functions are formatted and valid",
    async () => {
      const examples = ["data-sources", "ephemeral-resources", "functions"]
        .flatMap(blocks)
        .map(({ page, example }) => example.replace(/"example"/g, `"${page.replace(/\W/g, "_")}"`));
      const workspace = await open(HEADER);
      try {
        workspace.write("example.tf", `${examples.join("\n\n")}\n`);
        expect(await workspace.run("fmt", "-check", "-diff")).toMatchObject({ code: 0 });
        expect(await workspace.run("validate")).toMatchObject({ code: 0 });
        expect(examples.length).toBeGreaterThan(15);
      } finally {
        workspace.remove();
      }
    },
  );
});
