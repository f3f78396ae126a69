/** A wrong address, key or scope is one error on a real engine, however many objects there are. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { HEADER } from "../../harness/terraform-workspace";
import type { CommandResult, TerraformWorkspace } from "../../harness/terraform-workspace";
import { describeOn, ONE, withSettings } from "../support/engines";
import { openedEmulator } from "../support/opened";
import { expectDone, refusal, unwrapped } from "../support/output";

const COUNT = 12;

const configuration = (prefix: string): string => `${HEADER}
resource "erphost_server" "all" {
  count = ${COUNT}
  name  = "${prefix}-\${count.index}"
}
`;
const WRONG_KEY = { api_key: "erp_test_0000000000000000" };

/** A web server that is not the service. */
const website = createServer((_, response) => {
  response.writeHead(404, { "content-type": "text/html" });
  response.end("<h1>Not Found</h1>");
});

/** The errors of a run that failed. */
const errorsIn = ({ code, output }: CommandResult): readonly string[] => {
  expect(code).toBe(1);
  return output.match(/Error: .*/g) ?? [];
};

describeOn(ONE, (ground) => {
  let here: TerraformWorkspace;
  let program = configuration("web");
  const run = (command: "plan" | "apply", settings: Readonly<Record<string, string>> = {}) => {
    here.write("main.tf", withSettings(program, settings));
    return command === "apply" ? here.apply() : here.run("plan", "-input=false");
  };
  const keyFor = (scope: string) => ({
    api_key: ground.emulator.createKey({ name: scope, permissions: [scope] }).value,
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => void website.listen(0, "127.0.0.1", resolve));
    here = await ground.attach(program);
  });
  afterAll(() => void website.close());

  test("a wrong key, another website, a closed port and an unknown host are each one error of a plan or an apply, before anything is created", async () => {
    const address = website.address() as AddressInfo; // It listens on a port.
    const cases = [
      ["plan", { base_url: `http://127.0.0.1:${address.port}/v1` }, /404/],
      ["plan", WRONG_KEY, /401/],
      ["apply", WRONG_KEY, /401/],
      ["plan", { base_url: "http://127.0.0.1:1/v1" }, /ECONNREFUSED/],
      ["plan", { base_url: "https://erp.invalid/v1" }, /ENOTFOUND|EAI_AGAIN/],
    ] as const;
    for (const [command, settings, reason] of cases) {
      const result = await run(command, settings);
      expect(refusal(result)).toMatch(reason);
      expect(errorsIn(result)).toEqual(["Error: Configuring the provider failed"]);
    }
    expect(ground.names()).toEqual([]);
  });

  test("a plan with a key that may only read names the missing scope once and changes nothing", async () => {
    const reader = keyFor("servers:read");
    const warned = expectDone(await run("plan", reader));
    expect(warned.output.match(/Warning: .*/g)).toEqual(["Warning: Scope missing: servers:write"]);
    expect(unwrapped(warned.output)).toMatch(/lacks the scope servers:write/);
    const refused = await run("apply", { ...reader, preflight: "error" });
    expect(errorsIn(refused)).toEqual(["Error: Scope missing"]);
    const silent = expectDone(await run("plan", { ...reader, preflight: "off" }));
    expect(silent.output).not.toMatch(/Warning/);
    expect(ground.names()).toEqual([]);
  });

  test("what every object meets alike is reported once in a refresh, and in full once in an apply", async () => {
    expectDone(await run("apply"));
    const blind = await run("plan", keyFor("servers:write"));
    expect(refusal(blind)).toContain("servers:read");
    expect(errorsIn(blind)).toEqual(["Error: Reading erphost_server failed"]);
    const other = await openedEmulator();
    const elsewhere = await run("plan", { api_key: other.adminKey, base_url: other.baseUrl });
    expect(errorsIn(elsewhere)).toEqual(["Error: Wrong account"]);
    program = configuration("shop");
    const reader = await run("apply", keyFor("servers:read"));
    expect(errorsIn(reader).toSorted()).toEqual([
      ...Array.from({ length: COUNT - 1 }, () => "Error: Failed as before"),
      "Error: Updating erphost_server failed",
    ]);
  });

  test("a plan names servers that have the names of new ones, and an apply can refuse to make a twin", async () => {
    const [other] = ground.emulator.createObjects("server", [{ name: "taken-0" }]);
    const id = String(other?.["id"]);
    here.write("more.tf", 'resource "erphost_server" "more" {\n  name = "taken-0"\n}\n');
    const warned = expectDone(await run("plan"));
    expect(warned.output.match(/Warning: .*/g)).toEqual([`Warning: Name already in use: ${id}`]);
    expect(warned.output).toContain(`id = "${id}"`);
    const refused = await run("apply", { same_name: "error" });
    expect(errorsIn(refused)).toEqual(["Error: Name already in use"]);
    const made = expectDone(await run("apply"));
    expect(unwrapped(made.output)).toMatch(new RegExp(`although ${id} has the same name`));
  });

  test("a replacement that creates first takes its predecessor's name, even where no twin is allowed", async () => {
    const server = (round: number): string => `
resource "terraform_data" "round" {
  input = ${round}
}
resource "erphost_server" "moved" {
  name = "moved"
  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.round]
  }
}
`;
    const moved = () => ground.emulator.objects("server").filter(({ name }) => name === "moved");
    // What the plan saw reaches the apply by a note, also within one provider that serves both.
    const apply = async (round: number) => {
      here.write("more.tf", server(round));
      return expectDone(await here.run("apply", "-auto-approve"));
    };
    here.write("main.tf", withSettings(program, { same_name: "error" }));
    await apply(1);
    const [first] = moved();
    const replaced = await apply(2);
    expect(replaced.output).not.toMatch(/Warning: Name|Error/);
    expect(moved()).toHaveLength(1);
    expect(moved()).not.toEqual([first]);
  });
});
