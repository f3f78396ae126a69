import { expect, test } from "@jest/globals";
import type { TerraformStack } from "cdktf";
import { ApiKey, RotatedApiKey, SealedApiKey, awsSecret } from "../../cdktf-bindings";
import { githubActionsSecret, kubernetesSecret, vaultKv } from "../../cdktf-bindings";
import { newStack, only, permissions, RECIPIENT, synthOf, variable } from "./support/stack";
import { bindingOf, type Actions, type Aws, type Kv, type Secret } from "./support/stores";

const metadata = { name: "erp" };
const KvSecretV2 = bindingOf<Kv>("vault_kv_secret_v2");
const SecretVersion = bindingOf<Aws>("aws_secretsmanager_secret_version");
const SecretV1 = bindingOf<Secret>("kubernetes_secret_v1");
const ActionsSecret = bindingOf<Actions>("github_actions_secret");

/** The resources of a program that delivers a key. */
const delivering = (deliver: (key: ApiKey, stack: TerraformStack) => unknown) =>
  synthOf((stack) => deliver(new ApiKey(stack, "shop", { permissions }), stack)).resource;

const version = (format: string): string =>
  `\${parseint(formatdate("${format}", erphost_api_key.shop.rotated_at), 10)}`;
/** The digits stand for the name ERPHOST_API_KEY. */
const VERSION = version("YYMMDDhhmmss6962");

// No engine plans a `coalesce` of null: a key without a secret must not overwrite what a store has.
test("Vault, AWS and Kubernetes get the secret write-only, and its time as the version", () => {
  const resource = delivering((key) => {
    key.deliverTo("vault", vaultKv(KvSecretV2, { mount: "secret", name: "shop" }));
    key.deliverTo("aws", awsSecret(SecretVersion, { secretId: "arn" }));
    key.deliverTo("kubernetes", kubernetesSecret(SecretV1, { metadata }));
  });
  expect(only(resource, "vault_kv_secret_v2")).toEqual({
    mount: "secret",
    name: "shop",
    data_json_wo: '${jsonencode({"ERPHOST_API_KEY" = coalesce(erphost_api_key.shop.value)})}',
    data_json_wo_version: VERSION,
  });
  expect(only(resource, "aws_secretsmanager_secret_version")).toEqual({
    secret_id: "arn",
    secret_string_wo: "${coalesce(erphost_api_key.shop.value)}",
    secret_string_wo_version: version("YYYYMMDDhhmmss"),
  });
  expect(only(resource, "kubernetes_secret_v1")).toEqual({
    metadata: { name: "erp" },
    data_wo: { ERPHOST_API_KEY: "${coalesce(erphost_api_key.shop.value)}" },
    data_wo_revision: VERSION,
  });
});

test("GitHub gets the secret as its plain text, the only argument that takes one", () => {
  const store = githubActionsSecret(ActionsSecret, { repository: "shop", secretName: "KEY" });
  const resource = delivering((key) => key.deliverTo("github", store));
  expect(only(resource, "github_actions_secret")).toEqual({
    repository: "shop",
    secret_name: "KEY",
    plaintext_value: "${coalesce(erphost_api_key.shop.value)}",
  });
});

test("of a sealed key, and of one with a recipient, a store gets only what is encrypted", () => {
  const recipient = RECIPIENT;
  const { resource } = synthOf((stack) => {
    const key = ApiKey.fromApiKeyId(stack, "old", "key_1");
    const sealed = new SealedApiKey(stack, "sealed", { permissions, recipient });
    for (const each of [sealed, new RotatedApiKey(stack, "rotated", { key, recipient })]) {
      each.deliverTo("aws", awsSecret(SecretVersion, { secretId: "arn" }));
    }
  });
  const written = JSON.stringify(resource?.["aws_secretsmanager_secret_version"]);
  const encrypted = ".encrypted_value";
  expect(written.match(/\.(?:encrypted_)?value/g)).toEqual([encrypted, encrypted]);
});

test("the secret's name in a store can be chosen, and another one is another version, so that the next run writes it under that name", () => {
  const versionsOf = (field?: string): unknown[] => {
    const named = field === undefined ? {} : { field };
    const name = field ?? "ERPHOST_API_KEY";
    const resource = delivering((key) => {
      key.deliverTo("vault", vaultKv(KvSecretV2, { mount: "secret", ...named }));
      key.deliverTo("kubernetes", kubernetesSecret(SecretV1, { metadata, ...named }));
    });
    const vault = only(resource, "vault_kv_secret_v2");
    const kubernetes = only(resource, "kubernetes_secret_v1");
    expect(vault["data_json_wo"]).toContain(`{"${name}" = `);
    expect(kubernetes["data_wo"]).toEqual({ [name]: "${coalesce(erphost_api_key.shop.value)}" });
    return [vault["data_json_wo_version"], kubernetes["data_wo_revision"]];
  };
  const names = [undefined, "token", "TOKEN", "password", "a"];
  const versions = names.map((name) => new Set(versionsOf(name)));
  // One for both stores, and another one for each name.
  expect(versions.map(({ size }) => size)).toEqual(names.map(() => 1));
  expect(new Set(versions.flatMap((each) => [...each])).size).toBe(names.length);
  expect(versionsOf("ERPHOST_API_KEY")).toEqual(versionsOf());
});

test("a name that only Terraform knows has one version, whatever else the program declares", () => {
  const versionAfter = (others: number): unknown => {
    const resource = delivering((key, stack) => {
      for (let index = 0; index < others; index += 1) {
        expect(variable(stack, `v${index}`).stringValue).toContain("TOKEN");
      }
      const field = variable(stack).stringValue;
      key.deliverTo("vault", vaultKv(KvSecretV2, { mount: "secret", field }));
    });
    return only(resource, "vault_kv_secret_v2")["data_json_wo_version"];
  };
  expect(versionAfter(5)).toEqual(versionAfter(0));
});

test("a store of one's own is a function, and its resource is what deliverTo returns", () => {
  const key = new ApiKey(newStack(), "shop", { permissions });
  const made = key.deliverTo(
    "own",
    (scope, id, { text }) => new SecretVersion(scope, id, { secretId: "a", secretString: text }),
  );
  expect(made).toBeInstanceOf(SecretVersion);
  expect(made.node.path).toBe("erp/shop/own");
});

test("arguments that are missing, or that hold the secret themselves, do not compile", () => {
  expect([
    // @ts-expect-error The mount is required.
    vaultKv(KvSecretV2, { name: "shop" }),
    // @ts-expect-error The store writes the data.
    vaultKv(KvSecretV2, { mount: "secret", dataJson: "{}" }),
    // @ts-expect-error A version of the binding without write-only arguments.
    awsSecret(bindingOf<{ readonly secretId: string; readonly secretString?: string }>("x"), {}),
    // @ts-expect-error It takes what libsodium encrypted, and age's format is another one.
    githubActionsSecret(ActionsSecret, { repository: "a", secretName: "b", encryptedValue: "" }),
  ]).toHaveLength(4);
});
