/** What the classes of the dynamic provider register with Pulumi, without an engine around them. */
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import { ErpHostResource } from "../../provider/pulumi/dynamic/resource";
import { kinds } from "../../provider/resources";

const CANARY = "canary-7d1e-secret";
/** How Pulumi writes a secret value. */
const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** The part of Pulumi's request that is looked at; the SDK gives it no type. */
interface Request {
  getObject(): { toJavaScript(): Record<string, unknown> };
  getAdditionalsecretoutputsList(): string[];
}

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs as Record<string, unknown> }),
    call: () => ({}),
  }),
);

class Resource extends ErpHostResource {
  constructor(kind: string, args: object, options?: pulumi.CustomResourceOptions) {
    super(kind, "it", args, options);
  }
}

/** What one declaration registers: its inputs, and the outputs that Pulumi encrypts in the state. */
async function registered(kind: string, args: object, options?: pulumi.CustomResourceOptions) {
  const monitor = pulumi.runtime.getMonitor();
  if (!monitor) throw new Error("the mocks have no monitor");
  const spy = jest.spyOn(monitor, "registerResource");
  try {
    const { urn } = new Resource(kind, args, options);
    await new Promise((resolve) => urn.apply(resolve));
    const request = spy.mock.calls[0]?.[0] as unknown as Request;
    return {
      inputs: request.getObject().toJavaScript(),
      secretOutputs: request.getAdditionalsecretoutputsList(),
    };
  } finally {
    spy.mockRestore();
  }
}

/** Written out, so that a definition that stops calling them secret fails here as well. */
const secretFields: Readonly<Record<string, readonly string[]>> = {
  api_key: ["secretProperties", "value"],
  api_key_rotation: ["value"],
  backup: ["secretProperties"],
  instance: ["secretProperties"],
  server: ["secretProperties"],
  team: ["secretProperties"],
};

describe("a dynamic resource has its secret fields encrypted in the state:", () => {
  test.each(Object.keys(kinds))("%s", async (kind) => {
    const { secretOutputs } = await registered(kind, {});
    expect(secretOutputs.sort()).toEqual(secretFields[kind]);
  });
});

test("a dynamic resource marks secret properties as secret, although the program gave them in plain", async () => {
  const given = { name: "a", secretProperties: { password: CANARY } };
  const { inputs } = await registered("server", given);
  expect(inputs).toMatchObject({ name: "a", secretProperties: secret({ password: CANARY }) });
});

test("a dynamic resource with secret properties has its private state encrypted too, and keeps the program's own choice", async () => {
  const given = { name: "a", secretProperties: { password: CANARY } };
  const { secretOutputs } = await registered("server", given, {
    additionalSecretOutputs: ["status"],
  });
  expect(secretOutputs.sort()).toEqual(["__state", "secretProperties", "status"]);
});
