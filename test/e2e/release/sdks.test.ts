/** Programs on the generated SDKs, each of which is made once: examples, imports and a move. */
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../../emulator";
import type { PulumiStack } from "../../harness/pulumi-stack";
import { Reader } from "../support/guides/reader";
import { opened, openedEmulator } from "../support/opened";
import { expectDone, refusal } from "../support/output";
import { writesTo } from "../support/places";
import { openStack, pluginFolder } from "../support/pulumi-plugin";
import {
  describedIn,
  EXAMPLES,
  generatedSdk,
  hasGenerator,
  installNodeSdk,
  installPythonSdk,
  pythonPackages,
} from "../support/pulumi-sdks";
import { expectTakenOver, taking } from "../support/taken-over";

const describeSdk = hasGenerator ? describe : describe.skip;

/** What the service always answers is text, never undefined; and a wrong name is refused. */
const TYPED = `import * as pulumi from "@pulumi/pulumi";
import * as erphost from "@erphost/pulumi-native";

const server = new erphost.Server("typed");
export const createdAt: pulumi.Output<string> = server.createdAt;
export const count = erphost.getServersOutput({ status: "running" }).servers.length;
// @ts-expect-error The name is serverId.
new erphost.Instance("wrong", { serverID: server.id });
`;

/** A stack of an example on an account of its own. */
async function exampleOf(name: string): Promise<{ stack: PulumiStack; emulator: Emulator }> {
  const emulator = await openedEmulator({ provisionMs: 50 });
  return { stack: opened(await openStack(emulator, {}, join(EXAMPLES, name))), emulator };
}

describeSdk("on the packed Node.js SDK", () => {
  test("the TypeScript example runs, it and the schema's programs have the SDK's types, and a wrong program is refused by them", async () => {
    const { stack } = await exampleOf("pulumi-sdk");
    // They join the program, so that their types are checked together.
    const described = describedIn("typescript");
    for (const [title, program] of described) {
      expect(program).toContain(`new erphost.${title}(`);
      stack.write(`${title}.ts`, program);
    }
    // As the example has it.
    const text = readFileSync(join(stack.program, "tsconfig.json"), "utf8");
    const settings = JSON.parse(text) as object;
    stack.write("typed.ts", TYPED);
    const files = ["index.ts", "typed.ts", ...described.map(([title]) => `${title}.ts`)];
    stack.write("tsconfig.json", JSON.stringify({ ...settings, files }));
    await installNodeSdk(stack);
    expectDone(await stack.up());
    const outputs = await stack.outputs();
    expect(outputs["trialName"]).toMatch(/^trial-[0-9a-f]{7}$/);
    expect(outputs["pipelineKey"]).toMatch(/_test_/);
  });

  test("an account of whatever names is taken over by Pulumi in TypeScript", async () => {
    const account = await taking("pulumi-typescript");
    await installNodeSdk(account.stack);
    await expectTakenOver(account);
  });

  test("who follows the page about moving, after a run that was killed, keeps every object, id and secret, after which there is nothing to do", async () => {
    const { stack, emulator } = await exampleOf("pulumi");
    // As the stack's own configuration, which becomes the provider's.
    for (const name of ["ERPHOST_BASE_URL", "ERPHOST_API_KEY"]) delete stack.env[name];
    await stack.setConfig("erphost:baseUrl", emulator.baseUrl);
    await stack.setConfig("erphost:apiKey", emulator.adminKey, "--secret");
    const plugin = await pluginFolder();
    stack.env["PATH"] = [plugin, stack.env["PATH"]].join(delimiter);
    const archive = "pulumi-resource-erphost-v0.1.0-linux-amd64.tar.gz";
    const reader = new Reader("moving-to-the-plugin", stack, { [archive]: plugin }, stack.program);
    const [, killed] = await reader.leaveRunning("pulumi up", " created (");
    killed.kill();
    await killed.finished;
    await reader.run("pulumi cancel --yes");
    await reader.follow("pulumi stack export");
    const early = await reader.start(reader.text("pulumi stack import")).finished;
    expect(refusal(early)).toContain("The stack's last run was interrupted");
    await reader.does("pulumi up");
    await reader.does("pulumi refresh --yes --clear-pending-creates");
    const before = await stack.outputs();
    await reader.follow("pulumi stack export");
    await reader.follow("pulumi plugin install");
    await reader.follow("pulumi stack import");
    const text = readFileSync(join(stack.program, "index.ts"), "utf8");
    const line = reader.text("@erphost/pulumi-native").trim();
    const moved = text.replace(/^import \* as erphost .*$/m, () => line);
    stack.write("index.ts", moved);
    await installNodeSdk(stack);

    emulator.clearJournal();
    await reader.follow("--expect-no-changes");
    expectDone(await stack.refresh("--expect-no-changes"));
    expect(writesTo(emulator)).toEqual([]);
    expect(await stack.outputs()).toEqual(before);
    expect(stack.stateText()).not.toMatch(/__provider|pulumi-nodejs:dynamic/);

    expectDone(await stack.destroy());
    for (const kind of ["server", "instance"]) expect(emulator.objects(kind)).toEqual([]);
  });
});

describeSdk("on the Python wheel, which pip installs,", () => {
  const env: Record<string, string> = {};
  beforeAll(async () => {
    const cached = await pythonPackages();
    if (cached === undefined) throw new Error("there is no Python 3 with pip on PATH");
    // As in an activated environment: the tests' Python host does not support `virtualenv`.
    const bin = await installPythonSdk(cached, await generatedSdk("python"));
    env["PATH"] = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
  });

  test("an account of whatever names is taken over by Pulumi in Python", async () => {
    const account = await taking("pulumi-python", env);
    expect(readdirSync(account.stack.program)).toContain("requirements.txt");
    const path = join(account.stack.program, "Pulumi.yaml");
    const project = readFileSync(path, "utf8").replace(/runtime:[^]*/, "runtime: python\n");
    account.stack.write("Pulumi.yaml", project);
    await expectTakenOver(account);
  });
});
