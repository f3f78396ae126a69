/** The plugin that does nothing, on the gRPC library that Pulumi's own SDK uses. */
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { answersByPath } from "./answers";

const asItIs = (bytes: Buffer): Buffer => bytes;

const unary = {
  ...{ requestStream: false, requestSerialize: asItIs, requestDeserialize: asItIs },
  ...{ responseStream: false, responseSerialize: asItIs, responseDeserialize: asItIs },
};
const definitions = [...answersByPath.keys()].map((path) => [path, { ...unary, path }] as const);

const server = new Server({ "grpc.max_receive_message_length": -1 });
server.addService(
  Object.fromEntries(definitions),
  Object.fromEntries(
    [...answersByPath].map(([path, answer]) => [
      path,
      (call: { request: Buffer }, callback: (error: null, bytes: Buffer) => void) =>
        callback(null, answer(call.request)),
    ]),
  ),
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
process.stdin.on("end", () => process.exit(0));
process.stdin.resume();
