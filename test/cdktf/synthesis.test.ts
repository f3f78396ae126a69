/** Checks between stacks read an app once in a synthesis, and again in the next one. */
import { describe, expect, test } from "@jest/globals";
import { Aspects, TerraformStack, Testing, type App } from "cdktf";
import { Backup, Instance, Server, ApiKey, RotatedApiKey } from "../../cdktf-bindings";
import { BackupSchedule, ErphostProvider, ErphostStack, NoWideKeys } from "../../cdktf-bindings";
import { RequireBackup, l1 } from "../../cdktf-bindings";
import { EU, LIVE, synth, write } from "./support/stack";

/** An instance on another stack's server, both in the default account of their stacks. */
function twoStacks() {
  const app = Testing.app();
  const web = new ErphostStack(app, "web", { account: LIVE, accounts: { eu: EU } });
  const erp = new ErphostStack(app, "erp", { account: LIVE, accounts: { eu: EU } });
  const server = new Server(web, "web");
  new Instance(erp, "erp", { server });
  return { app, web, erp, server };
}

const REFUSED = /erp\/erp is in the account of .* web\/web/;

describe("a change of another stack between two syntheses counts", () => {
  type Synthesise = (stacks: ReturnType<typeof twoStacks>) => unknown;
  test.each<[string, Synthesise]>([
    ["the app is synthesised twice", ({ app }) => app.synth()],
    ["one stack is synthesised twice", ({ erp }) => synth(erp)],
    ["each is after the other", ({ web, erp }) => [synth(web), synth(erp)]],
  ])("where %s", (_, synthesise) => {
    const stacks = twoStacks();
    const again = () => synthesise(stacks);
    expect(again).not.toThrow();
    stacks.server.resource.provider = stacks.web.account("eu");
    expect(again).toThrow(REFUSED);
    stacks.server.resource.provider = stacks.web.provider;
    expect(again).not.toThrow();
  });

  test("where the first synthesis failed", () => {
    const { app, web, erp, server } = twoStacks();
    const late = new TerraformStack(app, "late");
    new l1.server.Server(late, "it", { name: "it", provider: erp.provider });
    expect(write(app)).toThrow("late/it is given erp/provider");
    server.resource.provider = web.account("eu");
    expect(() => synth(erp)).toThrow(REFUSED);
  });
});

test("what one app has read is not known to another", () => {
  const wrong = twoStacks();
  wrong.server.resource.provider = wrong.web.account("eu");
  const right = twoStacks();
  expect(write(wrong.app)).toThrow(REFUSED);
  expect(write(right.app)).not.toThrow();
  expect(write(wrong.app)).toThrow(REFUSED);
});

describe("what an Aspect of a stack adds counts in the stacks after it", () => {
  /** An Aspect that adds to its stack, once. */
  const adding = (stack: ErphostStack, add: (stack: ErphostStack) => unknown): void => {
    let isNew = true;
    Aspects.of(stack).add({
      visit: () => {
        if (isNew) add(stack);
        isNew = false;
      },
    });
  };

  /** Three stacks; the Aspect of the second runs after the first has been validated. */
  function threeStacks(add: (second: ErphostStack) => unknown) {
    const app = Testing.app();
    const first = new ErphostStack(app, "a");
    adding(new ErphostStack(app, "b"), add);
    return { app, first, third: new ErphostStack(app, "c") };
  }

  test("a backup, for RequireBackup", () => {
    const instances: Instance[] = [];
    const { app, first, third } = threeStacks((second) => {
      for (const each of instances) new Backup(second, `of-${each.node.id}`, { instance: each });
    });
    const lone = new Instance(first, "lone", { server: new Server(first, "web") });
    const server = new Server(third, "web");
    const backedUp = new Instance(third, "erp", { server, backupBeforeUpgrade: false });
    instances.push(backedUp);
    Aspects.of(app).add(new RequireBackup({ by: ["backup"], report: "warning" }));
    app.synth();
    const warning = expect.objectContaining({ type: "@cdktf/warn" });
    expect(lone.node.metadata).toContainEqual(warning);
    expect(backedUp.node.metadata).not.toContainEqual(warning);
  });

  test("a provider block, for NoWideKeys", () => {
    const keys: ApiKey[] = [];
    const { app, first, third } = threeStacks((second) => {
      for (const key of keys) {
        const provider = new ErphostProvider(second, "late", { alias: "late", apiKey: key.value });
        new l1.team.Team(second, "late-team", { name: "late", provider });
      }
    });
    new ApiKey(first, "early", { permissions: ["servers:read"] }).usedBy(first, { for: "plan" });
    keys.push(new ApiKey(third, "wide", { permissions: ["admin"] }));
    Aspects.of(app).add(new NoWideKeys({ report: "warning" }));
    Aspects.of(third).add(new NoWideKeys());
    expect(write(app)).toThrow("[c/wide] permissions go beyond what b needs");
  });

  test("a rotation, for the one rotator of a key", () => {
    const rotate = (stack: ErphostStack, id: string) =>
      new RotatedApiKey(stack, `of-${id}`, { key: ApiKey.fromApiKeyId(stack, `found-${id}`, id) });
    const { app, first, third } = threeStacks((second) => rotate(second, "key_1"));
    rotate(first, "key_2");
    adding(third, () => rotate(third, "key_1"));
    expect(write(app)).toThrow(/b\/of-key_1.*c\/of-key_1/);
  });
});

describe("a synthesis walks over as many constructs for each further stack", () => {
  type Declare = (stack: ErphostStack, index: number) => void;

  /** How many constructs are walked over. */
  const walked = (stacks: number, declare: Declare): number => {
    const app = Testing.app();
    let visited = 0;
    const count = (construct: App | ErphostStack): void => {
      const findAll = construct.node.findAll.bind(construct.node);
      construct.node.findAll = (order) => {
        const all = findAll(order);
        visited += all.filter((each) => each !== app).length;
        return all;
      };
    };
    for (let index = 0; index < stacks; index += 1) {
      const stack = new ErphostStack(app, `erp-${index}`);
      declare(stack, index);
      count(stack);
    }
    count(app);
    Aspects.of(app).add(new NoWideKeys());
    Aspects.of(app).add(new RequireBackup({ by: ["schedule", "upgrade"] }));
    app.synth();
    return visited;
  };

  const programs: Readonly<Record<string, Declare>> = {
    "checks between stacks": (stack) => new Server(stack, "web"),
    "two rotators of one key": (stack, index) => {
      const key = ApiKey.fromApiKeyId(stack, "dashboard", `key_${index}`);
      new RotatedApiKey(stack, "rotation", { key });
    },
    RequireBackup: (stack) => {
      const server = new Server(stack, "web");
      const instance = new Instance(stack, "erp", { server, backupBeforeUpgrade: false });
      new BackupSchedule(stack, "nightly", { instance, every: "1d" });
    },
    NoWideKeys: (stack) => {
      new ApiKey(stack, "ci", { permissions: ["api-keys:read"] }).usedBy(stack, { for: "plan" });
    },
  };

  test.each(Object.entries(programs))("however many there are: %s", (_, declare) => {
    const [two = 0, four = 0, six = 0] = [2, 4, 6].map((stacks) => walked(stacks, declare));
    expect(six - four).toBe(four - two);
  });

  test("however many of its keys and instances a rule has to look at", () => {
    const lookingAt =
      (count: number): Declare =>
      (stack) => {
        const server = new Server(stack, "web");
        new BackupSchedule(stack, "nightly", { server, every: "1d" });
        for (let index = 0; index < 8; index += 1) {
          new Instance(stack, `erp-${index}`, { server, backupBeforeUpgrade: index >= count });
          const key = new ApiKey(stack, `key-${index}`, { permissions: ["api-keys:read"] });
          if (index < count) key.usedBy(stack);
        }
      };
    expect(walked(2, lookingAt(8))).toBe(walked(2, lookingAt(1)));
  });
});
