/** A wrong address, key or scope is one error on a real engine, however many objects there are. */
import { beforeAll, expect, test } from "@jest/globals";
import { HEADER, type TerraformWorkspace } from "../../harness/terraform-workspace";
import { describeOn, ONE } from "../support/engines";
import { expectDone, refusal, unwrapped } from "../support/output";

const PROGRAM = `${HEADER}
resource "erphost_server" "all" {
  count = 12
  name  = "web-\${count.index}"
}
`;
const WRONG_KEY = { api_key: "erp_test_0000000000000000" };

describeOn(ONE, (ground) => {
  let here: TerraformWorkspace;
  const run = (command: "plan" | "apply", settings: Readonly<Record<string, string>>) => {
    const lines = Object.entries(settings).map(([name, value]) => `  ${name} = "${value}"\n`);
    here.write("main.tf", PROGRAM.replace('"erphost" {}', `"erphost" {\n${lines.join("")}}`));
    return command === "apply" ? here.apply() : here.run("plan", "-input=false");
  };

  beforeAll(async () => {
    here = await ground.attach(PROGRAM);
  });

  test("a wrong key, another path, a closed port and an unknown host are each one error of a plan or an apply, before anything is created", async () => {
    const cases = [
      ["plan", { base_url: `${ground.emulator.url}/elsewhere/v1` }, /404/],
      ["plan", WRONG_KEY, /401/],
      ["apply", WRONG_KEY, /401/],
      ["plan", { base_url: "http://127.0.0.1:1/v1" }, /ECONNREFUSED/],
      ["plan", { base_url: "https://erp.invalid/v1" }, /ENOTFOUND|EAI_AGAIN/],
    ] as const;
    for (const [command, settings, reason] of cases) {
      const result = await run(command, settings);
      expect(refusal(result)).toMatch(reason);
      expect(result.output.match(/Error: .*/g)).toEqual(["Error: Configuring the provider failed"]);
    }
    expect(ground.names()).toEqual([]);
  });

  test("a plan with a key that may only read names the missing scope once and changes nothing", async () => {
    const { value } = ground.emulator.createKey({ permissions: ["servers:read"] });
    const { output } = expectDone(await run("plan", { api_key: value }));
    expect(output.match(/Warning: .*/g)).toEqual(["Warning: Scope missing: servers:write"]);
    expect(unwrapped(output)).toMatch(/lacks the scope servers:write/);
    const refused = await run("apply", { api_key: value, preflight: "error" });
    refusal(refused);
    expect(refused.output.match(/Error: .*/g)).toEqual(["Error: Scope missing"]);
    expect(ground.names()).toEqual([]);
  });
});
