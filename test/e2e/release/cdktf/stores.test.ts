/** What an apply hands to stores of secrets: stand-ins of them keep their arguments in the state. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import {
  ApiKey,
  awsSecret,
  githubActionsSecret,
  kubernetesSecret,
  SealedApiKey,
  vaultKv,
} from "../../../../cdktf-bindings";
import { bindingOf } from "../../../cdktf/support/stores";
import type { Actions, Aws, Kv, Secret } from "../../../cdktf/support/stores";
import { hasEngine, ONE_ENGINE } from "../../../harness/terraform-workspace";
import { deployment, type Deployment } from "../../support/cdktf";
import { expectDone } from "../../support/output";

const standInOf = <C extends object>() => bindingOf<C>("terraform_data", "input");
const permissions = ["servers:read"] as const;
const SECRET = /[a-z]+_(?:live|test)_\w+/;

// With each engine a store is in the program of every construct (every.test.ts).
(hasEngine(ONE_ENGINE) ? describe : describe.skip)(ONE_ENGINE, () => {
  let deployed: Deployment;
  let identity: string;

  beforeAll(async () => {
    identity = await generateIdentity();
    deployed = await deployment(ONE_ENGINE);
  });

  /** What each store has after one run. */
  const sent = async (turn: string, recipient: string): Promise<Record<string, string>> => {
    deployed.write((stack) => {
      const props = { permissions, triggers: { turn } };
      const key = new ApiKey(stack, "shop", props);
      key.deliverTo("vault", vaultKv(standInOf<Kv>(), { mount: "secret", name: "shop" }));
      key.deliverTo("aws", awsSecret(standInOf<Aws>(), { secretId: "arn" }));
      key.deliverTo("k8s", kubernetesSecret(standInOf<Secret>(), { metadata: { name: "erp" } }));
      const to = { repository: "shop", secretName: "KEY" };
      key.deliverTo("github", githubActionsSecret(standInOf<Actions>(), to));
      const sealed = new SealedApiKey(stack, "sealed", { ...props, recipient });
      sealed.deliverTo("kept", awsSecret(standInOf<Aws>(), { secretId: "sealed" }));
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
  const statusOf = async (secret: string): Promise<number> => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await fetch(`${deployed.emulator.baseUrl}/servers`, { headers })).status;
  };

  test("the run that rotates a key hands the new secret to every store, by a stand-in that records it", async () => {
    const recipient = await identityToRecipient(identity);
    const [first, second] = [await sent("1", recipient), await sent("2", recipient)];
    const secretsOf = (run: typeof first) =>
      ["vault", "aws", "k8s", "github"].map((name) => SECRET.exec(run[name] ?? "")?.[0]);
    const [old, next] = [secretsOf(first), secretsOf(second)];
    expect([new Set(old).size, new Set(next).size]).toEqual([1, 1]);
    const [secret = ""] = next;
    expect(secret).not.toBe(old[0]);
    expect(await statusOf(secret)).toBe(200);

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

    // Of the sealed key nobody but its recipient learns anything.
    const kept = JSON.parse(second["kept"] ?? "{}") as Record<string, string>;
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    const sealed = await decrypter.decrypt(armor.decode(kept["secret_string_wo"] ?? ""), "text");
    expect(await statusOf(sealed)).toBe(200);
    expect(deployed.workspace.stateText()).not.toContain(sealed);
  });
});
