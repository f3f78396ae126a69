import { beforeEach, describe, expect, test } from "@jest/globals";
import { App, Aspects, Fn, TerraformStack, Testing, Token, type IResolvable } from "cdktf";
import { Construct } from "constructs";
import { Instance, Server, Team, ApiKey, ErphostProvider } from "../../cdktf-bindings";
import { ErphostStack, NoAdminKeys, NoWideKeys, ProtectFromDeletion } from "../../cdktf-bindings";
import { Backup, SetProperties, deployKeyFor, l1 } from "../../cdktf-bindings";
import { kinds } from "../../provider/resources";
import { allOf, newStack, only, synth, thrownBy, variable } from "./support/stack";

let stack: TerraformStack;
beforeEach(() => void (stack = newStack()));

const protectedIn = (stack: TerraformStack) =>
  allOf(stack, "server").map((each) => each["deletion_protection"]);

describe("Aspects", () => {
  test("SetProperties applies to a whole stack, and a construct's own properties win", () => {
    const server = new Server(stack, "web", { properties: { size: "large" } });
    new Instance(stack, "erp", { server });
    new Backup(stack, "first", { server });
    new l1.server.Server(stack, "bare", { name: "bare", properties: { region: "us" } });
    Aspects.of(stack).add(new SetProperties({ region: "eu", size: "small" }));
    expect(allOf(stack, "server").map((each) => each["properties"])).toEqual([
      { region: "us", size: "small" },
      { region: "eu", size: "large" },
    ]);
    expect(allOf(stack, "instance")).toMatchObject([
      { properties: { region: "eu", size: "small" } },
    ]);
    // No update could follow a change of it.
    expect(allOf(stack, "backup")[0]).not.toHaveProperty("properties");
  });

  test("SetProperties can be limited to some kinds", () => {
    new Instance(stack, "erp", { server: new Server(stack, "web") });
    Aspects.of(stack).add(new SetProperties({ region: "eu" }, ["instance"]));
    const { resource } = synth(stack);
    expect(only(resource, "erphost_server")["properties"]).toBeUndefined();
    expect(only(resource, "erphost_instance")["properties"]).toEqual({ region: "eu" });
  });

  test("ProtectFromDeletion protects servers and instances, unless a construct decides otherwise", () => {
    const server = new Server(stack, "web", { deletionProtection: false });
    // As JavaScript may write what it leaves out.
    new Instance(stack, "erp", { server, deletionProtection: null as never });
    new Team(stack, "team");
    Aspects.of(stack).add(new ProtectFromDeletion());
    const { resource } = synth(stack);
    expect(only(resource, "erphost_server")["deletion_protection"]).toBe(false);
    expect(only(resource, "erphost_instance")["deletion_protection"]).toBe(true);
    expect(only(resource, "erphost_team")).not.toHaveProperty("deletion_protection");
  });

  test("a bad value that an Aspect sets is refused, because Aspects run before validation", () => {
    new Server(stack, "web");
    Aspects.of(stack).add(new SetProperties({ status: "running" }));
    expect(() => synth(stack)).toThrow(/\[erp\/web\] properties\.status/);
  });

  test("of two Aspects the nearer one wins, and a construct over both", () => {
    new Server(stack, "web", { properties: { size: "large" } });
    Aspects.of(stack.node.root).add(new SetProperties({ region: "eu", tier: "a", size: "small" }));
    Aspects.of(stack).add(new SetProperties({ region: "us", size: "small" }));
    const properties = { region: "us", tier: "a", size: "large" };
    expect(only(synth(stack).resource, "erphost_server")["properties"]).toEqual(properties);
  });

  test("SetProperties extends properties that are known only later", () => {
    const given = variable(stack, "given", "map(string)");
    new Server(stack, "merged", { properties: Token.asAnyMap(Fn.merge([{ a: 1 }, { b: 2 }])) });
    new Server(stack, "map", { properties: Token.asAnyMap(given.value) });
    Aspects.of(stack).add(new SetProperties({ region: "eu" }));
    expect(allOf(stack, "server").map((each) => each["properties"])).toEqual([
      '${merge({"region" = "eu"}, var.given)}',
      '${merge({"region" = "eu"}, merge({"a" = 1}, {"b" = 2}))}',
    ]);
  });

  test("SetProperties refuses a kind that does not exist, and knows every one that does", () => {
    // @ts-expect-error It does not compile, either.
    expect(() => new SetProperties({ region: "eu" }, ["servers"])).toThrow(
      'SetProperties: "servers" is not a kind that has properties; use apiKey, backup, instance, server or team.',
    );
    const names = ["server", "instance", "backup", "team", "apiKey"] as const;
    expect(() => new SetProperties({ region: "eu" }, names)).not.toThrow();
    const known = Object.values(kinds).filter(({ fields }) => "properties" in fields);
    expect(known).toHaveLength(names.length);
  });
});

describe("Aspects of an app", () => {
  test("an Aspect on an app protects the servers of every stack, whenever they are declared", () => {
    const app = Testing.app();
    Aspects.of(app).add(new ProtectFromDeletion());
    const stacks = ["one", "two"].map((name) => newStack(name, app));
    for (const stack of stacks) {
      new Server(stack, "web");
      new Server(stack, "spare", { deletionProtection: false });
    }
    expect(stacks.map(protectedIn).flat()).toEqual([false, true, false, true]);
  });

  test("an Aspect on an app reaches generated constructs, with either class of provider", () => {
    for (const Provider of [ErphostProvider, l1.provider.ErphostProvider]) {
      const stack = new TerraformStack(Testing.app(), "erp");
      new Provider(stack, "provider");
      new l1.server.Server(stack, "bare", { name: "bare" });
      Aspects.of(stack.node.root).add(new ProtectFromDeletion());
      expect(protectedIn(stack)).toEqual([true]);
    }
  });

  test("an Aspect on a construct between app and stack reaches its stacks and no others", () => {
    const app = Testing.app();
    const production = new Construct(app, "production");
    Aspects.of(production).add(new ProtectFromDeletion());
    const stacks = [newStack("production-erp", production), newStack("erp", app)];
    for (const stack of stacks) new Server(stack, "web");
    expect(stacks.map(protectedIn)).toEqual([[true], [undefined]]);
  });
});

/** A stack with a server, and a key in another one. */
function withKey(permissions: readonly ("admin" | "servers:*" | "servers:read")[]) {
  const app = Testing.app();
  const keys = new ErphostStack(app, "keys");
  const stack = new ErphostStack(app, "erp");
  new Server(stack, "web", { deletionProtection: true });
  return { app, keys, stack, key: new ApiKey(keys, "pipeline", { permissions }) };
}

test("a key that may do more than what uses it needs is an error, with the scopes and the remedy", () => {
  const { keys, stack, key } = withKey(["servers:*"]);
  key.usedBy(stack);
  Aspects.of(keys).add(new NoWideKeys());
  expect(() => synth(keys)).toThrow(
    '[keys/pipeline] permissions go beyond what erp needs: servers:delete. Use deployKeyFor, or set it to ["servers:read","servers:write"].',
  );
});

test("the Aspect of an app looks at the keys of every stack, generated ones too, and once", () => {
  const { app, keys, stack, key } = withKey(["admin"]);
  key.usedBy(stack, { for: "plan" });
  const bare = new l1.apiKey.ApiKey(keys, "bare", { name: "bare", permissions: ["servers:*"] });
  new ErphostProvider(stack, "own", { alias: "own", apiKey: bare.value });
  Aspects.of(app).add(new NoWideKeys());
  const failure = thrownBy(() => synth(keys));
  expect(failure).toMatch(/\[keys\/pipeline\] .* needs: servers:write, servers:delete, inst/);
  expect(thrownBy(() => synth(keys)).match(/\[keys\/bare\]/g)).toHaveLength(1);
});

test("a warning lets the program be synthesised", () => {
  const { keys, stack, key } = withKey(["servers:*"]);
  key.usedBy(stack);
  Aspects.of(keys).add(new NoWideKeys({ report: "warning" }));
  expect(() => synth(keys)).not.toThrow();
  expect(key.node.metadata.map(({ type, data }) => [type, data as unknown])).toEqual([
    ["@cdktf/warn", expect.stringMatching(/beyond what erp needs: servers:delete/)],
  ]);
});

test("a key without a known use and one that is just wide enough are left alone", () => {
  const { app, keys, stack } = withKey(["admin"]);
  new ApiKey(keys, "computed", deployKeyFor(stack)).usedBy(stack);
  new ApiKey(keys, "narrow", { permissions: ["servers:read"] }).usedBy(stack);
  const list = variable(keys, "scopes", "list(string)").value as IResolvable;
  new ApiKey(keys, "later", { permissions: list });
  Aspects.of(app).add(new NoWideKeys());
  expect(() => synth(keys)).not.toThrow();
});

test("permissions of which Terraform alone knows all or some do not pass, and what is known is judged", () => {
  const { keys, stack } = withKey([]);
  const list = variable(keys, "list", "list(string)").value as IResolvable;
  new ApiKey(keys, "all", { permissions: list }).usedBy(stack);
  const one = variable(keys, "one").stringValue;
  const some = ["servers:read", "teams:read", one as never] as const;
  new ApiKey(keys, "some", { permissions: some }).usedBy(stack, { for: "plan" });
  Aspects.of(keys).add(new NoWideKeys());
  const unknown = "is known only when Terraform runs, so NoWideKeys cannot check it";
  const refusal = thrownBy(() => synth(keys));
  expect(refusal).toContain(`[keys/all] permissions ${unknown}`);
  expect(refusal).toContain("[keys/some] permissions go beyond what erp needs: teams:read.");
  expect(refusal).toContain(`[keys/some] permissions ${unknown}`);
  expect(refusal).not.toContain("[keys/all] permissions go");
});

test("computed permissions are known to other rules", () => {
  const { app, keys, stack } = withKey(["servers:read"]);
  new ApiKey(keys, "computed", deployKeyFor(stack)).allow("teams:*");
  Aspects.of(app).add(new NoAdminKeys());
  expect(() => synth(keys)).toThrow(/\[keys\/computed\] .*teams:\*/);
  const narrow = new ErphostStack(app, "narrow");
  new ApiKey(narrow, "computed", deployKeyFor(stack));
  expect(() => synth(narrow)).not.toThrow();
});

test("two uses of one key need what both need", () => {
  const { app, keys, stack, key } = withKey(["servers:*"]);
  key.usedBy(stack);
  const other = new ErphostStack(app, "other");
  new Server(other, "web");
  key.usedBy(other);
  Aspects.of(keys).add(new NoWideKeys());
  expect(() => synth(keys)).not.toThrow();
});

test("a provider block is a use of the key that it has, in its own account only", () => {
  const stack = new TerraformStack(new App({ outdir: Testing.app().outdir }), "erp");
  const admin = new ErphostProvider(stack, "admin");
  const key = new ApiKey(stack, "key", { permissions: ["servers:*"], provider: admin });
  const provider = new ErphostProvider(stack, "narrow", { alias: "n", apiKey: key.value });
  new Team(stack, "team");
  new Server(stack, "web", { provider });
  Aspects.of(stack).add(new NoWideKeys());
  expect(() => synth(stack)).not.toThrow();
  key.allow("teams:read");
  expect(() => synth(stack)).toThrow(/\[erp\/key\] permissions .* erp needs: teams:read\./);
});
