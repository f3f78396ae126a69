import { beforeEach, describe, expect, test } from "@jest/globals";
import { Aspects, Fn, TerraformStack, Testing, Token } from "cdktf";
import { Construct } from "constructs";
import {
  ErphostProvider,
  Instance,
  l1,
  ProtectFromDeletion,
  Server,
  SetProperties,
  Team,
} from "../../cdktf-bindings";
import { kinds } from "../../provider/resources";
import { allOf, newStack, only, synth, variable } from "./support/stack";

let stack: TerraformStack;
beforeEach(() => void (stack = newStack()));

const protectedIn = (stack: TerraformStack) =>
  allOf(stack, "server").map((each) => each["deletion_protection"]);

describe("Aspects", () => {
  test("SetProperties applies to a whole stack, and a construct's own properties win", () => {
    const server = new Server(stack, "web", { properties: { size: "large" } });
    new Instance(stack, "erp", { server });
    new l1.server.Server(stack, "bare", { name: "bare", properties: { region: "us" } });
    Aspects.of(stack).add(new SetProperties({ region: "eu", size: "small" }));
    expect(allOf(stack, "server").map((each) => each["properties"])).toEqual([
      { region: "us", size: "small" },
      { region: "eu", size: "large" },
    ]);
    expect(allOf(stack, "instance")).toMatchObject([
      { properties: { region: "eu", size: "small" } },
    ]);
  });

  test("SetProperties can be limited to some kinds", () => {
    const server = new Server(stack, "web");
    new Instance(stack, "erp", { server });
    Aspects.of(stack).add(new SetProperties({ region: "eu" }, ["instance"]));
    const { resource } = synth(stack);
    expect(only(resource, "erphost_server")["properties"]).toBeUndefined();
    expect(only(resource, "erphost_instance")["properties"]).toEqual({ region: "eu" });
  });

  test("ProtectFromDeletion protects servers and instances, unless a construct decides otherwise", () => {
    const server = new Server(stack, "web", { deletionProtection: false });
    new Instance(stack, "erp", { server });
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
