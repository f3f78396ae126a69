/** Two accounts in one stack, whose provider blocks an engine gives a process each. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Testing, type TerraformStack } from "cdktf";
import type { Emulator } from "../../../../emulator";
import { everything } from "../../../cdktf/support/everything";
import {
  buildMirror,
  hasEngine,
  ONE_ENGINE,
  TerraformWorkspace,
} from "../../../harness/terraform-workspace";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone } from "../../support/output";

const json = (stack: TerraformStack): string => Testing.synth(stack, true);

// What each block is given is the same from both engines.
(hasEngine(ONE_ENGINE) ? describe : describe.skip)(ONE_ENGINE, () => {
  let main: Emulator;
  let eu: Emulator;
  let workspace: TerraformWorkspace;
  let stack: TerraformStack;

  beforeAll(async () => {
    buildMirror();
    [main, eu] = [await openedEmulator(), await openedEmulator()];
    eu.createKey({ name: "dashboard", permissions: ["servers:read"] });
    const none = { recipient: "", adopted: "", made: "" };
    stack = everything({ main: main.baseUrl, eu: eu.baseUrl, ...none }).abroad;
    const env = { TF_VAR_live_key: main.adminKey, ERPHOST_API_KEY: eu.adminKey };
    workspace = opened(await TerraformWorkspace.create({ engine: ONE_ENGINE, env }, ""));
    workspace.write("cdk.tf.json", json(stack));
    expectDone(await workspace.run("init"));
  });

  test("a key that is not given is never the key of the environment, in HCL neither", async () => {
    workspace.write("none.auto.tfvars", "eu_key = null\n");
    expect((await workspace.plan()).output).toMatch(/Required variable not set/);
    // In HCL the library does not write that the variable must not be null.
    workspace.write("cdk.tf.json", "{}");
    workspace.write("main.tf", String(Testing.synthHcl(stack, true)));
    expect((await workspace.plan()).output).toMatch(/api_key is empty/);
    expect(eu.journal()).toEqual([]);
    workspace.write("main.tf", "");
    workspace.write("none.auto.tfvars", "");
    workspace.write("cdk.tf.json", json(stack));
  });

  test("each account has its own objects, and after the apply nothing is planned", async () => {
    workspace.env["TF_VAR_eu_key"] = eu.adminKey;
    expectDone(await workspace.apply());
    expectDone(await workspace.plan());
    const names = [main, eu].map((each) => each.objects("server").map(({ name }) => name));
    expect(names).toEqual([["live-home"], ["live-eu-web"]]);
    expect(main.counts()).toMatchObject({ instance: 0, backup: 1, team: 0 });
    expect(eu.counts()).toMatchObject({ server: 1, instance: 2, backup: 2, team: 0 });
    expect(eu.objects("api_key").filter(({ name }) => name === "dashboard")).toHaveLength(2);
  });
});
