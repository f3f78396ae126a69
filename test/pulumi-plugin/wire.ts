/**
 * The plugin's methods as Pulumi calls them: Pulumi's own SDK writes and reads the messages, which
 * checks ours.
 */
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as pb from "@pulumi/pulumi/proto/provider_pb";
import * as plain from "../../provider/pulumi/plugin/values/property-values";
import { methodsOf } from "../../provider/pulumi/plugin/methods/table";
import type { Session } from "../../provider/pulumi/plugin/session";

interface Request {
  serializeBinary(): Uint8Array;
}
interface Answering<A> {
  deserializeBinary(bytes: Uint8Array): A;
}

const method =
  <Q extends Request, A>(name: string, answer: Answering<A>) =>
  async (session: Session, request: Q): Promise<A> => {
    const answerTo = methodsOf(session, { version: "0.0.0", schema: () => "{}" })[name];
    if (!answerTo) throw new Error(`there is no method ${name}`);
    return answer.deserializeBinary(await answerTo(Buffer.from(request.serializeBinary())));
  };

export const checkConfig = method<pb.CheckRequest, pb.CheckResponse>(
  "CheckConfig",
  pb.CheckResponse,
);
export const configure = method<pb.ConfigureRequest, pb.ConfigureResponse>(
  "Configure",
  pb.ConfigureResponse,
);
export const diffConfig = method<pb.DiffRequest, pb.DiffResponse>("DiffConfig", pb.DiffResponse);
export const check = method<pb.CheckRequest, pb.CheckResponse>("Check", pb.CheckResponse);
export const diff = method<pb.DiffRequest, pb.DiffResponse>("Diff", pb.DiffResponse);
export const create = method<pb.CreateRequest, pb.CreateResponse>("Create", pb.CreateResponse);
export const read = method<pb.ReadRequest, pb.ReadResponse>("Read", pb.ReadResponse);
export const update = method<pb.UpdateRequest, pb.UpdateResponse>("Update", pb.UpdateResponse);
export const remove = method<pb.DeleteRequest, Empty>("Delete", Empty);
export const invoke = method<pb.InvokeRequest, pb.InvokeResponse>("Invoke", pb.InvokeResponse);
export const construct = method<pb.ConstructRequest, pb.ConstructResponse>(
  "Construct",
  pb.ConstructResponse,
);

/** Plain values as the SDK's message. */
export const encode = (...given: Parameters<typeof plain.encode>): Struct =>
  Struct.deserializeBinary(plain.encode(...given));

/** The SDK's message as plain values; an absent one is empty. */
export const decode = (struct: Struct | undefined): plain.Decoded =>
  plain.decode(Buffer.from(struct?.serializeBinary() ?? []));
