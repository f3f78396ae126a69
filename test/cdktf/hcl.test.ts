/** `cdktf synth --hcl`. That Terraform takes it is tested with the real one, end to end. */
import { expect, test } from "@jest/globals";
import { Fn, Testing, type TerraformStack } from "cdktf";
import { Server } from "../../cdktf-bindings";
import { newStack, variable } from "./support/stack";

/** With one space for whatever is between two words. */
function hclOf(build: (stack: TerraformStack) => unknown): string {
  const stack = newStack();
  build(stack);
  return String(Testing.synthHcl(stack, true)).replace(/\s+/g, " ");
}

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

test("what is more than one reference stays as the program has written it in HCL", () => {
  const lifecycle = { replaceTriggeredBy: ["erphost_server.${var.name}"] };
  const hcl = hclOf((stack) => new Server(stack, "web", { lifecycle }));
  expect(hcl).toContain('replace_triggered_by = [ "erphost_server.${var.name}", ]');
});
