/** `toPlanNothingAfter`: what a plan would change, and what it would not. */
import { describe, expect, test } from "@jest/globals";
import {
  CloudBackend,
  LocalBackend,
  NamedCloudWorkspace,
  S3Backend,
  TerraformLocal,
  TerraformOutput,
  TerraformProvider,
  TerraformStack,
  TerraformVariable,
  Testing,
  type TerraformVariableConfig,
} from "cdktf";
import {
  ErphostProvider,
  Instance,
  moveConstruct,
  SealedApiKey,
  Server,
  type ErphostProviderConfig,
  type ServerProps,
} from "../../cdktf-bindings";
import { expectStack, synth } from "../../cdktf-bindings/testing";
import { newStack } from "./support/stack";
import { thrownBy } from "./support/thrown";

const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

const stackWith = (declare: (stack: TerraformStack) => void): TerraformStack => {
  const stack = newStack();
  declare(stack);
  return stack;
};

/** What a plan of the one would change after the other; empty: nothing. */
const changes = (before: TerraformStack | string, after: TerraformStack): string =>
  thrownBy(() => {
    expectStack(after).toPlanNothingAfter(before);
  })
    .split("\n")
    .slice(1)
    .map((line) => line.trim())
    .join("; ");

describe("objects and outputs", () => {
  const before = () =>
    stackWith((stack) => {
      const server = new Server(stack, "old", { name: "erp" });
      new Instance(stack, "erp", { server, version: "17.0" });
      new TerraformOutput(stack, "id", { value: server.serverId });
    });
  const after = (isMoved: boolean) =>
    stackWith((stack) => {
      const server = new Server(stack, "web", { name: "erp" });
      if (isMoved) moveConstruct(new Server(stack, "old", { name: "erp" }), server);
      new Instance(stack, "erp", { server, version: "17.0" });
      new TerraformOutput(stack, "id", { value: server.serverId });
    });

  test("the same program plans nothing, and so does one with a renamed construct", () => {
    expectStack(before()).toPlanNothingAfter(before());
    expectStack(after(true)).toPlanNothingAfter(before());
    expectStack(after(true)).toPlanNothingAfter(synth(before()));
  });

  test("a rename without moveConstruct is a deletion and a creation, and the failure says the remedy", () => {
    const check = () => {
      expectStack(after(false)).toPlanNothingAfter(before());
    };
    expect(thrownBy(check)).toBe(
      [
        "The stack erp plans changes:",
        "  erphost_server.old would be deleted",
        "  erphost_server.web would be created",
        '  erphost_instance.erp would change: server_id "${erphost_server.old.id}" → "${erphost_server.web.id}", which forces replacement',
        '  the output id would change: value "${erphost_server.old.id}" → "${erphost_server.web.id}"',
        "An object keeps its place under another path with moveConstruct(old, renamed).",
      ].join("\n"),
    );
  });

  test("an edited argument, a renamed output and an import are changes", () => {
    const edited = stackWith((stack) => {
      const server = new Server(stack, "old", { name: "erp" });
      new Instance(stack, "erp", { server, version: "18.0" });
      new TerraformOutput(stack, "serverId", { value: server.serverId });
      new Server(stack, "adopted").resource.importFrom("srv_1");
    });
    const message = thrownBy(() => {
      expectStack(edited).toPlanNothingAfter(before());
    });
    expect(message).toContain('erphost_instance.erp would change: version "17.0" → "18.0"\n');
    expect(message).toContain("the output id would be deleted");
    expect(message).toContain("the output serverId would be created");
    expect(message).toContain("erphost_server.adopted would be imported");
    expectStack(edited).not.toPlanNothingAfter(before());
  });

  test("a sealed key that is moved keeps its key, and its output is another", () => {
    const props = { name: "ci", permissions: ["servers:read"], recipient: RECIPIENT } as const;
    const old = stackWith((stack) => void new SealedApiKey(stack, "old", props));
    const moved = stackWith((stack) => {
      moveConstruct(new SealedApiKey(stack, "old", props), new SealedApiKey(stack, "ci", props));
    });
    const message = thrownBy(() => {
      expectStack(moved).toPlanNothingAfter(old);
    });
    expect(message).toMatch(/the output old_EncryptedValue\w* would be deleted/);
    expect(message).not.toContain("erphost_api_key");
  });
});

describe("arguments that are for the engine", () => {
  const server = (props: ServerProps = {}): TerraformStack =>
    stackWith((stack) => void new Server(stack, "web", { name: "erp", ...props }));
  const ignoring = (...names: string[]): ServerProps => ({ lifecycle: { ignoreChanges: names } });

  test("conditions and the order of replacement show in no plan", () => {
    const careful = { preventDestroy: true, createBeforeDestroy: true };
    const precondition = [{ condition: true, errorMessage: "never" }];
    expect(changes(server(), server({ lifecycle: { ...careful, precondition } }))).toBe("");
  });

  test("a write-only value shows in no plan, and its version does", () => {
    const secret = (token: string, version: string): TerraformStack =>
      stackWith((stack) => {
        const { resource } = new Server(stack, "web");
        // As an override, so that each library takes it whatever engines it targets.
        resource.addOverride("secret_properties_wo", { token });
        resource.addOverride("secret_properties_wo_version", version);
      });
    expect(changes(secret("a", "1"), secret("b", "1"))).toBe("");
    expect(changes(secret("a", "1"), secret("a", "2"))).toContain("secret_properties_wo_version");
  });

  test("what is no longer ignored may have changed since, and what is ignored now has not", () => {
    expect(changes(server(ignoring("name")), server())).toBe(
      "erphost_server.web would no longer ignore changes of name",
    );
    expect(changes(server({ lifecycle: { ignoreChanges: "all" } }), server(ignoring("name")))).toBe(
      "erphost_server.web would no longer ignore changes of any argument",
    );
    expect(changes(server(), server(ignoring("name")))).toBe("");
    expect(changes(server(), server({ name: "other", ...ignoring("name") }))).toBe("");
    expect(changes(server(), server({ name: "other", ...ignoring("properties") }))).toMatch(
      /^erphost_server\.web would change: name "erp" → "other"$/,
    );
  });

  test("another account is a change that nothing ignores", () => {
    const second = (stack: TerraformStack): ErphostProvider =>
      new ErphostProvider(stack, "second", { alias: "second" });
    const inSecond = stackWith((stack) => {
      const lifecycle = { ignoreChanges: "all" } as const;
      new Server(stack, "web", { name: "erp", provider: second(stack), lifecycle });
    });
    expect(changes(server(), inSecond)).toBe(
      'erphost_server.web would change: provider (not set) → "erphost.second"',
    );
  });

  test("another trigger of replacements is a change", () => {
    const triggered = stackWith((stack) => {
      const lifecycle = { replaceTriggeredBy: ["erphost_team.ops"] };
      new Server(stack, "web", { name: "erp", lifecycle });
    });
    expect(changes(server(), triggered)).toContain("lifecycle.replace_triggered_by (not set) → ");
    expect(changes(triggered, server())).toContain("lifecycle.replace_triggered_by [");
    expect(changes(triggered, triggered)).toBe("");
  });
});

describe("where objects get their values from", () => {
  const lookup = (name: string) =>
    stackWith((stack) => {
      const server = Server.fromServerName(stack, "found", name);
      new Instance(stack, "erp", { server });
    });

  test("a lookup of another object is a change, and one that is new or gone is none by itself", () => {
    expect(changes(lookup("old"), lookup("new"))).toBe(
      'data.erphost_server.found would change: name "old" → "new"',
    );
    const more = lookup("old");
    Server.fromServerName(more, "more", "other");
    expect(changes(lookup("old"), more)).toBe("");
    expect(changes(more, lookup("old"))).toBe("");
  });

  const account = (...configs: readonly ErphostProviderConfig[]) => {
    const stack = new TerraformStack(Testing.app(), "erp");
    for (const config of configs) {
      new ErphostProvider(stack, `provider-${config.alias ?? ""}`, config);
    }
    new Server(stack, "web");
    return stack;
  };

  test("another account is a change, and how calls are made is none", () => {
    const eu = { baseUrl: "https://eu.example/v1" };
    expect(changes(account({}), account(eu))).toBe(
      'the provider erphost would change: base_url (not set) → "https://eu.example/v1"',
    );
    expect(changes(account(eu), account({}))).toContain("base_url");
    const apiKey = "acme_test_4f9c2b7d";
    const alias = (baseUrl: string) => account({ alias: "eu", apiKey, baseUrl });
    expect(changes(alias("https://a.example/v1"), alias("https://b.example/v1"))).toContain(
      "the provider erphost.eu would change: base_url",
    );
    const pace = { concurrency: 2, limits: ["1/1s"], share: 0.5, timeout: "9s", waitMax: "1m" };
    expect(changes(account(eu), account({ ...eu, ...pace, intentsDir: "." }))).toBe("");
  });

  test("a block that is left out is one without settings", () => {
    const second = { alias: "second" };
    expect(changes(account({ baseUrl: "https://eu.example/v1" }, second), account(second))).toBe(
      'the provider erphost would change: base_url "https://eu.example/v1" → (not set)',
    );
    expect(changes(account({}, second), account(second))).toBe("");
    expect(changes(account({}), account({}, second))).toBe("");
  });

  const variable = (config: TerraformVariableConfig) =>
    stackWith((stack) => {
      const name = new TerraformVariable(stack, "name", config);
      new Server(stack, "web", { name: name.stringValue });
    });

  test("another default of a variable is a change, and another description is none", () => {
    expect(changes(variable({ default: "a" }), variable({ default: "b" }))).toBe(
      'the variable name would change: default "a" → "b"',
    );
    expect(changes(variable({ default: "a" }), variable({}))).toContain('default "a" → (not set)');
    expect(changes(variable({}), variable({ sensitive: true }))).toContain("sensitive");
    const described = variable({ default: "a", description: "What people see." });
    expect(changes(variable({ default: "a" }), described)).toBe("");
  });

  test("another value of a local is a change", () => {
    const local = (value: string) =>
      stackWith((stack) => {
        const name = new TerraformLocal(stack, "name", value);
        new Server(stack, "web", { name: name.asString });
      });
    expect(changes(local("a"), local("b"))).toBe('the local name would change: value "a" → "b"');
    expect(changes(local("a"), local("a"))).toBe("");
  });

  test("other arguments of a module are a change of what is in it", () => {
    const module = (size: number) =>
      stackWith((stack) => {
        stack.addOverride("module.net", { source: "./net", size });
      });
    expect(changes(module(1), module(2))).toBe("module.net would change: size 1 → 2");
    expect(changes(module(1), newStack())).toContain("module.net would be deleted");
  });
});

describe("the state", () => {
  const EMPTY = "so its state would be another one, which is empty";
  const HINT =
    "If the state is copied to its new place before the apply, say so: toPlanNothingAfter(before, { stateIsMigrated: true }).";

  test("another place of the state is a change, whatever the backend, and how it is reached is none", () => {
    const withBackend = (declare: (stack: TerraformStack) => unknown) =>
      stackWith((stack) => void declare(stack));
    const s3 = (key: string, more = {}) =>
      withBackend((stack) => new S3Backend(stack, { bucket: "states", key, ...more }));
    const local = (path: string) => withBackend((stack) => new LocalBackend(stack, { path }));
    const cloud = (name: string) =>
      withBackend((stack) => {
        const workspaces = new NamedCloudWorkspace(name);
        return new CloudBackend(stack, { organization: "acme", workspaces });
      });
    expect(changes(s3("a"), s3("b"))).toBe(
      `the backend would change: key "a" → "b", ${EMPTY}; ${HINT}`,
    );
    expect(changes(cloud("a"), cloud("b"))).toContain('workspaces {"name":"a"} → {"name":"b"}');
    expect(changes(local("/a/erp.tfstate"), local("/b/erp.tfstate"))).toContain("path");
    expect(changes(newStack(), s3("a"))).toContain('backend "local" → "s3"');
    expect(changes(s3("a"), s3("a", { encrypt: true, profile: "ci" }))).toBe("");
    for (const same of [s3("a"), cloud("a"), local("/a/erp.tfstate"), local("own.tfstate")])
      expect(changes(same, same)).toBe("");
  });

  /** As an app writes it, in the folder in which it runs. */
  const file = (stack: TerraformStack, folder: string): string => {
    const metadata = { stackName: stack.node.id };
    const backend = { local: { path: `${folder}terraform.${stack.node.id}.tfstate` } };
    const text = JSON.parse(synth(stack)) as object;
    return JSON.stringify({ ...text, "//": { metadata }, terraform: { backend } });
  };
  const named = (id: string): TerraformStack => {
    const stack = newStack(id);
    new Server(stack, "web");
    return stack;
  };

  test("another id of the stack is a change, on any machine, unless its backend says where the state is", () => {
    const renamed = `the backend would change: path "terraform.erp.tfstate" → "terraform.shop.tfstate", ${EMPTY}; ${HINT}`;
    expect(changes(named("erp"), named("shop"))).toBe(renamed);
    for (const folder of ["/srv/erp/", "C:\\erp\\"]) {
      expect(changes(file(named("erp"), folder), named("shop"))).toBe(renamed);
      expect(changes(file(named("erp"), folder), named("erp"))).toBe("");
    }
    const own = (id: string, path: string): TerraformStack => {
      const stack = named(id);
      new LocalBackend(stack, { path });
      return stack;
    };
    expect(changes(own("erp", "own.tfstate"), own("shop", "own.tfstate"))).toContain(EMPTY);
    expect(changes(own("erp", "/states/own"), own("shop", "/states/own"))).toBe("");
  });

  test("what the test says is migrated does not count, and everything else still does", () => {
    const stateIsMigrated = true;
    expectStack(named("shop")).toPlanNothingAfter(named("erp"), { stateIsMigrated });
    const more = named("shop");
    new Server(more, "api");
    expectStack(more).not.toPlanNothingAfter(named("erp"), { stateIsMigrated });
  });
});

class OtherProvider extends TerraformProvider {}

test("what a failure prints holds no secret", () => {
  const withSecrets = (secret: string) =>
    stackWith((stack) => {
      const apiKey = `acme_test_${secret}`;
      new ErphostProvider(stack, "second", { alias: "second", apiKey });
      new OtherProvider(stack, "aws", { terraformResourceType: "aws" }).addOverride("key", secret);
      new TerraformVariable(stack, "token", { default: secret, sensitive: true });
      new TerraformOutput(stack, "out", { value: secret, sensitive: true });
      new Server(stack, "web", { secretProperties: { token: secret } });
    });
  const message = changes(withSecrets("4f9c2b7d"), withSecrets("8a1e0c35"));
  expect(message.match(/\(its values are not shown\)/g)).toHaveLength(5);
  expect(message).not.toMatch(/4f9c2b7d|8a1e0c35/);
});
