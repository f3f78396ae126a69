/** The plugin's methods as Pulumi calls them: its own SDK writes and reads the messages. */
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
    const of = (verb: string): unknown =>
      Reflect.get(request, `${verb}${name[0]?.toUpperCase()}${name.slice(1)}`);
    const [setter, getter] = [of("set"), of("get")];
    const isPlain = isRecord(value) && Object.getPrototypeOf(value) === Object.prototype;
    if (typeof setter === "function") setter.call(request, isPlain ? encode(value) : value);
    else if (typeof getter === "function" && isPlain) fill(getter.call(request), value);
    else throw new Error(`the request has no ${name}`);
  }
  return request;
}

/** A map of a message, which it has from the beginning. */
function fill(map: unknown, values: Members): void {
  // The only members without a setter are maps.
  for (const [key, value] of Object.entries(values)) (map as Map<string, unknown>).set(key, value);
}

const method =
  <Q extends Request, A>(name: string, Requesting: new () => Q, answer: Answering<A>) =>
  async (session: Session, members: Members): Promise<A> => {
    const answerTo = methodsOf(session, { version: "0.0.0", schema: () => "{}" })[name];
    if (!answerTo) throw new Error(`there is no method ${name}`);
    const request = requestOf(Requesting, members);
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
