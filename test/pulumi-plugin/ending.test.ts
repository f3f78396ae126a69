/** The end of the processes that Pulumi starts, while work is going on and after it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { encodeStruct, GrpcClient } from "../../provider/grpc";
import * as m from "../../provider/pulumi/plugin/messages.gen";
import { atEnd, folder, given } from "../support/given";
import { until } from "../support/wait";
import { kindOf, urnOf } from "./support";

const method = <Request, Answer>(name: string, request: Request, answer: Answer) => ({
  ...{ path: `/pulumirpc.ResourceProvider/${name}`, request, answer },
});
const configure = method("Configure", m.configureRequest, m.configureResponse);
const create = method("Create", m.createRequest, m.createResponse);
const remove = method("Delete", m.deleteRequest, m.empty);
const PLUGIN = [require.resolve("../../provider/pulumi/plugin/main.ts")];
const sdk = dirname(require.resolve("@pulumi/pulumi/package.json"));
const ENGINE = "127.0.0.1:9"; // Nobody listens there, which only the plugin would notice.
const DYNAMIC = [join(sdk, "cmd", "dynamic-provider", "index.js"), ENGINE];
const handler = require.resolve("../../provider/pulumi/dynamic/handler.ts");
const urn = urnOf(kindOf("server"));

/** A service, and processes for one stack of it. */
async function starting(entry: readonly string[]) {
  const { emulator } = await given();
  const env = {
    ...process.env,
    ERPHOST_BASE_URL: emulator.baseUrl,
    ERPHOST_API_KEY: emulator.adminKey,
    ERPHOST_INTENTS_DIR: folder(),
  };
  const started = async () => {
    const words = ["-r", "ts-node/register/transpile-only", ...entry];
    const running = spawn(process.execPath, words, { env });
    atEnd(() => running.kill("SIGKILL"));
    const [line] = (await once(running.stdout, "data")) as [Buffer];
    const client = new GrpcClient(`127.0.0.1:${String(line).trim()}`);
    await client.call(configure, { args: encodeStruct({}) });
    const __provider = `exports.handler=()=>require(${JSON.stringify(handler)}).handler("Server")`;
    const properties = encodeStruct({ name: "it", __provider, __identity: urn });
    const creating = () => client.call(create, { urn, properties, timeout: 0, preview: false });
    return { running, client, creating };
  };
  return { emulator, started };
}

test.each(["SIGINT", "SIGTERM"] as const)("a create is answered in spite of %s", async (signal) => {
  const { emulator, started } = await starting(PLUGIN);
  const delay = { type: "delay", ms: 500 } as const;
  emulator.setFaults([{ match: { method: "POST" }, probability: 1, effect: delay }]);
  const { running, creating } = await started();
  const answer = creating();
  await until(() => emulator.journal().some((one) => one.method === "POST"));
  running.kill(signal);
  expect(await answer).toMatchObject({ id: expect.stringMatching(/^srv_/) });
  await once(running, "exit");
});

test.each([
  ["the plugin", PLUGIN],
  ["the dynamic provider", DYNAMIC],
])(
  "what %s created is not made again where Pulumi could not write its state, until a delete shows that it could",
  async (_, entry) => {
    const { emulator, started } = await starting(entry);
    const run = async <T>(work: (by: Awaited<ReturnType<typeof started>>) => Promise<T>) => {
      const by = await started();
      const made = await work(by).finally(() => by.running.kill("SIGINT"));
      await once(by.running, "exit");
      return made;
    };
    const { properties } = await run(({ creating }) => creating());
    await expect(run(({ creating }) => creating())).rejects.toThrow("already created server srv_1");
    const former = { urn, id: "srv_1", properties, timeout: 0 };
    await run(async ({ client, creating }) => (await client.call(remove, former), creating()));
    expect(emulator.objects("server")).toMatchObject([{ id: "srv_2" }]);
  },
  60_000,
);
