/**
 * A provider plugin whose resources do nothing, on the gRPC library that Pulumi's own SDK uses: it
 * answers every call with the values it received. The time of a command with it is the time that Pulumi
 * itself needs.
 */
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";

const schema = {
  name: "nothing",
  version: "0.1.0",
  resources: {
    "nothing:index:Server": {
      inputProperties: { name: { type: "string" } },
      properties: { name: { type: "string" } },
    },
  },
};

type Encoded = Pick<messages.CheckResponse, "serializeBinary">;
const bytesOf = (response: Encoded): Buffer => Buffer.from(response.serializeBinary());

const answering =
  <Request>(
    type: { deserializeBinary(bytes: Uint8Array): Request },
    handle: (request: Request) => Encoded,
  ) =>
  (bytes: Buffer): Buffer =>
    bytesOf(handle(type.deserializeBinary(bytes)));

const checked = answering(messages.CheckRequest, (request) => {
  const response = new messages.CheckResponse();
  response.setInputs(request.getNews());
  return response;
});

/** By name, from the bytes of a request; only the methods that the benchmark's commands call. */
const answers: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  Handshake: () => {
    const response = new messages.ProviderHandshakeResponse();
    response.setAcceptSecrets(true);
    return bytesOf(response);
  },
  GetPluginInfo: () => {
    const info = new PluginInfo();
    info.setVersion(schema.version);
    return bytesOf(info);
  },
  GetSchema: () => {
    const response = new messages.GetSchemaResponse();
    response.setSchema(JSON.stringify(schema));
    return bytesOf(response);
  },
  CheckConfig: checked,
  DiffConfig: () => bytesOf(new messages.DiffResponse()),
  Configure: () => {
    const response = new messages.ConfigureResponse();
    response.setAcceptsecrets(true);
    response.setSupportspreview(true);
    return bytesOf(response);
  },
  Check: checked,
  Diff: () => {
    const response = new messages.DiffResponse();
    response.setChanges(messages.DiffResponse.DiffChanges.DIFF_NONE);
    return bytesOf(response);
  },
  Create: answering(messages.CreateRequest, (request) => {
    const response = new messages.CreateResponse();
    response.setId(request.getPreview() ? "" : request.getUrn());
    response.setProperties(request.getProperties());
    return response;
  }),
  Read: answering(messages.ReadRequest, (request) => {
    const response = new messages.ReadResponse();
    response.setId(request.getId());
    response.setProperties(request.getProperties());
    response.setInputs(request.getInputs());
    return response;
  }),
  Delete: () => Buffer.alloc(0),
};

const asItIs = (bytes: Buffer): Buffer => bytes;

const unary = {
  ...{ requestStream: false, requestSerialize: asItIs, requestDeserialize: asItIs },
  ...{ responseStream: false, responseSerialize: asItIs, responseDeserialize: asItIs },
};

const server = new Server({ "grpc.max_receive_message_length": -1 });
for (const [name, answer] of Object.entries(answers)) {
  server.addService(
    { [name]: { ...unary, path: `/pulumirpc.ResourceProvider/${name}` } },
    {
      [name]: (call: { request: Buffer }, callback: (error: null, bytes: Buffer) => void) =>
        callback(null, answer(call.request)),
    },
  );
}
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
process.stdin.on("end", () => process.exit(0));
process.stdin.resume();
