/** What an apply hands to stores of secrets: stand-ins of them keep their arguments in the state. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  ApiKey,
  awsSecret,
  githubActionsSecret,
  kubernetesSecret,
  vaultKv,
} from "../../../../cdktf-bindings";
import { bindingOf } from "../../../cdktf/support/stores";
import type { Actions, Aws, Kv, Secret } from "../../../cdktf/support/stores";
import { hasEngine, ONE_ENGINE } from "../../../harness/terraform-workspace";
import { deployment, type Deployment } from "../../support/cdktf";
import { expectDone } from "../../support/output";
import { isAccepted } from "../../../support/ask";

const standInOf = <C extends object>() => bindingOf<C>("terraform_data", "input");
const permissions = ["servers:read"] as const;
const SECRET = /[a-z]+_(?:live|test)_\w+/;

// With each engine a store of a sealed key is in the program of every construct (every.test.ts).
(hasEngine(ONE_ENGINE) ? describe : describe.skip)(ONE_ENGINE, () => {
  let deployed: Deployment;

  beforeAll(async () => void (deployed = await deployment(ONE_ENGINE)));

  /** What each store has after one run. */
  const sent = async (turn: string): Promise<Record<string, string>> => {
    deployed.write((stack) => {
      const key = new ApiKey(stack, "shop", { permissions, triggers: { turn } });
      key.deliverTo("vault", vaultKv(standInOf<Kv>(), { mount: "secret", name: "shop" }));
      key.deliverTo("aws", awsSecret(standInOf<Aws>(), { secretId: "arn" }));
      key.deliverTo("k8s", kubernetesSecret(standInOf<Secret>(), { metadata: { name: "erp" } }));
      const to = { repository: "shop", secretName: "KEY" };
      key.deliverTo("github", githubActionsSecret(standInOf<Actions>(), to));
    });
    const { workspace } = deployed;
    if (turn === "1") expectDone(await workspace.run("init"));
    await deployed.applied();
    expectDone(await workspace.plan());
    return Object.fromEntries(
      Object.entries(await workspace.state()).flatMap(([address, { input }]) => {
        const store = /^terraform_data\.[a-z]+_([a-z0-9]+)_/.exec(address)?.[1];
        // What the engine keeps of a value whose type it does not know.
        return store === undefined
          ? []
          : [[store, JSON.stringify((input as { value: object }).value)]];
      }),
    );
  };

  test("the run that rotates a key hands the new secret to every store, by a stand-in that records it", async () => {
    const [first, second] = [await sent("1"), await sent("2")];
    const secretsOf = (run: typeof first) =>
      ["vault", "aws", "k8s", "github"].map((name) => SECRET.exec(run[name] ?? "")?.[0]);
    const [old, next] = [secretsOf(first), secretsOf(second)];
    expect([new Set(old).size, new Set(next).size]).toEqual([1, 1]);
    const [secret = ""] = next;
    expect(secret).not.toBe(old[0]);
    expect(await isAccepted(deployed.emulator, secret)).toBe(true);

    // By the arguments of each store.
    const version = (run: typeof first) =>
      Number(/_version":(\d{14})[,}]/.exec(run["aws"] ?? "")?.[1]);
    expect(version(second)).toBeGreaterThanOrEqual(version(first));
    expect(second["vault"]).toContain(`"data_json_wo":"{\\"ERPHOST_API_KEY\\":\\"${secret}`);
    // With digits for the name of the field, exactly as they are.
    expect(second["vault"]).toMatch(/_version":\d{12}6962[,}]/);
    expect(second["k8s"]).toMatch(/_revision":\d{12}6962[,}]/);
    expect(second["aws"]).toContain(`"secret_string_wo":"${secret}"`);
    expect(second["k8s"]).toContain(`"data_wo":{"ERPHOST_API_KEY":"${secret}"}`);
    expect(second["github"]).toContain(`"plaintext_value":"${secret}"`);
  });
});
