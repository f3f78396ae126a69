/**
 * What a person sees first on the real engines: a wrong address, key or scope is one error of the
 * provider, however many objects the program has.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  HEADER,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { unwrapped } from "../support/output";

const COUNT = 12;

const configuration = (prefix: string): string => `${HEADER}
resource "erphost_server" "all" {
  count = ${COUNT}
  name  = "${prefix}-\${count.index}"
}
`;

/** A web server that is not the service. */
const website = createServer((_, response) => {
  response.writeHead(404, { "content-type": "text/html" });
  response.end("<h1>Not Found</h1>");
});

const errorsIn = (output: string): readonly string[] => output.match(/Error: .*/g) ?? [];

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  const testOnOneEngine = engine === ONE_ENGINE ? testWithEngine : undefined;
  let emulator: Emulator;
  let here: TerraformWorkspace;
  const run = (command: string, env: Readonly<Record<string, string>>) => {
    const args = command === "apply" ? ["apply", "-auto-approve"] : [command];
    return here.start([...args, "-input=false"], env).finished;
  };

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 0 });
    await new Promise<void>((resolve) => void website.listen(0, "127.0.0.1", resolve));
    here = await TerraformWorkspace.create(
      {
        engine,
        env: { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl },
      },
      configuration("web"),
    );
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    here.remove();
    website.close();
    await emulator.close();
  });

  // What the provider says once is the same on the other engine, as the refresh below shows.
  testOnOneEngine?.(
    "a wrong key, another website, a closed port and an unknown host are each one error of a plan or an apply, before anything is created",
    async () => {
      const address = website.address() as AddressInfo; // It listens on a port.
      const cases = [
        ["plan", { ERPHOST_BASE_URL: `http://127.0.0.1:${address.port}/v1` }, /404/],
        ["plan", { ERPHOST_API_KEY: "erp_test_0000000000000000" }, /401/],
        ["apply", { ERPHOST_API_KEY: "erp_test_0000000000000000" }, /401/],
        ["plan", { ERPHOST_BASE_URL: "http://127.0.0.1:1/v1" }, /ECONNREFUSED/],
        ["plan", { ERPHOST_BASE_URL: "https://erp.invalid/v1" }, /ENOTFOUND|EAI_AGAIN/],
      ] as const;
      for (const [command, env, reason] of cases) {
        const { code, output } = await run(command, env);
        expect(code).toBe(1);
        expect(errorsIn(output)).toEqual(["Error: Configuring the provider failed"]);
        expect(unwrapped(output)).toMatch(reason);
      }
      expect(emulator.objects("server")).toEqual([]);
    },
  );

  testOnOneEngine?.(
    "a plan with a key that may only read names the missing scope once and changes nothing",
    async () => {
      const ERPHOST_API_KEY = emulator.createKey({ permissions: ["servers:read"] }).value;
      const scope = /lacks the scope servers:write/;
      const warned = await run("plan", { ERPHOST_API_KEY });
      expect(warned.code).toBe(0);
      expect(warned.output.match(/Warning: .*/g)).toEqual(["Warning: Scope missing"]);
      expect(unwrapped(warned.output)).toMatch(scope);
      const refused = await run("apply", { ERPHOST_API_KEY, ERPHOST_PREFLIGHT: "error" });
      expect(refused.code).toBe(1);
      expect(errorsIn(refused.output)).toEqual(["Error: Scope missing"]);
      const silent = await run("plan", { ERPHOST_API_KEY, ERPHOST_PREFLIGHT: "off" });
      expect(silent.code).toBe(0);
      expect(silent.output).not.toMatch(/Warning/);
      expect(emulator.objects("server")).toEqual([]);
    },
  );

  testWithEngine(
    "what every object meets alike is reported once in a refresh, and in full once in an apply",
    async () => {
      expect(await run("apply", {})).toMatchObject({ code: 0 });
      const keyFor = (scope: string): string =>
        emulator.createKey({ name: scope, permissions: [scope] }).value;
      const blind = await run("plan", { ERPHOST_API_KEY: keyFor("servers:write") });
      expect(blind.code).toBe(1);
      expect(errorsIn(blind.output)).toEqual(["Error: Reading erphost_server failed"]);
      expect(unwrapped(blind.output)).toContain("servers:read");
      const other = await startEmulator({ provisionMs: 0 });
      const elsewhere = await run("plan", {
        ERPHOST_API_KEY: other.adminKey,
        ERPHOST_BASE_URL: other.baseUrl,
      });
      await other.close();
      expect(elsewhere.code).toBe(1);
      expect(errorsIn(elsewhere.output)).toEqual(["Error: Wrong account"]);
      here.write("main.tf", configuration("shop"));
      const reader = await run("apply", { ERPHOST_API_KEY: keyFor("servers:read") });
      expect(reader.code).toBe(1);
      const errors = errorsIn(reader.output);
      expect(
        errors.filter((each) => each === "Error: Updating erphost_server failed"),
      ).toHaveLength(1);
      expect(errors.filter((each) => each === "Error: Failed as before")).toHaveLength(COUNT - 1);
    },
  );

  testOnOneEngine?.(
    "a plan names servers that have the names of new ones, and an apply can refuse to make a twin",
    async () => {
      const [other] = emulator.createObjects("server", [{ name: "taken-0" }]);
      const id = String(other?.["id"]);
      here.write("more.tf", 'resource "erphost_server" "more" {\n  name = "taken-0"\n}\n');
      const warned = await run("plan", {});
      expect(warned.code).toBe(0);
      expect(warned.output.match(/Warning: .*/g)).toEqual([`Warning: Name already in use: ${id}`]);
      expect(warned.output).toContain(`id = "${id}"`);
      const refused = await run("apply", { ERPHOST_SAME_NAME: "error" });
      expect(refused.code).toBe(1);
      expect(errorsIn(refused.output)).toEqual(["Error: Name already in use"]);
      const made = await run("apply", {});
      expect(made.code).toBe(0);
      expect(unwrapped(made.output)).toMatch(new RegExp(`although ${id} has the same name`));
    },
  );

  testWithEngine(
    "a replacement that creates first takes its predecessor's name, even where no twin is allowed",
    async () => {
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
      here.write("more.tf", server(1));
      expect(await run("apply", { ERPHOST_SAME_NAME: "error" })).toMatchObject({ code: 0 });
      const [first] = emulator.objects("server").filter(({ name }) => name === "moved");
      here.write("more.tf", server(2));
      const moved = await run("apply", { ERPHOST_SAME_NAME: "error" });
      expect(moved.output).not.toMatch(/Warning: Name|Error/);
      expect(moved.code).toBe(0);
      const left = emulator.objects("server").filter(({ name }) => name === "moved");
      expect(left).toHaveLength(1);
      expect(left).not.toEqual([first]);
    },
  );
});
