/** Several stacks of one app: what one has of another, and what it must not have. */
import { describe, expect, test } from "@jest/globals";
import { CloudBackend, LocalBackend, NamedCloudWorkspace, NamedRemoteWorkspace } from "cdktf";
import { RemoteBackend, S3Backend, TerraformStack, Testing } from "cdktf";
import type { ErphostProvider, ErphostStageProps, IApiKey } from "../../cdktf-bindings";
import { Server, Team, ApiKey, RotatedApiKey, SealedApiKey } from "../../cdktf-bindings";
import { ServerFleet, ErphostStack, ErphostStage, l1 } from "../../cdktf-bindings";
import { EU, only, permissions, RECIPIENT, synth, variable, write } from "./support/stack";

/** Two stacks of one app, the first of which has a second account. */
function twoStacks() {
  const app = Testing.app();
  const first = new ErphostStack(app, "first", { accounts: { eu: EU } });
  return { app, first, second: new ErphostStack(app, "second", { accounts: { eu: EU } }) };
}

describe("a provider block of another stack is refused", () => {
  type Use = (stack: TerraformStack, provider: ErphostProvider) => unknown;
  const uses: Readonly<Record<string, Use>> = {
    "for a construct": (stack, provider) => new Server(stack, "it", { provider }),
    "for a pattern, once for all that is in it": (stack, provider) =>
      new ServerFleet(stack, "it", { servers: ["a", "b"], provider }),
    "for a lookup": (stack, provider) => Team.fromTeamName(stack, "it", "ops", { provider }),
    "for a reference by id": (stack, provider) =>
      Server.fromServerId(stack, "it", "srv_1", { provider }),
    "for a generated construct": (stack, provider) =>
      new l1.team.Team(stack, "it", { name: "it", provider }),
    "for a construct that is given it later": (stack, provider) => {
      new Server(stack, "it").resource.provider = provider;
    },
  };

  test.each(Object.entries(uses))("%s, whether it has an alias or not", (_, use) => {
    for (const account of ["default", "eu"] as const) {
      const { first, second } = twoStacks();
      const provider = account === "eu" ? first.account("eu") : first.provider;
      use(second, provider);
      const fault = `[second] second/it is given ${provider.node.path}, which is not a provider block of its stack, second. Give it one that second declares: in an ErphostStack its provider or its account(name), otherwise an ErphostProvider in it.`;
      expect(() => synth(second)).toThrow(fault);
      expect(() => synth(second)).not.toThrow(/is given[\s\S]*is given/);
    }
  });

  test("in a stack without any provider block, where Terraform would make one up", () => {
    const { app, first } = twoStacks();
    const bare = new TerraformStack(app, "bare");
    new l1.team.Team(bare, "it", { name: "it", provider: first.provider });
    expect(write(app)).toThrow("bare/it is given first/provider");
  });

  test("in a stack that is declared inside of the other one", () => {
    const { app, first } = twoStacks();
    new Server(new ErphostStack(first, "inner"), "it", { provider: first.account("eu") });
    expect(write(app)).toThrow("first/first-inner/it is given first/provider-eu");
  });

  test("and one of the same stack is not, nor what it is handed down to", () => {
    const { app, first, second } = twoStacks();
    for (const stack of [first, second]) {
      const server = new Server(stack, "web", { provider: stack.account("eu") });
      server.addInstance("erp").addBackup("first");
      Team.fromTeamName(stack, "team", "ops", { provider: stack.provider });
    }
    expect(write(app)).not.toThrow();
    expect(only(synth(second).resource, "erphost_backup")["provider"]).toBe("erphost.eu");
  });
});

describe("two stacks with one id, which would be one folder,", () => {
  type Declare = (live: ErphostStage) => unknown;
  const twins: Readonly<Record<string, Declare>> = {
    "a stack in a stack and one whose name is that of both": (live) => {
      new ErphostStack(new ErphostStack(live, "shop"), "keys");
      new ErphostStack(live, "shop-keys");
    },
    "a stack of a stage and one of no stage": (live) => {
      new ErphostStack(live, "shop-keys");
      new ErphostStack(new TerraformStack(live.app, "live-shop"), "keys");
    },
    "a stack of the library and one of this one, whichever comes first": (live) => {
      new TerraformStack(new TerraformStack(live.app, "plain"), "live-shop-keys");
      new ErphostStack(live, "shop-keys");
    },
  };

  test.each(Object.entries(twins))("are refused: %s", (_, declare) => {
    const live = new ErphostStage(Testing.app(), "live");
    declare(live);
    expect(write(live.app)).toThrow(
      /The stacks \S+ and \S+ have the same id, live-shop-keys, so that one would be written over the other\. Give one of them another id\./,
    );
  });

  test("are refused where macOS and Windows see one folder, because the ids differ only in case", () => {
    const app = Testing.app();
    new ErphostStack(app, "erp");
    new TerraformStack(app, "Erp");
    expect(write(app)).toThrow(
      "The ids of the stacks erp and Erp differ only in case, so that on macOS and Windows one would be written over the other. Give one of them another id.",
    );
  });

  test("are refused, and a name in each of two stages is not", () => {
    const app = Testing.app();
    for (const name of ["live", "staging"]) {
      const shop = new ErphostStack(new ErphostStage(app, name), "shop");
      new Team(new ErphostStack(shop, "keys"), "team");
    }
    expect(write(app)).not.toThrow();
  });
});

describe("two stacks with one state, of which each would delete what the other has,", () => {
  type Backend = NonNullable<ErphostStageProps["backend"]>;
  const declare = (backend: Backend) => {
    const app = Testing.app();
    const live = new ErphostStage(app, "live", { backend });
    for (const id of ["erp", "keys"]) new Team(new ErphostStack(live, id), "team");
    return write(app);
  };
  const organization = "acme";
  const cloud: Backend = (stack, key) =>
    new CloudBackend(stack, { organization, workspaces: new NamedCloudWorkspace(key) });
  const remote: Backend = (stack, key) =>
    new RemoteBackend(stack, { organization, workspaces: new NamedRemoteWorkspace(key) });
  const shared: Readonly<Record<string, Backend>> = {
    "a bucket": (stack) => new S3Backend(stack, { bucket: "states", key: "erp.tfstate" }),
    "a file": (stack) => new LocalBackend(stack, { path: "/states/erp.tfstate" }),
    "a file next to their folders": (stack) => new LocalBackend(stack, { path: "../erp.tfstate" }),
    "a file next to them, by a detour": (stack) =>
      new LocalBackend(stack, { path: "./states/../../erp.tfstate" }),
    "HCP Terraform": (stack) => cloud(stack, "erp"),
    "HCP Terraform, as a remote backend": (stack) => remote(stack, "erp"),
  };

  test.each(Object.entries(shared))("are refused: in %s", (_, backend) => {
    expect(declare(backend)).toThrow(
      "The stacks live-erp and live-keys have one state, so that an apply of one would delete what the other has created. Use the key that the function in backend is given.",
    );
  });

  const own: Readonly<Record<string, Backend>> = {
    "a bucket, by its key": (stack, key) => new S3Backend(stack, { bucket: "states", key }),
    "a file of its folder": (stack) => new LocalBackend(stack, { path: "terraform.tfstate" }),
    "a file of its folder, by a detour": (stack) =>
      new LocalBackend(stack, { path: "states/../..tfstate" }),
    "HCP Terraform, by its key": cloud,
    "HCP Terraform as a remote backend, by its key": remote,
    "the file that the library gives it": (stack) => new LocalBackend(stack, {}),
  };

  test.each(Object.entries(own))("are not refused where each has its own: in %s", (_, backend) => {
    expect(declare(backend)).not.toThrow();
  });
});

describe("a key that two stacks of one account rotate", () => {
  const byName = (scope: TerraformStack, name = "ci") =>
    ApiKey.fromApiKeyName(scope, `of-${name}`, name);
  const rotate = (scope: TerraformStack, key: IApiKey) => new RotatedApiKey(scope, "it", { key });
  const rotateId = (scope: TerraformStack, id = "key_1") =>
    rotate(scope, ApiKey.fromApiKeyId(scope, "of", id));
  const TWICE = /\[(?:first|second)\] first\/it and second\/it rotate the same key\. Remove one/;
  const DECLARED =
    /\[second\] second\/it rotates the key that first\/own\S* declares, which already rotates it\. Set rotateAfter or triggers on first\/own\S*, and remove second\/it\./;

  type Declare = (first: ErphostStack, second: ErphostStack) => unknown;
  const refused: Readonly<Record<string, readonly [RegExp, Declare]>> = {
    "by its id": [TWICE, (...stacks) => stacks.map((stack) => rotateId(stack))],
    "by its name": [TWICE, (...stacks) => stacks.map((stack) => rotate(stack, byName(stack)))],
    "by one lookup": [
      TWICE,
      (first, second) => {
        const key = ApiKey.fromLookup(first, "of", { rotationPeriod: "30d" });
        for (const stack of [first, second]) rotate(stack, key);
      },
    ],
    "by what the other one's rotation is given": [
      TWICE,
      (first, second) => rotate(second, rotateId(first)),
    ],
    "although one of them declares it": [
      DECLARED,
      (first, second) => rotate(second, new ApiKey(first, "own", { permissions })),
    ],
    "although one of them declares its name": [
      DECLARED,
      (first, second) => {
        new SealedApiKey(first, "own", { name: "ci", permissions, recipient: RECIPIENT });
        rotate(second, byName(second));
      },
    ],
  };

  test.each(Object.entries(refused))("is refused: %s", (_, [fault, declare]) => {
    const { app, first, second } = twoStacks();
    declare(first, second);
    expect(write(app)).toThrow(fault);
    expect(() => synth(second)).toThrow(fault);
  });

  const accepted: Readonly<Record<string, Declare>> = {
    "by another id": (first, second) => [rotateId(first), rotateId(second, "key_2")],
    "by another name": (first, second) => {
      rotate(first, byName(first));
      rotate(second, byName(second, "cd"));
      new ApiKey(first, "own", { permissions, name: "key" });
    },
    "in another account": (first, second) => {
      const provider = second.account("eu");
      rotateId(first);
      const key = ApiKey.fromApiKeyName(second, "eu", "ci", { provider });
      new RotatedApiKey(second, "it", { key, provider });
      new ApiKey(first, "own", { permissions, name: "ci" });
    },
    "by ids that only Terraform knows": (...stacks) =>
      stacks.map((stack) => rotateId(stack, variable(stack).stringValue)),
  };

  test.each(Object.entries(accepted))("is refused, and two keys are not: %s", (_, declare) => {
    const { app, first, second } = twoStacks();
    declare(first, second);
    expect(write(app)).not.toThrow();
  });

  test.each<[string, ErphostStageProps]>([
    ["the key of the environment", {}],
    ["the key of a variable", { account: EU }],
  ])("is refused in one stage, and one name in two stages is two keys: with %s", (_, props) => {
    const [one, two] = [Testing.app(), Testing.app()];
    const live = new ErphostStage(one, "live", props);
    for (const id of ["a", "b"]) {
      for (const stage of [new ErphostStage(live, id), new ErphostStage(two, id, props)]) {
        const stack = new ErphostStack(stage, "erp");
        rotate(stack, byName(stack));
      }
    }
    expect(write(one)).toThrow("rotate the same key");
    expect(write(two)).not.toThrow();
  });
});
