/**
 * What a provider plugin answers whose resources do nothing: every call, with the values it received.
 * The time of a command with it is the time that Pulumi itself needs.
 */
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

/** Takes a request's bytes and answers a response's. */
export type Answering = (bytes: Buffer) => Buffer;

interface Encoded {
  serializeBinary(): Uint8Array;
}

const bytesOf = (response: Encoded): Buffer => Buffer.from(response.serializeBinary());

const answering =
  <Request>(
    type: { deserializeBinary(bytes: Uint8Array): Request },
    handle: (request: Request) => Encoded,
  ): Answering =>
  (bytes) =>
    bytesOf(handle(type.deserializeBinary(bytes)));

const checked = answering(messages.CheckRequest, (request) => {
  const response = new messages.CheckResponse();
  response.setInputs(request.getNews());
  return response;
});

/** Only the methods that the benchmark's commands call, by name. */
const answers: Readonly<Record<string, Answering>> = {
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

/** By path: `/pulumirpc.ResourceProvider/Check`. */
export const answersByPath: ReadonlyMap<string, Answering> = new Map(
  Object.entries(answers).map(([name, answer]) => [`/pulumirpc.ResourceProvider/${name}`, answer]),
);
