/** The stack traces that are formatted while a dynamic resource is constructed. */
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeAll, expect, jest, test } from "@jest/globals";
import { Server } from "../../provider/pulumi";

/** The part of Pulumi's request that is looked at; the SDK gives it no type. */
interface Request {
  getSourceposition(): Position | undefined;
  getStacktrace(): { getFramesList(): { getPc(): Position | undefined }[] };
}

interface Position {
  getUri(): string;
  getLine(): number;
}

beforeAll(() => {
  void pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs as Record<string, unknown> }),
    call: () => ({}),
  });
  // As a program has it under ts-node; the contexts of jest have none.
  Error.prepareStackTrace = (error, sites) =>
    [String(error), ...sites.map((site) => `    at ${lineOf(site)}`)].join("\n");
});

const lineOf = (site: NodeJS.CallSite): string =>
  `${site.getFunctionName()} (${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()})`;

afterEach(() => {
  delete process.env["PULUMI_DEBUG_PROMISE_LEAKS"];
});

const formatNow = () =>
  Object.getOwnPropertyDescriptor(Error, "prepareStackTrace")?.value as unknown;

async function registered(options?: pulumi.CustomResourceOptions): Promise<Request> {
  const monitor = pulumi.runtime.getMonitor();
  if (!monitor) throw new Error("the mocks have no monitor");
  const spy = jest.spyOn(monitor, "registerResource");
  try {
    const { urn } = new Server("it", { name: "it" }, options);
    await new Promise((resolve) => urn.apply(resolve));
    return spy.mock.calls[0]?.[0] as unknown as Request;
  } finally {
    spy.mockRestore();
  }
}

test("a dynamic resource is declared where the program constructs it, and no frame of the SDK or of erphost goes into the state", async () => {
  const request = await registered();
  expect(request.getSourceposition()?.getUri()).toMatch(/\/traces\.test\.ts$/);
  const files = request
    .getStacktrace()
    .getFramesList()
    .map((frame) => frame.getPc()?.getUri());
  expect(files[0]).toBe(request.getSourceposition()?.getUri());
  expect(files.join("\n")).not.toMatch(/provider\/pulumi|@pulumi\/pulumi/);
});

test("stack traces are formatted as before once a dynamic resource is constructed, and where that throws", () => {
  const before = formatNow();
  new Server("it", { name: "it" });
  expect(formatNow()).toBe(before);
  const transformations: pulumi.ResourceTransformation[] = [
    () => {
      throw new Error("of the program");
    },
  ];
  expect(() => new Server("it", { name: "it" }, { transformations })).toThrow("of the program");
  expect(formatNow()).toBe(before);
});

test("an error that is thrown while a dynamic resource is constructed has its stack", () => {
  let stack: string | undefined;
  const transformations: pulumi.ResourceTransformation[] = [
    () => {
      stack = new Error("of the program").stack;
      return undefined;
    },
  ];
  new Server("it", { name: "it" }, { transformations });
  expect(stack).toMatch(/^Error: of the program\n +at .*traces\.test\.ts/);
});

test("who looks for promises that leak is shown where the SDK made them for a dynamic resource", () => {
  const stackOf = ({ urn }: pulumi.Resource): unknown =>
    (urn as unknown as { promise(): { _debugStackTrace?: string } }).promise()._debugStackTrace;
  const stacks: unknown[] = [];
  const spy = jest.spyOn(Object, "defineProperty");
  try {
    for (const asked of [undefined, "1"]) {
      if (asked !== undefined) process.env["PULUMI_DEBUG_PROMISE_LEAKS"] = asked;
      spy.mockClear();
      stackOf(new Server("it", { name: "it" }));
      const call = spy.mock.calls.find(([, name]) => name === "_debugStackTrace");
      stacks.push(call?.[2].value);
    }
  } finally {
    spy.mockRestore();
  }
  expect(stacks).toEqual(["Error", expect.stringMatching(/traces\.test\.ts/)]);
});
