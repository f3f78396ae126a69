/** `cdktf synth --hcl`. That Terraform takes it is tested with the real one, end to end. */
import { expect, test } from "@jest/globals";
import { Fn, TerraformVariable, Testing, type TerraformStack } from "cdktf";
import { ErphostProvider, SealedApiKey, Server, Team } from "../../cdktf-bindings";
import { neverNull, newStack } from "./support/stack";

const hclOf = (stack: TerraformStack): string => String(Testing.synthHcl(stack, true));

test("members of a team are a list of objects in HCL, not blocks", () => {
  const stack = newStack();
  new Team(stack, "team", {
    members: [{ email: "ada@example.com" }, { email: "eve@example.com" }],
  });
  const [hcl] = hclOf(stack).split("members = ").slice(1);
  expect(hcl?.replace(/\s+/g, " ")).toMatch(
    /^\[ \{ email = "ada@example\.com" \}, \{ email = "eve@example\.com" \} \]/,
  );
});

test("lists in free maps stay lists in HCL, with whatever is in them", () => {
  const stack = newStack();
  const size = new TerraformVariable(stack, "size", { type: "string" });
  const tags = ["x", 'a "b"', `size ${size.stringValue}`, size.stringValue, "${var.size}"];
  new Server(stack, "web", {
    properties: {
      tags,
      nested: { list: [{ a: 1, b: [true, null] }] },
      later: Fn.split(",", "a,b"),
    },
  });
  const hcl = hclOf(stack);
  expect(hcl).toContain(
    'tags = "${["x", "a \\"b\\"", join("", ["size ", var.size]), var.size, "${var.size}"]}"',
  );
  expect(hcl).toContain('list = "${[{"a" = 1, "b" = [true, null]}]}"');
  expect(hcl).toContain('later = "${split(",", "a,b")}"');
});

test("conditions of a lifecycle are blocks in HCL, and the rest of it stays as it is", () => {
  const stack = newStack();
  const condition = (errorMessage: string) => ({ condition: "${1 < 2}", errorMessage });
  new Server(stack, "web", {
    lifecycle: {
      preventDestroy: true,
      precondition: [condition("one"), condition("two")],
      postcondition: [condition("three")],
    },
  });
  const hcl = hclOf(stack).replace(/\s+/g, " ");
  expect(hcl).toContain('precondition { condition = "${1 < 2}" error_message = "one" }');
  expect(hcl).toContain('precondition { condition = "${1 < 2}" error_message = "two" }');
  expect(hcl).toContain('postcondition { condition = "${1 < 2}" error_message = "three" }');
  expect(hcl).toContain("prevent_destroy = true");
});

test("references are written without quotes in HCL, which engines warn of or refuse", () => {
  const stack = newStack();
  const provider = new ErphostProvider(stack, "eu", { alias: "eu" });
  const server = new Server(stack, "web", { provider, lifecycle: { ignoreChanges: "all" } });
  new Team(stack, "team", {
    dependsOn: [server],
    lifecycle: {
      createBeforeDestroy: true,
      ignoreChanges: ["name", 'properties["a"]'],
      replaceTriggeredBy: [server.fqn, "erphost_server.web.name"],
    },
  });
  const hcl = hclOf(stack).replace(/\s+/g, " ");
  expect(hcl).toContain("provider = erphost.eu");
  expect(hcl).toContain("lifecycle { ignore_changes = all }");
  expect(hcl).toContain("depends_on = [erphost_server.web]");
  expect(hcl).toContain('ignore_changes = [name, properties["a"]]');
  expect(hcl).toContain("replace_triggered_by = [erphost_server.web, erphost_server.web.name]");
  expect(hcl).toContain("create_before_destroy = true");
});

test("what is more than one reference stays as the program has written it in HCL", () => {
  const stack = newStack();
  const given = ["erphost_server.${var.name}"];
  new Server(stack, "web", { lifecycle: { replaceTriggeredBy: given } });
  expect(hclOf(stack).replace(/\s+/g, " ")).toContain(
    'replace_triggered_by = [ "erphost_server.${var.name}", ]',
  );
});

test("the recipient of a sealed key is empty in HCL where its variable is null", () => {
  const stack = newStack();
  const recipient = new TerraformVariable(stack, "recipient", { type: "string" }).stringValue;
  new SealedApiKey(stack, "sealed", { permissions: ["servers:read"], recipient });
  expect(hclOf(stack)).toContain(`recipient = "${neverNull("var.recipient")}"`);
});
