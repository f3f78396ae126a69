/** Claims about every construct, including the next one that is added. */
import { describe, expect, jest, test } from "@jest/globals";
import { Aspects, TerraformDataSource, TerraformResource, TerraformStack } from "cdktf";
import * as bindings from "../../cdktf-bindings";
import { Backup, Instance, Server, Team, ApiKey, RotatedApiKey } from "../../cdktf-bindings";
import { SealedApiKey, BackedUpInstance, BackupSchedule } from "../../cdktf-bindings";
import { ErpInstallation, InstanceFleet, ServerFleet, Declared } from "../../cdktf-bindings";
import { LIBRARY } from "./support/documented";
import { ANYTHING, everything } from "./support/everything";
import { allOf, hosted, newStack, permissions, RECIPIENT, synth, synthOf } from "./support/stack";

const key = (stack: TerraformStack) => ApiKey.fromApiKeyId(stack, "made", "key_1");

interface Case {
  /** Declares it as `it`. */
  readonly make: (stack: TerraformStack) => unknown;
  /** The same with a bad argument. */
  readonly spoil: (stack: TerraformStack) => unknown;
  /** Path, field and remedy. */
  readonly fault: RegExp;
}

const cases: Readonly<Record<string, Case>> = {
  Server: {
    make: (stack) => new Server(stack, "it"),
    spoil: (stack) => new Server(stack, "it", { readyStates: [""] }),
    fault: /\[erp\/it\] readyStates\[0\] .*\. States that count as ready/,
  },
  Instance: {
    make: (stack) => new Instance(stack, "it", { server: hosted(stack) }),
    spoil: (stack) => new Instance(stack, "it", { server: hosted(stack), version: "" }),
    fault: /\[erp\/it\] version .*For example version: "17\.0"\./,
  },
  Backup: {
    make: (stack) => new Backup(stack, "it", { server: hosted(stack) }),
    spoil: (stack) => new Backup(stack, "it", {} as never),
    fault: /\[erp\/it\] Exactly one of instance and server is required\./,
  },
  BackupSchedule: {
    make: (stack) => new BackupSchedule(stack, "it", { server: hosted(stack), every: "1d" }),
    spoil: (stack) => new BackupSchedule(stack, "it", { server: hosted(stack), every: "daily" }),
    fault: /\[erp\/it\] every must be a duration of at least an hour, such as 1d, 12h or 7d/,
  },
  Team: {
    make: (stack) => new Team(stack, "it", { members: [{ email: "ada@example.com" }] }),
    spoil: (stack) => new Team(stack, "it", { members: [{ email: "ada" }] }),
    fault: /\[erp\/it\] members\[0\]\.email .*For example members: /,
  },
  ApiKey: {
    make: (stack) => new ApiKey(stack, "it", { permissions }),
    spoil: (stack) => new ApiKey(stack, "it", { permissions, gracePeriod: "a week" }),
    fault: /\[erp\/it\] gracePeriod .*For example gracePeriod: "7d"\./,
  },
  RotatedApiKey: {
    make: (stack) => new RotatedApiKey(stack, "it", { key: key(stack) }),
    spoil: (stack) => new RotatedApiKey(stack, "it", { key: key(stack), rotateAfter: "2w" }),
    fault: /\[erp\/it\] rotateAfter .*For example rotateAfter: "90d"\./,
  },
  BackedUpInstance: {
    make: (stack) => new BackedUpInstance(stack, "it", { server: hosted(stack), version: "17.0" }),
    spoil: (stack) => new BackedUpInstance(stack, "it", { server: hosted(stack), version: "" }),
    fault: /\[erp\/it\/Instance\] version .*For example version: "17\.0"\./,
  },
  ErpInstallation: {
    make: (stack) => new ErpInstallation(stack, "it"),
    spoil: (stack) => new ErpInstallation(stack, "it", { name: "" }),
    fault: /\[erp\/it\/Server\] name .*For example name: "erp-production"\./,
  },
  SealedApiKey: {
    make: (stack) => new SealedApiKey(stack, "it", { permissions, recipient: RECIPIENT }),
    spoil: (stack) => new SealedApiKey(stack, "it", { permissions, recipient: "ada" }),
    fault:
      /\[erp\/it\/Key\] recipient must be an age public key, .* Only `encryptedValue` is then kept/,
  },
  InstanceFleet: {
    make: (stack) => {
      const instances = [{ name: "a", server: hosted(stack) }];
      return new InstanceFleet(stack, "it", { instances, version: "17.0" });
    },
    spoil: (stack) => new InstanceFleet(stack, "it", { instances: ["a"], version: "17.0" }),
    fault: /\[erp\/it\/a\] server is required/,
  },
  ServerFleet: {
    make: (stack) => new ServerFleet(stack, "it", { servers: ["a"] }),
    spoil: (stack) => new ServerFleet(stack, "it", { servers: ["a", "a"] }),
    fault: /\[erp\/it\] servers lists a more than once\. Remove or rename/,
  },
};

/** Exported classes that are not constructs of objects. */
const OTHERS = [
  ...["Declared", "DeclaredKey", "ErphostProvider", "ErphostStack", "ErphostStage"],
  ...["MaxKeyAge", "NoAdminKeys", "NoWideKeys", "ProtectFromDeletion", "RequireBackup"],
  "SetProperties",
];
const constructs = Object.keys(bindings).filter(
  (name) => /^[A-Z]/.test(name) && !OTHERS.includes(name),
);

test("every construct has a case in this file", () => {
  expect(Object.keys(cases).sort()).toEqual(constructs.sort());
});

describe.each(Object.entries(cases))("%s", (name, { make, spoil, fault }) => {
  test(`${name} needs no optional props`, () => {
    expect(() => synthOf(make)).not.toThrow();
  });

  test(`a bad argument of ${name} is refused at synthesis with path, field and remedy`, () => {
    expect(() => synthOf(spoil)).toThrow(fault);
  });

  test(`each object of ${name} has a default child, and its address and workspace as its identity`, () => {
    const stack = newStack();
    make(stack);
    const declared = stack.node.findAll().filter((each) => each instanceof Declared);
    const blocks = Object.values(synth(stack).resource ?? {}).flatMap((of) => Object.values(of));
    const tokens = blocks.map((block) => block["idempotency_token"]);
    expect(declared.map((each) => each.node.defaultChild)).toEqual(
      declared.map(({ resource }: { resource: unknown }) => resource),
    );
    expect(tokens.sort()).toEqual(
      declared.map(({ node }) => `${node.path} of \${terraform.workspace}`).sort(),
    );
    expect(tokens).not.toEqual([]);
  });
});

describe("undefined arguments", () => {
  // Programs that are compiled without exactOptionalPropertyTypes can pass them.
  const blank = (...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, undefined])) as Record<never, never>;
  test("an undefined argument does not override a default", () => {
    const stack = newStack();
    new Instance(stack, "it", { server: hosted(stack), ...blank("name", "backupBeforeUpgrade") });
    expect(allOf(stack, "instance")).toMatchObject([{ name: "it", backup_before_upgrade: true }]);
    const sealed = newStack();
    new SealedApiKey(sealed, "it", { permissions, recipient: RECIPIENT, ...blank("rotateAfter") });
    expect(allOf(sealed, "api_key")).toMatchObject([{ rotate_after: "90d" }]);
  });

  test("a sealed key with an undefined recipient is refused", () => {
    const args = { permissions, recipient: RECIPIENT, ...blank("recipient") };
    const sealed = () => synthOf((stack) => new SealedApiKey(stack, "it", args));
    expect(sealed).toThrow(/\[erp\/it\] recipient is missing.*age-keygen/);
  });
});

describe("the program that engines apply", () => {
  type Class = abstract new (...args: never[]) => object;
  /** A class's own functions, of which jest watches the calls. */
  type Statics = Record<string, () => unknown>;
  const isClass = (value: unknown): value is Class =>
    typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
  const classesOf = (module: object) =>
    Object.entries(module).flatMap(([name, value]: [string, unknown]) =>
      isClass(value) ? [[name, value] as const] : [],
    );
  const classes = classesOf(bindings);

  test("every construct, generated ones too, and every Aspect is in the program that is applied", () => {
    const { stage } = everything(ANYTHING);
    const nodes = stage.app.node.findAll();
    const aspects = nodes.flatMap((each) => Aspects.of(each).all);
    const made: readonly object[] = [stage, ...nodes, ...aspects];
    const generated = Object.values(bindings.l1)
      .flatMap(classesOf)
      .filter(([, { prototype }]) =>
        [TerraformResource, TerraformDataSource].some((Base) => prototype instanceof Base),
      );
    const missing = [...classes, ...generated].filter(
      ([, Class]) => !made.some((each) => each instanceof Class),
    );
    expect(missing.map(([name]) => name)).toEqual([]);
    expect([classes.length > 20, generated.length > 20]).toEqual([true, true]);
  });

  test("every way to look something up is in the program that is applied", () => {
    const ways = classes.flatMap(([name, Class]) =>
      // Most have them of the class that they extend.
      [Class, Object.getPrototypeOf(Class) as object]
        .flatMap((each) => Object.getOwnPropertyNames(each))
        .filter((each) => /^(?:from|lookup)[A-Z]/.test(each))
        .map((way) => [`${name}.${way}`, jest.spyOn(Class as object as Statics, way)] as const),
    );
    everything(ANYTHING);
    expect(ways.filter(([, { mock }]) => mock.calls.length === 0).map(([way]) => way)).toEqual([]);
    expect(ways.length).toBeGreaterThan(15);
    jest.restoreAllMocks();
  });
});

test("the library under test is the one that the jest project names", () => {
  // jsii leaves the name in each class that it compiles.
  const compiled: unknown = Reflect.get(TerraformStack, Symbol.for("jsii.rtti"));
  expect(compiled).toMatchObject({ fqn: `${LIBRARY}.TerraformStack` });
});
