/** What once lost data or money: each program follows what people saw, and knows nothing of the mend. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { erphost } from "../../cli/support";
import { HEADER, TerraformWorkspace } from "../../harness/terraform-workspace";
import { folder, given } from "../../support/given";
import { openCompiled, writeProgram } from "../pulumi/stack";
import { killedAfter } from "../support/remote/killed";
import { BOTH, describeOn, ONE } from "../support/engines";
import { expectDone, unwrapped } from "../support/output";

test.each([
  ["a link to somebody's folder", true],
  ["somebody's folder", false],
])("an import empties nothing where its own folder should be and %s is", async (_, isLink) => {
  const { emulator } = await given();
  const out = folder();
  const theirs = isLink ? folder() : join(out, ".erphost-import");
  mkdirSync(theirs, { recursive: true });
  if (isLink) symlinkSync(theirs, join(out, ".erphost-import"));
  writeFileSync(join(theirs, "thesis.txt"), "three years");
  emulator.createObjects("server", [{ name: "web" }]);
  const { code } = await erphost(["import", "--to", "terraform", "--out", out], {
    env: { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl },
  });
  expect([code === 0, readdirSync(theirs)]).toEqual([false, ["thesis.txt"]]);
});

const servers = (names: readonly string[]): string =>
  `${HEADER}resource "erphost_server" "all" {
  for_each = toset(${JSON.stringify(names)})
  name     = each.value
}
`;
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `s${i}`);

describeOn(ONE, (ground) => {
  test("servers of a run that was killed are not made twice by one that may open few files at once", async () => {
    const program = servers(numbered(150));
    const here = await ground.open(program);
    await killedAfter(ground.emulator, 130, () => here.start(["apply", "-auto-approve"]));
    const within = ["sh", "-c", 'ulimit -n 110; exec "$@"', "sh"];
    const again = { engine: ground.engine, env: here.env, within, sibling: here };
    const next = await TerraformWorkspace.create(again, program);
    expectDone(await next.apply());
    expect(ground.names().sort()).toEqual(numbered(150).sort());
  });
});

describeOn(BOTH, (ground) => {
  test.each([
    ["with a scope", { ERPHOST_SCOPE: "acme/prod" }],
    ["without a scope", {}],
  ])("what a killed run made is taken over where names must be free: %s", async (_, scope) => {
    ground.emulator.reset();
    const names = numbered(6);
    const here = await ground.open(servers(names), { ERPHOST_SAME_NAME: "error", ...scope });
    const made = await killedAfter(ground.emulator, 3, () =>
      here.start(["apply", "-auto-approve"]),
    );
    const planned = await here.plan();
    expect([planned.code, unwrapped(planned.output)]).toEqual([
      2,
      expect.not.stringMatching(/already in use|import it/),
    ]);
    expectDone(await here.apply());
    expect(ground.names().sort()).toEqual(names);
    expect(ground.ids()).toEqual(expect.arrayContaining(made));
    expectDone(await here.plan());
  });

  test("properties that are null apply once, whatever type the null has", async () => {
    ground.emulator.reset();
    const nulls = {
      condition: "var.off ? { tier = 1 } : null",
      map: "var.map",
      object: "var.object",
      optional: "var.all.tags",
      string: "var.string",
      untyped: "null",
    };
    const teams = Object.entries(nulls).map(
      ([name, value]) =>
        `resource "erphost_team" "${name}" {\n  name = "${name}"\n  properties = ${value}\n}\n`,
    );
    const here = await ground.open(`${HEADER}
variable "off" {
  default = false
}
variable "map" {
  type    = map(string)
  default = null
}
variable "object" {
  type    = object({ tier = number })
  default = null
}
variable "all" {
  type    = object({ tags = optional(map(string)) })
  default = {}
}
variable "string" {
  type    = string
  default = null
}
${teams.join("")}`);
    expectDone(await here.apply());
    expectDone(await here.plan());
    expect(ground.names("team").sort()).toEqual(Object.keys(nulls));
  });
});

test("what a dynamic class adopts is there after the engine was made to replace it, and after a taint", async () => {
  const { emulator } = await given();
  emulator.createObjects("server", [{ name: "web" }]);
  const [before] = emulator.objects("server");
  const stack = await openCompiled("one", emulator);
  writeProgram(
    stack,
    `const { Server } = require("erphost/pulumi");
new Server("web", { name: "web", adoptId: "name=web" });`,
  );
  expectDone(await stack.up());
  const urn = /urn:pulumi:dev::one::pulumi-nodejs[^"]+::web/.exec(stack.stateText())?.[0] ?? "";
  await stack.up("--replace", urn);
  expect(emulator.objects("server")).toEqual([before]);
  expectDone(await stack.run("state", "taint", urn, "--yes"));
  await stack.up();
  expect(emulator.objects("server")).toEqual([before]);
  expect(stack.stateText()).toContain(`"${String(before?.["id"])}"`);
  stack.remove();
});
