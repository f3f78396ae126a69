/**
 * A provider plugin whose resources do nothing, which shows how much time Pulumi itself needs. It
 * answers every call with the values it received.
 */
import { Server, ServerCredentials, type handleUnaryCall } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
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

const answering =
  <Request, Response>(handle: (request: Request) => Response): handleUnaryCall<Request, Response> =>
  (call, callback) =>
    callback(null, handle(call.request));

const methods = {
  handshake: answering(() => {
    const response = new messages.ProviderHandshakeResponse();
    response.setAcceptSecrets(true);
    return response;
  }),
  getPluginInfo: answering(() => {
    const info = new PluginInfo();
    info.setVersion(schema.version);
    return info;
  }),
  getSchema: answering(() => {
    const response = new messages.GetSchemaResponse();
    response.setSchema(JSON.stringify(schema));
    return response;
  }),
  checkConfig: answering((request: messages.CheckRequest) => checked(request)),
  diffConfig: answering(() => new messages.DiffResponse()),
  configure: answering(() => {
    const response = new messages.ConfigureResponse();
    response.setAcceptsecrets(true);
    response.setSupportspreview(true);
    return response;
  }),
  check: answering((request: messages.CheckRequest) => checked(request)),
  diff: answering(() => {
    const response = new messages.DiffResponse();
    response.setChanges(messages.DiffResponse.DiffChanges.DIFF_NONE);
    return response;
  }),
  create: answering((request: messages.CreateRequest) => {
    const response = new messages.CreateResponse();
    response.setId(request.getPreview() ? "" : request.getUrn());
    response.setProperties(request.getProperties());
    return response;
  }),
  read: answering((request: messages.ReadRequest) => {
    const response = new messages.ReadResponse();
    response.setId(request.getId());
    response.setProperties(request.getProperties());
    response.setInputs(request.getInputs());
    return response;
  }),
};

function checked(request: messages.CheckRequest): messages.CheckResponse {
  const response = new messages.CheckResponse();
  response.setInputs(request.getNews());
  return response;
}

const server = new Server({ "grpc.max_receive_message_length": -1 });
// Only the methods that the benchmark's commands call.
server.addService(ResourceProviderService, methods);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
process.stdin.on("end", () => process.exit(0));
process.stdin.resume();
