/** `cdktf synth --hcl`. That Terraform takes it is tested with the real one, end to end. */
import { expect, test } from "@jest/globals";
import { Fn, Testing, type TerraformStack } from "cdktf";
import { ErphostProvider, SealedApiKey, Server, Team } from "../../cdktf-bindings";
import { neverNull, newStack, variable } from "./support/stack";

/** With one space for whatever is between two words. */
function hclOf(build: (stack: TerraformStack) => unknown): string {
  const stack = newStack();
  build(stack);
  return String(Testing.synthHcl(stack, true)).replace(/\s+/g, " ");
}

test("members of a team are a list of objects in HCL, not blocks", () => {
  const members = [{ email: "ada@example.com" }, { email: "eve@example.com" }];
  expect(hclOf((stack) => new Team(stack, "team", { members }))).toContain(
    'members = [ { email = "ada@example.com" }, { email = "eve@example.com" } ]',
  );
});

test("lists in free maps stay lists in HCL, with whatever is in them", () => {
  const hcl = hclOf((stack) => {
    const size = variable(stack, "size").stringValue;
    const tags = ["x", 'a "b"', `size ${size}`, size, "${var.size}"];
    const nested = { list: [{ a: 1, b: [true, null] }] };
    new Server(stack, "web", { properties: { tags, nested, later: Fn.split(",", "a,b") } });
  });
  expect(hcl).toContain(
    'tags = "${["x", "a \\"b\\"", join("", ["size ", var.size]), var.size, "${var.size}"]}"',
  );
  expect(hcl).toContain('list = "${[{"a" = 1, "b" = [true, null]}]}"');
  expect(hcl).toContain('later = "${split(",", "a,b")}"');
});

test("conditions of a lifecycle are blocks in HCL, and the rest of it stays as it is", () => {
  const condition = (errorMessage: string) => ({ condition: "${1 < 2}", errorMessage });
  const precondition = [condition("one"), condition("two")];
  const given = { preventDestroy: true, precondition, postcondition: [condition("three")] };
  const hcl = hclOf((stack) => new Server(stack, "web", { lifecycle: given }));
  expect(hcl).toContain('precondition { condition = "${1 < 2}" error_message = "one" }');
  expect(hcl).toContain('precondition { condition = "${1 < 2}" error_message = "two" }');
  expect(hcl).toContain('postcondition { condition = "${1 < 2}" error_message = "three" }');
  expect(hcl).toContain("prevent_destroy = true");
});

test("references are written without quotes in HCL, which engines warn of or refuse", () => {
  const hcl = hclOf((stack) => {
    const provider = new ErphostProvider(stack, "eu", { alias: "eu" });
    const server = new Server(stack, "web", { provider, lifecycle: { ignoreChanges: "all" } });
    const replaceTriggeredBy = [server.fqn, "erphost_server.web.name"];
    const ignoreChanges = ["name", 'properties["a"]'];
    const lifecycle = { createBeforeDestroy: true, ignoreChanges, replaceTriggeredBy };
    new Team(stack, "team", { dependsOn: [server], lifecycle });
  });
  expect(hcl).toContain("provider = erphost.eu");
  expect(hcl).toContain("lifecycle { ignore_changes = all }");
  expect(hcl).toContain("depends_on = [erphost_server.web]");
  expect(hcl).toContain('ignore_changes = [name, properties["a"]]');
  expect(hcl).toContain("replace_triggered_by = [erphost_server.web, erphost_server.web.name]");
  expect(hcl).toContain("create_before_destroy = true");
});

test("what is more than one reference stays as the program has written it in HCL", () => {
  const lifecycle = { replaceTriggeredBy: ["erphost_server.${var.name}"] };
  const hcl = hclOf((stack) => new Server(stack, "web", { lifecycle }));
  expect(hcl).toContain('replace_triggered_by = [ "erphost_server.${var.name}", ]');
});

test("the recipient of a sealed key is empty in HCL where its variable is null", () => {
  const hcl = hclOf((stack) => {
    const recipient = variable(stack).stringValue;
    new SealedApiKey(stack, "sealed", { permissions: ["servers:read"], recipient });
  });
  expect(hcl).toContain(`recipient = "${neverNull("var.given")}"`);
});
