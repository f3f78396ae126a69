import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { startEmulator } from "../../../../emulator";
import { stepsOfCreate } from "../../../chaos/moments";
import { snippet } from "../guide";
import { writesTo } from "../places";
import { Reader } from "./reader";
import { beginningWith, LOST, type Walk } from "./walk";

const FIRST = snippet("first-steps", "terraform");

const plans: Walk = {
  page: "guides/plan-summary",
  claim:
    "plans are summed up and judged by policies, a key that lacks a scope and what has drifted are found",
  go: async ({ emulator, url, terraform, pulumi, atEnd }) => {
    const place = await terraform({ ERPHOST_BASE_URL: url });
    const reader = new Reader("guides/plan-summary", place);
    const policies = new Reader("guides/policies", place);
    reader.install();
    reader.write("main.tf", FIRST);
    await reader.run("export GITHUB_STEP_SUMMARY=$PWD/summary.md");
    await reader.follow("-out=plan.bin");
    expect(reader.read("summary.md")).toContain("erp-main");
    await reader.run("terraform show -json plan.bin > plan.json");
    await judge(policies, "plan.json --policy", 1);
    policies.file("check.mts", "checkPlan");
    const { code, output } = await policies.start("node check.mts").finished;
    expect([code, output]).toEqual([1, expect.stringContaining("wildcard-scope: ")]);
    await reader.follow("--check-key");
    const { value } = emulator.createKey({ name: "plans", permissions: ["read"] });
    const poor = reader.start(`(ERPHOST_API_KEY=${value}; ${reader.text("--check-key")})`);
    expect((await poor.finished).code).toBe(1);
    await reader.run("terraform apply plan.bin");
    emulator.changeObject("server", "srv_1", { name: "other" });
    expect((await reader.start(reader.text("-out=drift.bin")).finished).code).toBe(3);

    const env = { ERPHOST_BASE_URL: url, ERPHOST_API_KEY: emulator.adminKey };
    const stack = await pulumi({ "Pulumi.yaml": snippet("accounts", "yaml") }, env);
    const acme = await startEmulator({ provisionMs: 0 });
    atEnd(() => acme.close());
    const standIns = { "https://acme.example.com/v1": acme.baseUrl };
    new Reader("guides/accounts", stack, standIns, stack.program).file("Pulumi.yaml", "acmeKey");
    const here = new Reader("guides/plan-summary", stack, {}, stack.program);
    await here.run("pulumi config set --secret acmeKey", acme.adminKey);
    expect(await here.follow("pulumi preview")).toContain("2 to create");
    const others = new Reader("guides/policies", stack, {}, stack.program);
    await judge(others, "pulumi preview", 0);
    expect(writesTo(acme)).toEqual([]);
  },
};

async function judge(reader: Reader, holding: string, expected: number): Promise<void> {
  expect((await reader.start(reader.text(holding)).finished).code).toBe(expected);
}

const constructs: Walk = {
  page: "cdktf/index",
  claim: "the first program is compiled, its apply is killed, and the next one continues it",
  moments: beginningWith(LOST, stepsOfCreate),
  go: async (ground) => {
    const { url, names, emulator } = ground;
    const reader = new Reader("cdktf/index", await ground.terraform(), {
      "https://erp.example/v1": url,
      "ERPHOST_API_KEY=…": `ERPHOST_API_KEY=${emulator.adminKey}`,
    });
    reader.install("cdktf", "constructs", "@types", "typescript");
    const settings = join(__dirname, "../../../../examples/cdktf/tsconfig.json");
    cpSync(settings, join(reader.folder, "tsconfig.json"));
    reader.file("main.ts", "before-audit");
    const lines = reader.text("npx tsc");
    const [made = "", applied = ""] = lines
      .replace(/^npm install.*\n/, "")
      .split(/(?=^terraform .* apply)/m);
    await reader.run(made);
    await reader.cutOff(ground, applied);
    expect(await reader.run(applied)).toContain("Apply complete!");
    expect([names("server"), names("instance"), names("team")]).toEqual([
      ["erp-production"],
      ["erp"],
      ["operations"],
    ]);
    expect(emulator.objects("backup")).toHaveLength(1);
    await reader.run("terraform -chdir=cdktf.out/stacks/erp plan -detailed-exitcode");
  },
};

export const walks: readonly Walk[] = [plans, constructs];
