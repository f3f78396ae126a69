/** The client of the plugins, answered by grpc-js as Pulumi's engine answers it. */
import { promisify } from "node:util";
import { Metadata, Server, ServerCredentials } from "@grpc/grpc-js";
import type { handleUnaryCall, ServiceDefinition } from "@grpc/grpc-js";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { GrpcClient, message, status, type RemoteMethod } from "../../provider/grpc";
import { asItIs, MIB, until } from "./support";

interface Text {
  readonly text: string;
}
const text = message<Text>({ text: [1, "string"] });
const method = (name: string): RemoteMethod<Text, Text> => ({
  path: `/t.Service/${name}`,
  request: text,
  answer: text,
});

const unary = {
  ...{ requestStream: false, requestSerialize: asItIs, requestDeserialize: asItIs },
  ...{ responseStream: false, responseSerialize: asItIs, responseDeserialize: asItIs },
};
const service = Object.fromEntries(
  ["Echo", "Fail", "Silent", "Garbage"].map((name) => [
    name,
    { ...unary, path: `/t.Service/${name}` },
  ]),
) satisfies ServiceDefinition;

const FAILURE = "ümlaut, 100 %, \n and 😀";
let cancelledCount: number;
const handlers: Readonly<Record<string, handleUnaryCall<Buffer, Buffer>>> = {
  Echo: ({ request }, callback) => callback(null, request),
  Fail: (_, callback) => callback({ code: 9, details: FAILURE, metadata: new Metadata() }),
  Silent: (call) => void call.on("cancelled", () => (cancelledCount += 1)),
  Garbage: (_, callback) => callback(null, Buffer.from([0xff])),
};

let server: Server;
let port: number;
let client: GrpcClient;

async function start(wanted: number): Promise<void> {
  server = new Server({ "grpc.max_receive_message_length": -1 });
  server.addService(service, handlers);
  const bind = promisify(server.bindAsync.bind(server));
  port = await bind(`127.0.0.1:${wanted}`, ServerCredentials.createInsecure());
}

beforeEach(async () => {
  cancelledCount = 0;
  await start(0);
  client = new GrpcClient(`127.0.0.1:${port}`);
});
afterEach(() => {
  client.close();
  server.forceShutdown();
});

test.each([0, 1, MIB, 5 * MIB])("a call with a text of %d bytes is answered", async (length) => {
  const request = { text: "x".repeat(length) };
  expect((await client.call(method("Echo"), request)).text.length).toBe(length);
});

test("calls at the same time get their own answers", async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => String(index));
  const answers = await Promise.all(
    numbers.map((each) => client.call(method("Echo"), { text: each })),
  );
  expect(answers.map((answer) => answer.text)).toEqual(numbers);
});

test.each([
  ["that fails", "the peer's status and text", "Fail", { status: 9, message: FAILURE }],
  ["of a method that the peer lacks", "unimplemented", "Other", { status: status.unimplemented }],
  ["whose answer is not the message", "a fault of it", "Garbage", { name: "MalformedMessage" }],
])("a call %s rejects with %s", async (_, _with, name, failure) => {
  await expect(client.call(method(name), { text: "" })).rejects.toMatchObject(failure);
});

test("a request above 64 MiB is not sent", async () => {
  const call = client.call(method("Echo"), { text: "x".repeat(64 * MIB) });
  await expect(call).rejects.toMatchObject({ status: status.resourceExhausted });
});

test("an aborted call rejects as cancelled, and the peer sees it", async () => {
  const abort = new AbortController();
  const call = client.call(method("Silent"), { text: "" }, abort.signal);
  setTimeout(() => abort.abort(), 50);
  await expect(call).rejects.toMatchObject({ status: status.cancelled });
  await until(() => cancelledCount > 0);
  expect(cancelledCount).toBe(1);
});

test("a call to nobody rejects as unavailable", async () => {
  server.forceShutdown();
  const call = client.call(method("Echo"), { text: "" });
  await expect(call).rejects.toMatchObject({ status: status.unavailable });
});

test.each([
  ["unavailable where its peer goes away", () => server.forceShutdown(), status.unavailable],
  ["CallFailure where its client is closed", () => client.close(), expect.any(Number)],
])("a call rejects as %s", async (_, end, code) => {
  const call = client.call(method("Silent"), { text: "" });
  setTimeout(end, 50);
  await expect(call).rejects.toMatchObject({ name: "CallFailure", status: code });
});

test("a client connects again to a peer that came back", async () => {
  await client.call(method("Echo"), { text: "one" });
  server.forceShutdown();
  await client.call(method("Echo"), { text: "lost" }).catch(() => undefined);
  await start(port);
  expect(await client.call(method("Echo"), { text: "two" })).toEqual({ text: "two" });
});
