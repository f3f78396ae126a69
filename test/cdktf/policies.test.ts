import { describe, expect, test } from "@jest/globals";
import { Aspects, Testing, Token, type IAspect, type TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { Backup, Instance, Server, ApiKey, RotatedApiKey } from "../../cdktf-bindings";
import { SealedApiKey, BackedUpInstance, BackupSchedule, MaxKeyAge } from "../../cdktf-bindings";
import { NoAdminKeys, RequireBackup, SetProperties, l1, moveConstruct } from "../../cdktf-bindings";
import { newStack, permissions, RECIPIENT, synth, thrownBy, variable } from "./support/stack";

/** What a program breaks, a line each, in their order; none where it can be synthesised. */
function faults(stack: TerraformStack): string[] {
  const lines = thrownBy(() => synth(stack))
    .split("\n")
    .map((line) => line.trim());
  return lines.filter((line) => line.startsWith("[")).toSorted();
}

/** What a program breaks under an Aspect on its stack. */
function under(aspect: IAspect, build: (stack: TerraformStack) => void): string[] {
  const stack = newStack();
  build(stack);
  Aspects.of(stack).add(aspect);
  return faults(stack);
}

describe("MaxKeyAge", () => {
  test("a key that is never rotated, or too late, is refused with its path and what to set, in patterns and generated ones too", () => {
    const lines = under(new MaxKeyAge("30d"), (stack) => {
      new ApiKey(stack, "never", { permissions });
      new ApiKey(stack, "late", { permissions, rotateAfter: "31d" });
      new ApiKey(stack, "soon", { permissions, rotateAfter: "30d" });
      new SealedApiKey(stack, "sealed", { permissions, recipient: RECIPIENT });
      new RotatedApiKey(stack, "rotated", { key: ApiKey.fromApiKeyId(stack, "old", "key_1") });
      new l1.apiKey.ApiKey(stack, "bare", { name: "bare", permissions: [...permissions] });
      const overridden = new ApiKey(stack, "overridden", { permissions, rotateAfter: "9d" });
      overridden.resource.addOverride("rotate_after", "31d");
    });
    expect(lines).toEqual([
      expect.stringMatching(/^\[erp\/bare\] rotateAfter is not set,/),
      "[erp/late] rotateAfter is 31d, and MaxKeyAge allows a key to be 30d old at most. Set it to 30d or less.",
      "[erp/never] rotateAfter is not set, and MaxKeyAge allows a key to be 30d old at most. Set it to 30d or less.",
      expect.stringMatching(/^\[erp\/overridden\] rotateAfter is 31d,/),
      expect.stringMatching(/^\[erp\/rotated\] rotateAfter is 90d,/),
      expect.stringMatching(/^\[erp\/sealed\/Key\] rotateAfter is 90d,/),
    ]);
  });

  test("a key that the service rotates is held to the period of the service", () => {
    const key = (given: { rotationPeriod?: string }) =>
      under(new MaxKeyAge("90d"), (stack) => {
        new ApiKey(stack, "ci", { permissions, rotationEnabled: true, ...given });
      }).join();
    expect(key({ rotationPeriod: "90d" })).toBe("");
    expect(key({ rotationPeriod: "91d" })).toMatch(/^\[erp\/ci\] rotationPeriod is 91d/);
    expect(key({})).toMatch(/^\[erp\/ci\] rotationPeriod is not set/);
  });

  test("an age that only Terraform knows does not pass", () => {
    const lines = under(new MaxKeyAge("90d"), (stack) => {
      new ApiKey(stack, "ci", { permissions, rotateAfter: variable(stack).stringValue });
    });
    expect(lines).toEqual([
      "[erp/ci] rotateAfter is known only when Terraform runs, so MaxKeyAge cannot check it. Write the value into the program, or name the construct in the rule's except.",
    ]);
  });

  test.each(["90", "0d", "3 months", ""])("MaxKeyAge(%j) is refused", (max) => {
    expect(() => new MaxKeyAge(max)).toThrow(/^MaxKeyAge: .*must be a number of days/i);
  });
});

test("a key with the level admin or a wildcard is refused, and one with scopes is not", () => {
  const lines = under(new NoAdminKeys(), (stack) => {
    new ApiKey(stack, "boss", { permissions: ["admin"] });
    new ApiKey(stack, "wide", { permissions: ["servers:read", "servers:*", "teams:*"] });
    new ApiKey(stack, "narrow", { permissions: ["servers:read", "servers:write"] });
    new l1.apiKey.ApiKey(stack, "bare", { name: "bare", permissions: ["backups:*"] });
  });
  expect(lines).toEqual([
    "[erp/bare] permissions includes backups:*, which NoAdminKeys refuses. Name each scope that the key needs.",
    "[erp/boss] permissions includes admin, which NoAdminKeys refuses. Name each scope that the key needs.",
    "[erp/wide] permissions includes servers:*, teams:*, which NoAdminKeys refuses. Name each scope that the key needs.",
  ]);
});

test("permissions of which Terraform alone knows all or some do not pass", () => {
  const lines = under(new NoAdminKeys(), (stack) => {
    const list = Token.asList(variable(stack, "list", "list(string)").value);
    const one = variable(stack, "one").stringValue;
    new ApiKey(stack, "all", { permissions: list as never });
    new ApiKey(stack, "some", { permissions: ["servers:read", one as never] });
  });
  expect(lines.map((line) => line.split(",")[0])).toEqual([
    "[erp/all] permissions is known only when Terraform runs",
    "[erp/some] permissions is known only when Terraform runs",
  ]);
});

describe("RequireBackup", () => {
  test("an instance without any backup is refused with its path and every way to mend it", () => {
    const lines = under(new RequireBackup(), (stack) => {
      const server = new Server(stack, "web");
      new Instance(stack, "bare", { server, backupBeforeUpgrade: false });
      new l1.instance.Instance(stack, "generated", { name: "g", serverId: server.serverId });
      new Instance(stack, "upgrades", { server });
    });
    expect(lines).toEqual([
      "[erp/bare] RequireBackup finds no backup of this instance. Declare a BackupSchedule of it or of its server, declare a Backup of it or of its server or set backupBeforeUpgrade to true.",
      expect.stringMatching(/^\[erp\/generated\] RequireBackup finds no backup/),
    ]);
  });

  test("a backup of the instance or of its server counts, of another one it does not", () => {
    const one = (of: (server: Server, instance: Instance) => void) =>
      under(new RequireBackup({ by: ["backup"] }), (stack) => {
        const server = new Server(stack, "web");
        of(server, server.addInstance("erp"));
      }).length;
    expect(one((_, instance) => instance.addBackup("own"))).toBe(0);
    expect(one((server) => server.addBackup("all"))).toBe(0);
    expect(one(() => undefined)).toBe(1);
    expect(one((server) => new Server(server, "other").addBackup("of-another"))).toBe(1);
    const ofUnknown = (server: Server) => {
      const id = variable(server).stringValue;
      new Backup(server, "of", { instance: Instance.fromInstanceId(server, "unknown", id) });
    };
    expect(one(ofUnknown)).toBe(1);
  });

  test("where only schedules count, a single backup and one before an upgrade do not", () => {
    const lines = under(new RequireBackup({ by: ["schedule"] }), (stack) => {
      const server = new Server(stack, "web");
      new BackedUpInstance(stack, "accounting", { server, version: "17.0" });
      const instance = new Instance(stack, "shop", { server });
      new BackupSchedule(stack, "nightly", { instance, every: "1d" });
    });
    expect(lines).toEqual([
      "[erp/accounting/Instance] RequireBackup finds no backup of this instance. Declare a BackupSchedule of it or of its server.",
    ]);
  });

  test("a schedule in another stack of the app counts for the instance or the server that it is given", () => {
    const program = (declare: (backups: TerraformStack, server: Server, erp: Instance) => void) => {
      const app = Testing.app();
      const [shops, backups] = [newStack("shops", app), newStack("backups", app)];
      Aspects.of(app).add(new RequireBackup({ by: ["schedule"] }));
      const server = new Server(shops, "web");
      declare(backups, server, server.addInstance("erp"));
      return faults(shops).length;
    };
    const every = "1d";
    const byId = (scope: Construct) => Server.fromServerId(scope, "by-id", "srv_1");
    expect([
      program((backups, _, instance) => new BackupSchedule(backups, "it", { instance, every })),
      program((backups, server) => new BackupSchedule(backups, "it", { server, every })),
      program((backups, _, instance) => new Backup(backups, "single", { instance })),
      program((backups, server) => {
        const instance = new Instance(server, "other", { server });
        new BackupSchedule(backups, "it", { instance, every });
      }),
      program((backups) => new BackupSchedule(backups, "it", { server: byId(backups), every })),
      // The same address as in the other stack.
      program((backups) => {
        new BackupSchedule(backups, "it", { server: new Server(backups, "web"), every });
      }),
    ]).toEqual([0, 0, 1, 1, 1, 1]);
  });

  test("a schedule in another stack counts where the server is in a third one", () => {
    const app = Testing.app();
    const [shops, backups] = [newStack("shops", app), newStack("backups", app)];
    const server = new Server(newStack("servers", app), "web");
    new Instance(shops, "erp", { server });
    Aspects.of(app).add(new RequireBackup({ by: ["schedule"] }));
    expect(faults(shops)).toHaveLength(1);
    new BackupSchedule(backups, "nightly", { server, every: "1d" });
    expect(faults(shops)).toEqual([]);
  });

  test("a guard that only Terraform knows does not pass", () => {
    const lines = under(new RequireBackup(), (stack) => {
      const backupBeforeUpgrade = variable(stack, "guard", "bool").booleanValue;
      new Instance(stack, "erp", { server: new Server(stack, "web"), backupBeforeUpgrade });
    });
    expect(lines).toEqual([
      expect.stringMatching(/^\[erp\/erp\] backupBeforeUpgrade is known only when Terraform runs/),
    ]);
  });
});

describe("every rule", () => {
  const broken = (scope: Construct): void => {
    new ApiKey(scope, "key", { permissions: ["admin"] });
    const server = Server.fromServerId(scope, "server", "srv_1");
    new Instance(scope, "erp", { server, backupBeforeUpgrade: false });
  };
  const placesIn = (stack: TerraformStack) => faults(stack).map((line) => line.split(" ")[0]);
  const rules = (options = {}): IAspect[] => [
    new MaxKeyAge("90d", options),
    new NoAdminKeys(options),
    new RequireBackup(options),
  ];

  test("a rule on an app reaches every stack, and what is declared after it", () => {
    const app = Testing.app();
    for (const rule of rules()) Aspects.of(app).add(rule);
    for (const name of ["one", "two"]) {
      const stack = newStack(name, app);
      broken(stack);
      // Synthesising once more says each of it once.
      for (const _ of ["first", "again"]) {
        expect(placesIn(stack)).toEqual([`[${name}/erp]`, `[${name}/key]`, `[${name}/key]`]);
      }
    }
  });

  test("a rule on a construct reaches what is below it alone", () => {
    const stack = newStack();
    const inner = new Construct(stack, "inner");
    broken(stack);
    broken(inner);
    for (const rule of rules()) Aspects.of(inner).add(rule);
    expect(placesIn(stack)).toEqual(["[erp/inner/erp]", "[erp/inner/key]", "[erp/inner/key]"]);
  });

  test("a rule does not apply to its exceptions and what is below them", () => {
    const stack = newStack();
    const trial = new Construct(stack, "trial");
    broken(trial);
    for (const rule of rules({ except: [trial] })) Aspects.of(stack).add(rule);
    expect(faults(stack)).toEqual([]);
  });

  test("a rule looks at what other Aspects have left, and changes nothing itself", () => {
    const stack = newStack();
    new ApiKey(stack, "key", { permissions, rotateAfter: "30d" });
    const before = synth(stack);
    for (const rule of rules()) Aspects.of(stack).add(rule);
    expect(synth(stack)).toEqual(before);
    Aspects.of(stack).add({
      visit: (node) => {
        if (node instanceof l1.apiKey.ApiKey) node.rotateAfter = "99d";
      },
    });
    Aspects.of(stack).add(new SetProperties({ team: "a" }));
    expect(faults(stack)).toEqual([expect.stringMatching(/^\[erp\/key\] rotateAfter is 99d/)]);
  });

  test("a construct that has been moved away is no longer held to any rule", () => {
    const stack = newStack();
    const old = new ApiKey(stack, "old", { name: "key", permissions: ["admin"] });
    moveConstruct(old, new ApiKey(stack, "new", { name: "key", permissions, rotateAfter: "30d" }));
    for (const rule of rules()) Aspects.of(stack).add(rule);
    expect(faults(stack)).toEqual([]);
  });
});
