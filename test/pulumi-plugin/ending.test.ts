/** The end of the plugin's process, while work is going on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "@jest/globals";
import { encodeStruct, GrpcClient } from "../../provider/grpc";
import * as m from "../../provider/pulumi/plugin/messages.gen";
import { atEnd, folder, given } from "../support/given";
import { until } from "../support/wait";
import { kindOf, urnOf } from "./support";

const method = <Request, Answer>(name: string, request: Request, answer: Answer) => ({
  ...{ path: `/pulumirpc.ResourceProvider/${name}`, request, answer },
});

test.each(["SIGINT", "SIGTERM"] as const)("a create is answered in spite of %s", async (signal) => {
  const { emulator } = await given();
  const delay = { type: "delay", ms: 500 } as const;
  emulator.setFaults([{ match: { method: "POST" }, probability: 1, effect: delay }]);
  const entry = require.resolve("../../provider/pulumi/plugin/main.ts");
  const plugin = spawn(process.execPath, ["-r", "ts-node/register/transpile-only", entry], {
    env: {
      ...process.env,
      ERPHOST_BASE_URL: emulator.baseUrl,
      ERPHOST_API_KEY: emulator.adminKey,
      ERPHOST_INTENTS_DIR: folder(),
    },
  });
  atEnd(() => plugin.kill("SIGKILL"));
  const [line] = (await once(plugin.stdout, "data")) as [Buffer];
  const client = new GrpcClient(`127.0.0.1:${String(line).trim()}`);
  const configure = method("Configure", m.configureRequest, m.configureResponse);
  await client.call(configure, { args: encodeStruct({}) });
  const request = { urn: urnOf(kindOf("server")), properties: encodeStruct({ name: "it" }) };
  const create = method("Create", m.createRequest, m.createResponse);
  const answer = client.call(create, { ...request, timeout: 0, preview: false });
  await until(() => emulator.journal().some((one) => one.method === "POST"));
  plugin.kill(signal);
  expect(await answer).toMatchObject({ id: expect.stringMatching(/^srv_/) });
  await once(plugin, "exit");
});
