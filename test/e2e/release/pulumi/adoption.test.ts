/** What adoptId adopts, and what is replaced without a difference, on the real engine. */
import { beforeAll, expect, test } from "@jest/globals";
import type { Emulator } from "../../../../emulator";
import type { PulumiStack } from "../../../harness/pulumi-stack";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone, unwrapped } from "../../support/output";
import { openCompiled, writeProgram } from "../../pulumi/stack";
import { server, yaml } from "../../pulumi-plugin/program";
import { openStack } from "../../support/pulumi-plugin";
import { killWhen } from "../../support/remote/killed";

let emulator: Emulator;
let stack: PulumiStack;
beforeAll(async () => {
  emulator = await openedEmulator();
  const env = { PULUMI_SKIP_CHECKPOINTS: "false" };
  stack = opened(await openCompiled("one", emulator, { env }));
});

test("what adoptId adopts outlives a replacement, a taint and a new name, killed before the delete and run again", async () => {
  const names = ["replaced", "tainted", "renamed"];
  for (const name of names) emulator.createObjects("server", { name, status: "running" });
  const before = emulator.objects("server");
  const urn = (label: string) =>
    `urn:pulumi:dev::one::pulumi-nodejs:dynamic/erphost:Server::${label}`;
  const declare = (third: string, adopts: boolean, ...more: string[]) => {
    const lines = names.map((name, i) => {
      const args = { name, ...(adopts && { adoptId: `name=${name}` }) };
      return `new Server("${i === 2 ? third : name}", ${JSON.stringify(args)});`;
    });
    const all = ['import { Server } from "erphost/pulumi";', ...lines, ...more];
    writeProgram(stack, all.join("\n"));
  };
  declare("old", true);
  expectDone(await stack.up());
  expectDone(await stack.run("state", "taint", urn("tainted"), "--yes"));

  // Pulumi deletes once all is created, and this one never is.
  declare("new", true, 'new Server("never", { name: "never" });');
  emulator.setFaults([{ match: { method: "POST" }, effect: "reset-before" }]);
  const run = stack.start(["up", "--yes", "--skip-preview", "--replace", urn("replaced")]);
  const done = ["replaced replaced", "tainted replaced", "new created"];
  const isAdopted = () => done.every((each) => run.output().includes(`Server ${each}`));
  await killWhen(run, "what is adopted", isAdopted);
  emulator.setFaults([]);
  expect(stack.stateText().match(/"delete": ?true/g)).toHaveLength(2);
  expectDone(await stack.run("cancel", "--yes"));

  declare("new", true);
  const again = await stack.up("--replace", urn("replaced"), "--continue-on-error");
  expect(again.code).not.toBe(0);
  const [first = "", ...others] = before.map(({ id }) => String(id));
  const output = unwrapped(again.output);
  expect(output).toContain(`Server ${first} is in this state already`);
  for (const id of others) {
    expect(output).toMatch(new RegExp(`Server ${id} .* was not replaced and not deleted`));
  }
  expect(emulator.objects("server")).toEqual(before);
  declare("new", false);
  expectDone(await stack.up("--replace", urn("replaced")));
  expect(emulator.objects("server").map(({ id }) => id)).toEqual([...others, expect.any(String)]);
  expect(stack.stateText()).not.toContain(`"${first}"`);
});

test.each([
  ["the dynamic classes", "one::pulumi-nodejs:dynamic/erphost:Server::web"],
  ["the plugin", "every-kind::erphost:index:Server::web"],
])(
  "with %s, a name that may not be in use twice lets a taint and --replace pass with --refresh, which else is asked for",
  async (_, name) => {
    emulator.reset();
    const isPlugin = name.startsWith("every");
    const open = isPlugin ? openStack(emulator) : openCompiled("one", emulator);
    const own = opened(await open);
    if (isPlugin) own.write("Pulumi.yaml", yaml({ resources: server("web") }));
    else writeProgram(own, 'new (require("erphost/pulumi").Server)("web", { name: "web" });');
    own.env["ERPHOST_SAME_NAME"] = "error";
    expectDone(await own.up());
    const urn = `urn:pulumi:dev::${name}`;
    for (const replaces of [true, false]) {
      const words = replaces ? ["--replace", urn] : [];
      if (!replaces) expectDone(await own.run("state", "taint", urn, "--yes"));
      const before = emulator.objects("server").map(({ id }) => id);
      const { code, output } = await own.up(...words);
      expect(code).not.toBe(0);
      expect(unwrapped(output)).toMatch(
        /or is the one that is replaced.* run that with --refresh:/s,
      );
      expect(emulator.objects("server").map(({ id }) => id)).toEqual(before);
      const { output: passed } = expectDone(await own.up("--refresh", ...words));
      expect(passed).not.toContain("already exists");
      expect(emulator.objects("server").map(({ id }) => id)).toEqual([
        expect.not.stringMatching(String(before[0])),
      ]);
    }
  },
);
