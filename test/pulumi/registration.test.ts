/** What dynamic resources register with Pulumi, and the stack traces that this formats. */
import * as pulumi from "@pulumi/pulumi";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import { afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { getAuth, getServer, getServerOutput, getServers, Server } from "../../provider/pulumi";
import { inAccount, type ErpHostOptions } from "../../provider/pulumi/accounts";
import { ErpHostResource } from "../../provider/pulumi/dynamic/resource";
import { kinds } from "../../provider/resources";

const CANARY = "canary-7d1e-secret";
/** How Pulumi writes a secret value. */
const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs as Record<string, unknown> }),
    call: ({ token, inputs }): Record<string, unknown> => ({
      servers: [{ id: "srv_1", name: `${token}, mocked` }],
      ...(inputs as Record<string, unknown>),
    }),
  }),
);

class Resource extends ErpHostResource {
  constructor(kind: string, args: object, options?: ErpHostOptions) {
    super(kind, "it", args, options);
  }
}

/** What one declaration registers. */
async function requested(declare: () => pulumi.Resource) {
  const monitor = pulumi.runtime.getMonitor();
  if (!monitor) throw new Error("the mocks have no monitor");
  const spy = jest.spyOn(monitor, "registerResource");
  try {
    const { urn } = declare();
    await new Promise((resolve) => urn.apply(resolve));
    return spy.mock.calls.at(-1)?.[0] as unknown as RegisterResourceRequest;
  } finally {
    spy.mockRestore();
  }
}

/** Its inputs, and the outputs that Pulumi encrypts in the state. */
async function registered(kind: string, args: object, options?: ErpHostOptions) {
  const request = await requested(() => new Resource(kind, args, options));
  const inputs: Record<string, unknown> = request.getObject()?.toJavaScript() ?? {};
  return { inputs, secretOutputs: request.getAdditionalsecretoutputsList() };
}

/** Written out, so that a definition that stops calling them secret fails here as well. */
const secretFields: Readonly<Record<string, readonly string[]>> = {
  ...{ api_key: ["secretProperties", "value"], api_key_rotation: ["value"] },
  ...{ backup: ["secretProperties"], instance: ["secretProperties"] },
  ...{ server: ["secretProperties"], team: ["secretProperties"] },
};

test.each(Object.keys(kinds))(
  "secret fields are encrypted in the state, with what may have hashes of them and the program's own choice: %s",
  async (kind) => {
    const { secretOutputs } = await registered(kind, {}, { additionalSecretOutputs: ["status"] });
    expect(secretOutputs).toEqual(["status", ...(secretFields[kind] ?? []), "__state"]);
  },
);

test("a dynamic resource marks secret properties as secret, although the program gave them in plain", async () => {
  const given = { name: "a", secretProperties: { password: CANARY } };
  const { inputs } = await registered("server", given);
  expect(inputs).toMatchObject({ name: "a", secretProperties: secret({ password: CANARY }) });
});

/** The hidden input that names the account. */
const accountIn = async (options?: ErpHostOptions): Promise<unknown> =>
  (await registered("server", { name: "a" }, options)).inputs["__account"];

class Component extends pulumi.ComponentResource {
  constructor(options?: pulumi.ComponentResourceOptions) {
    super("test:Component", "component", {}, options);
  }
}

describe("a dynamic resource", () => {
  const inEu = () => new Component(inAccount("eu"));

  test("is in the account that it names, or else in that of the nearest parent that names one", async () => {
    expect(await accountIn()).toBeUndefined();
    expect(await accountIn({ account: "us" })).toBe("us");
    expect(await accountIn({ parent: new Resource("server", {}, { account: "us" }) })).toBe("us");
    expect(await accountIn({ parent: inEu() })).toBe("eu");
    expect(await accountIn({ parent: inEu(), account: "us" })).toBe("us");
    expect(await accountIn({ parent: new Component({ parent: inEu() }) })).toBe("eu");
    const inUs = new Component({ parent: inEu(), ...inAccount("us") });
    expect(await accountIn({ parent: inUs })).toBe("us");
    expect(await accountIn({ parent: new Component() })).toBeUndefined();
  });

  test("keeps the transformations that it was given, next to its account", async () => {
    const rename: pulumi.ResourceTransformation = ({ props, opts }) => ({
      props: { ...props, name: "renamed" },
      opts,
    });
    const options = { account: "eu", transformations: [rename] };
    const { inputs } = await registered("server", { name: "a" }, options);
    expect(inputs).toMatchObject({ name: "renamed", __account: "eu" });
  });

  test("is refused with an account whose name is none", () => {
    for (const account of ["EU", "", "eu_1", 7, pulumi.output("eu")]) {
      const options = { account } as ErpHostOptions; // As a program without types gives it.
      expect(() => new Resource("server", {}, options)).toThrow(
        /^The name of an account must be a text of lower-case letters, digits and single hyphens/,
      );
    }
  });
});

describe("a provider of Pulumi's is refused, with what to do instead,", () => {
  class Provider extends pulumi.ProviderResource {
    constructor() {
      super("erphost", "explicit", {});
    }
  }
  const says =
    /^The dynamic classes take no provider(?:s)?: .* For another account, name it: \{ account: "eu" \}\. Or move to the plugin/;

  test("where a resource is given one", () => {
    const provider = new Provider();
    for (const options of [{ provider }, { providers: [provider] }, { providers: { provider } }]) {
      expect(() => new Resource("server", {}, options)).toThrow(says);
    }
  });

  test("where a parent has one and no account, since it would be left aside", () => {
    const providers = [new Provider()];
    const parent = new Component({ providers });
    expect(() => new Resource("server", {}, { parent })).toThrow(says);
    expect(() => new Resource("server", {}, { parent, account: "eu" })).not.toThrow();
    const named = new Component({ providers, ...inAccount("eu") });
    expect(() => new Resource("server", {}, { parent: named })).not.toThrow();
  });
});

test.each<[string, pulumi.CustomResourceOptions, RegExp]>([
  ["Pulumi's import", { import: "srv_1" }, /^Pulumi cannot import dynamic .* argument adoptId/],
  ["Pulumi's id", { id: "srv_1" }, /^Pulumi cannot read dynamic .* adoptId .* as getServer does/],
  ["a time limit of no duration", { customTimeouts: { create: "soon" } }, /^customTimeouts.create/],
])("a dynamic resource is refused in one sentence where it is given %s", (_, options, says) => {
  const make = () => new Resource("server", {}, options);
  expect(make).toThrow(pulumi.RunError);
  expect(make).toThrow(says);
});

test("lookups of a program ask the mocks of its unit tests, and no service, whatever key the shell has", async () => {
  // Nothing listens there: a call would fail.
  const env = { ERPHOST_BASE_URL: "http://127.0.0.1:1/v1", ERPHOST_API_KEY: CANARY };
  Object.assign(process.env, env);
  expect(await getServer({ name: "web" })).toMatchObject({ name: "web" });
  expect(await getServers()).toEqual([{ id: "srv_1", name: "erphost:index:getServers, mocked" }]);
  expect(await getAuth()).toMatchObject({ servers: [{ name: "erphost:index:getAuth, mocked" }] });
  expect(await getServers({ name: "web" })).toHaveLength(1);
});

test.each([
  ["db_password", true],
  ["region", false],
])("a lookup that answers an output is secret by what it finds: %s, %s", async (key, secret) => {
  const args = { name: "web", properties: { [key]: "x" } };
  expect(await pulumi.isSecret(getServerOutput(args))).toBe(secret);
});

describe("a dynamic resource that is constructed", () => {
  const declared = (transformations: pulumi.ResourceTransformation[] = []) =>
    new Server("it", { name: "it" }, { transformations });
  const formatNow = () =>
    Object.getOwnPropertyDescriptor(Error, "prepareStackTrace")?.value as unknown;
  const lineOf = (site: NodeJS.CallSite): string =>
    `${site.getFunctionName()} (${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()})`;

  beforeAll(() => {
    // As a program has it under ts-node; the contexts of jest have none.
    Error.prepareStackTrace = (error, sites) =>
      [String(error), ...sites.map((site) => `    at ${lineOf(site)}`)].join("\n");
  });
  afterEach(() => {
    delete process.env["PULUMI_DEBUG_PROMISE_LEAKS"];
  });

  test("is declared where the program constructs it, and no frame of the SDK or of erphost goes into the state", async () => {
    const request = await requested(declared);
    const frames = request.getStacktrace()?.getFramesList() ?? [];
    const files = frames.map((frame) => frame.getPc()?.getUri());
    expect(files[0]).toMatch(/\/registration\.test\.ts$/);
    expect(request.getSourceposition()?.getUri()).toBe(files[0]);
    expect(files.join("\n")).not.toMatch(/provider\/pulumi|@pulumi\/pulumi/);
  });

  test("leaves stack traces formatted as before, where constructing it throws as well", () => {
    const before = formatNow();
    declared();
    expect(formatNow()).toBe(before);
    const failing = () => {
      throw new Error("of the program");
    };
    expect(() => declared([failing])).toThrow("of the program");
    expect(formatNow()).toBe(before);
  });

  test("leaves an error of the program that is thrown meanwhile its stack", () => {
    let stack: string | undefined;
    declared([() => void ({ stack } = new Error("of the program"))]);
    expect(stack).toMatch(/^Error: of the program\n +at .*registration\.test\.ts/);
  });

  test("shows who looks for promises that leak where the SDK made them for it", () => {
    const spy = jest.spyOn(Object, "defineProperty");
    const stackOf = (): unknown => {
      spy.mockClear();
      declared();
      return spy.mock.calls.find(([, name]) => name === "_debugStackTrace")?.[2].value;
    };
    try {
      expect(stackOf()).toBe("Error");
      process.env["PULUMI_DEBUG_PROMISE_LEAKS"] = "1";
      expect(stackOf()).toMatch(/registration\.test\.ts/);
    } finally {
      spy.mockRestore();
    }
  });
});
