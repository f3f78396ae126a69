/** Programs of `erphost import` for Pulumi in YAML, on the real engine. */
import { afterEach, expect, test } from "@jest/globals";
import { expectDone } from "../support/output";
import { expectTakenOver, taking, type TakenOver } from "../support/taken-over";

let account: TakenOver;
afterEach(() => account.close());

test("an account of whatever names is taken over by Pulumi in YAML: all is imported, nothing changes", async () => {
  account = await taking("pulumi-yaml");
  const { stack, count } = account;
  const preview = expectDone(await stack.preview("--diff"));
  expect(preview.output).toContain(` = ${count} to import`);
  expect(preview.output).toMatch(/ \+ 1 to create/);
  expect(preview.output).not.toMatch(/ ~ [^\n]*|to (?:update|replace|delete)/);
  await expectTakenOver(account);
  expectDone(await stack.preview("--expect-no-changes"));
});

test("an account is taken over by Pulumi in YAML by the file of pulumi import", async () => {
  account = await taking("pulumi-yaml", {}, (emulator) => {
    emulator.createObjects("server", [{ name: "main" }, { name: "main", region: "eu" }]);
    return emulator.createObjects("instance", { name: "${a}", server_id: "srv_2" }).length;
  });
  const { stack } = account;
  const words = ["import", "--file", "import.json", "--generate-code=false", "--protect=false"];
  expectDone(await stack.run(...words, "--yes", "--skip-preview"));
  expectDone(await stack.preview("--expect-no-changes"));
});
