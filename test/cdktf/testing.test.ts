/** `erphost/cdktf/testing`: what the tests of users say, and what they print when it is not so. */
import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Aspects, Testing, type TerraformStack } from "cdktf";
import { Instance, Server, Team, ApiKey, BackedUpInstance } from "../../cdktf-bindings";
import { BackupSchedule, ErphostProvider, ProtectFromDeletion, l1 } from "../../cdktf-bindings";
import { moveConstruct, type Scope } from "../../cdktf-bindings";
import { expectStack, setupJest, synth, type StackExpectation } from "../../cdktf-bindings/testing";
import { blocksOf } from "../e2e/support/guide";
import { newStack, thrownBy } from "./support/stack";

/** What a failed expectation of the program says. */
const failure = (stack: TerraformStack, check: (expectation: StackExpectation) => void): string =>
  thrownBy(() => check(expectStack(stack)));

test("the pages show what a failed test and a mistake at synthesis print", () => {
  const printed = (path: string, holding: string): string =>
    blocksOf(path).find(({ language, text }) => language === "text" && text.includes(holding))
      ?.text ?? "";
  const stack = newStack();
  new Server(stack, "web");
  const props = { name: "web", deletionProtection: true };
  const said = failure(stack, (it) => it.toDeclare(Server, props));
  expect(`${said}\n`).toBe(printed("cdktf/testing", "declares no Server"));
  new ApiKey(stack, "pipeline", { permissions: ["servers:read"], rotateAfter: "a quarter" });
  const refused = thrownBy(() => synth(stack));
  const [mistake, ...parts] = printed("cdktf/index", "rotateAfter").trim().split("…");
  for (const part of [mistake, ...parts]) expect(refused).toContain(part?.trim());
});

describe("toDeclare", () => {
  let stack: TerraformStack;
  let server: Server;
  beforeEach(() => {
    stack = newStack();
    const properties = { region: "eu", tags: ["a"] };
    const props = { deletionProtection: true, properties, timeouts: { create: "5m" } };
    server = new Server(stack, "web", props);
  });

  test("finds a construct by its class and its props, as the program writes them", () => {
    new BackedUpInstance(stack, "erp", { server, version: "17.0" });
    const found = Server.fromServerName(stack, "found", "old");
    new Instance(stack, "trial", { server: found });
    const expectation = expectStack(stack);
    expectation.toDeclare(Server);
    const some = { name: "web", deletionProtection: true, properties: { region: "eu" } };
    expectation.toDeclare(Server, { ...some, timeouts: { create: "5m" } });
    expectation.toDeclare(Instance, { server, version: "17.0", backupBeforeUpgrade: true });
    expectation.toDeclare(Instance, { server: found, name: "trial" });
    expectation.toDeclare(l1.server.Server, { name: "web", deletionProtection: true });
    expectation.toDeclare(l1.dataErphostServer.DataErphostServer, { name: "old" });
    expectation.toDeclare(Server, { name: expect.stringMatching(/^w/) as never });
    expectation.not.toDeclare(Team);
    expectation.not.toDeclare(Server, { name: "other" });
    expectation.not.toDeclare(Instance, { server, name: "trial" });
  });

  test("sees the account of an object, and what Aspects and overrides have set", () => {
    const provider = new ErphostProvider(stack, "second", { alias: "second" });
    const api = new Server(stack, "api", { provider });
    Aspects.of(api).add(new ProtectFromDeletion());
    api.resource.addOverride("name", "renamed");
    expectStack(stack).toDeclare(Server, { provider, deletionProtection: true, name: "renamed" });
    expectStack(stack).not.toDeclare(Server, { name: "api" });
  });

  test("lists of another length and objects without a key are different", () => {
    const { not } = expectStack(stack);
    not.toDeclare(Server, { properties: { tags: ["a", "b"] } });
    not.toDeclare(Server, { properties: { tags: [] } });
    not.toDeclare(Server, { properties: { size: 1 } });
    not.toDeclare(Server, { timeouts: { create: "6m" } });
  });

  test("a failure names what differs, those that come closest first", () => {
    new Server(stack, "api", { deletionProtection: false });
    const props = { name: "web", deletionProtection: false, wait: true };
    expect(failure(stack, (it) => it.toDeclare(Server, props)).split("\n")).toEqual([
      "The stack erp declares no Server with these props.",
      "  erp/web: deletionProtection is true, expected false; wait is not set, expected true",
      '  erp/api: name is "api", expected "web"; wait is not set, expected true',
    ]);
  });

  test("a failure describes a value that decides for itself what it is equal to", () => {
    const name = expect.stringContaining("erp") as never;
    const said = failure(stack, (it) => it.toDeclare(Server, { name }));
    expect(said).toContain(`name is "web", expected StringContaining 'erp'`);
  });

  test("a failure without a construct of the class lists what there is", () => {
    expect([stack, newStack()].map((each) => failure(each, (it) => it.toDeclare(Team)))).toEqual([
      "The stack erp declares no Team.\nIt declares:\n  Server erp/web",
      "The stack erp declares no Team.\nIt declares nothing.",
    ]);
  });

  test("a failure of the opposite names the constructs that are there", () => {
    const said = failure(stack, (it) => it.not.toDeclare(Server, { name: "web" }));
    expect(said).toBe("The stack erp declares Server erp/web with these props.");
  });

  test("a prop without an argument in the configuration is refused, because its opposite would always pass", () => {
    new BackupSchedule(stack, "daily", { server, every: "1d" });
    expectStack(stack).toDeclare(BackupSchedule, { server });
    expect(failure(stack, (it) => it.not.toDeclare(BackupSchedule, { every: "2d" }))).toMatch(
      /^toDeclare cannot compare every of BackupSchedule: .*Compare what it sets/,
    );
  });

  test("finds what is given an object of another stack, and the output that the other one has for it", () => {
    const app = Testing.app();
    const [shops, backups] = [newStack("shops", app), newStack("backups", app)];
    const web = new Server(shops, "web");
    const [erp, other] = [web.addInstance("erp"), web.addInstance("other")];
    new BackupSchedule(backups, "erp", { instance: erp, every: "1d" });
    // Whichever is synthesised first.
    expect(synth(shops)).toContain("cross-stack-output-");
    expectStack(backups).toDeclare(BackupSchedule, { instance: erp });
    expectStack(backups).not.toDeclare(BackupSchedule, { instance: other });
    new Server(backups, "named", { name: `${erp.status}-1` });
    expectStack(backups).toDeclare(Server, { name: `${erp.status}-1` });
    expectStack(backups).not.toDeclare(Server, { name: `${erp.status}-2` });
    expectStack(backups).not.toDeclare(Server, { name: `${other.status}-1` });
  });

  test("a construct that has been moved away is not declared", () => {
    const moved = newStack();
    const made = (id: string) => new Server(moved, id, { name: "erp" });
    moveConstruct(made("old"), made("web"));
    expect(failure(moved, (it) => it.not.toDeclare(Server))).toContain("declares Server erp/web.");
  });
});

describe("toNeedScopes", () => {
  const given = () => {
    const stack = newStack();
    new Instance(stack, "erp", { server: new Server(stack, "web"), backupBeforeUpgrade: false });
    return stack;
  };
  const PLAN = ["servers:read", "instances:read"] as const;
  const APPLY = [
    ...["servers:read", "servers:write", "servers:delete"],
    ...["instances:read", "instances:write", "instances:delete"],
  ] as Scope[];

  test("passes with exactly the scopes that planning and applying need", () => {
    expectStack(given()).toNeedScopes(APPLY);
    expectStack(given()).toNeedScopes(PLAN, { for: "plan" });
    expectStack(given()).not.toNeedScopes(PLAN);
    expectStack(given()).not.toNeedScopes([...APPLY, "billing:read"]);
  });

  test("Aspects have a say: what is protected needs no scope to delete it", () => {
    const stack = given();
    Aspects.of(stack).add(new ProtectFromDeletion());
    expectStack(stack).toNeedScopes(APPLY.filter((scope) => !scope.endsWith(":delete")));
  });

  test("a failure names the constructs that need more, and what is not needed", () => {
    const some = APPLY.filter((each) => each !== "servers:delete");
    const said = failure(given(), (it) => it.toNeedScopes([...some, "billing:read"]));
    expect(said.split("\n")).toEqual([
      "The stack erp needs other scopes to be applied:",
      "  servers:delete is needed by erp/web",
      "  billing:read is not needed",
    ]);
  });

  test("a failure of the opposite lists the scopes", () => {
    expect(failure(given(), (it) => it.not.toNeedScopes(PLAN, { for: "plan" }))).toBe(
      "The stack erp needs exactly these scopes to be planned: servers:read, instances:read.",
    );
  });
});

test("a mistake in the program fails every matcher, because validations run", () => {
  const stack = newStack();
  new Server(stack, "web", { name: "" });
  const path = /\[erp\/web\] name /;
  expect(() => Testing.synth(stack)).not.toThrow();
  expect(() => synth(stack)).toThrow(path);
  expect(failure(stack, (it) => it.toDeclare(Server))).toMatch(path);
  expect(failure(stack, (it) => it.not.toDeclare(Team))).toMatch(path);
});

test("a matcher that is given the text of a stack says that it takes the stack", () => {
  expect(failure(Testing.synth(newStack()) as never, (it) => it.toDeclare(Server))).toMatch(
    /toDeclare takes a TerraformStack, and was given a string\..*pass the stack/,
  );
});

describe("in jest", () => {
  beforeAll(() => void setupJest());
  // The types are those of the global expect, which this file does not use.
  const inJest = expect as unknown as (received: unknown) => StackExpectation;

  test("expect has the matchers, and their failures are jest's", () => {
    const stack = newStack();
    new Server(stack, "web");
    inJest(stack).toDeclare(Server, { name: "web" });
    inJest(stack).not.toDeclare(Team);
    expect(() => inJest(stack).toDeclare(Team)).toThrow(/^The stack erp declares no Team\./);
    expect(() => inJest(stack).not.toDeclare(Server)).toThrow(/declares Server erp\/web\./);
    expect(() => inJest("{}").toDeclare(Server)).toThrow(/takes a TerraformStack/);
  });

  test("without an expect to extend, the setup says where to call it", () => {
    expect(() => setupJest(undefined)).not.toThrow();
    expect(() => setupJest({})).toThrow(/setupJest found no expect .*setupFilesAfterEnv/);
  });
});
