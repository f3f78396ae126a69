/**
 * The plugin's methods as Pulumi calls them: Pulumi's own SDK writes and reads the messages, which
 * checks ours.
 */
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as pb from "@pulumi/pulumi/proto/provider_pb";
import { isRecord } from "../../provider/contract";
import * as plain from "../../provider/pulumi/plugin/values/property-values";
import { methodsOf } from "../../provider/pulumi/plugin/methods/table";
import type { Session } from "../../provider/pulumi/plugin/session";

interface Request {
  serializeBinary(): Uint8Array;
}
interface Answering<A> {
  deserializeBinary(bytes: Uint8Array): A;
}
/** By the names of a request's setters: `{ urn }` is set by `setUrn`, plain objects as structs. */
type Members = Readonly<Record<string, unknown>>;

function requestOf<Q extends Request>(Requesting: new () => Q, members: Members): Q {
  const request = new Requesting();
  for (const [name, value] of Object.entries(members)) {
    const setter: unknown = Reflect.get(request, `set${name[0]?.toUpperCase()}${name.slice(1)}`);
    if (typeof setter !== "function") throw new Error(`the request has no ${name}`);
    const isPlain = isRecord(value) && Object.getPrototypeOf(value) === Object.prototype;
    setter.call(request, isPlain ? encode(value) : value);
  }
  return request;
}

const method =
  <Q extends Request, A>(name: string, Requesting: new () => Q, answer: Answering<A>) =>
  async (session: Session, given: Q | Members): Promise<A> => {
    const answerTo = methodsOf(session, { version: "0.0.0", schema: () => "{}" })[name];
    if (!answerTo) throw new Error(`there is no method ${name}`);
    const request = given instanceof Requesting ? given : requestOf(Requesting, given as Members);
    return answer.deserializeBinary(await answerTo(Buffer.from(request.serializeBinary())));
  };

export const checkConfig = method("CheckConfig", pb.CheckRequest, pb.CheckResponse);
export const configure = method("Configure", pb.ConfigureRequest, pb.ConfigureResponse);
export const diffConfig = method("DiffConfig", pb.DiffRequest, pb.DiffResponse);
export const check = method("Check", pb.CheckRequest, pb.CheckResponse);
export const diff = method("Diff", pb.DiffRequest, pb.DiffResponse);
export const create = method("Create", pb.CreateRequest, pb.CreateResponse);
export const read = method("Read", pb.ReadRequest, pb.ReadResponse);
export const update = method("Update", pb.UpdateRequest, pb.UpdateResponse);
export const remove = method("Delete", pb.DeleteRequest, Empty);
export const invoke = method("Invoke", pb.InvokeRequest, pb.InvokeResponse);
export const construct = method("Construct", pb.ConstructRequest, pb.ConstructResponse);

/** Plain values as the SDK's message. */
export const encode = (...given: Parameters<typeof plain.encode>): Struct =>
  Struct.deserializeBinary(plain.encode(...given));

/** The SDK's message as plain values; an absent one is empty. */
export const decode = (struct: Struct | undefined): plain.Decoded =>
  plain.decode(Buffer.from(struct?.serializeBinary() ?? []));
