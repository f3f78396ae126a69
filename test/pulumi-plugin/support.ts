/** The plugin in this process; Pulumi's own SDK writes and reads the messages of its methods. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as pb from "@pulumi/pulumi/proto/provider_pb";
import { isRecord, snake } from "../../provider/contract";
import type { LogMessage } from "../../provider/pulumi/plugin/host";
import { methodsOf } from "../../provider/pulumi/plugin/methods/table";
import { Session } from "../../provider/pulumi/plugin/session";
import * as plain from "../../provider/pulumi/plugin/values/property-values";
import { typeToken } from "../../provider/pulumi/plugin/values/tokens";
import { kinds, type Kind } from "../../provider/resources";

export type Properties = Record<string, unknown>;

export type Plugin = ReturnType<typeof openPlugin>;

const NOWHERE = "https://erp.example.com/v1";
const KEY = "erp_test_0123456789abcdef0123456789abcdef";

/**
 * @param given settings; without an address no call succeeds, and planning makes none
 * @param env variables of its process
 */
export function openPlugin(
  given: { baseUrl?: string; apiKey?: string } = {},
  env: Readonly<Record<string, string>> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "erphost-plugin-"));
  /** What the person was shown. */
  const messages: LogMessage[] = [];
  const { pid, platform } = process;
  const session = new Session(
    {
      log: (message: LogMessage) => void messages.push(message),
      flushed: () => Promise.resolve(),
      close: () => undefined,
    },
    { env: { ERPHOST_INTENTS_DIR: folder, ...env }, cwd: folder, pid, platform },
  );
  session.configure({ baseUrl: NOWHERE, apiKey: KEY, ...given });
  return {
    session,
    messages,
    /** How many creates have an intent, for a run after a crash. */
    intentCount: (): number =>
      readdirSync(folder, { recursive: true })
        .map((name) => join(folder, String(name)))
        .filter((file) => file.endsWith(".json"))
        .filter((file) => readFileSync(file, "utf8").includes('"operation":"create"')).length,
    close: async (): Promise<void> => {
      await session.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function kindOf(name: string): Kind {
  const kind = kinds[name];
  if (!kind) throw new Error(`there is no kind ${name}`);
  return kind;
}

export const urnOf = (kind: Kind): string => `urn:pulumi:dev::project::${typeToken(kind)}::it`;

/** Outputs as `pulumi up` leaves them when the service answers what it was sent. */
export function outputsOf(inputs: Properties): Properties {
  const account = { baseUrl: NOWHERE, environment: "test" };
  const state = { account, profile: "none", managed: Object.keys(inputs).map(snake), echo: {} };
  return { ...inputs, __state: JSON.stringify(state) };
}

/** A check's answer: failures as `property: reason`, and the inputs. */
export async function checkOf({ session }: Plugin, kind: Kind, news: Properties, more = {}) {
  const request = { urn: urnOf(kind), news, randomseed: Buffer.alloc(32, 7), ...more };
  const response = await check(session, request);
  return {
    failures: response.getFailuresList().map((all) => `${all.getProperty()}: ${all.getReason()}`),
    inputs: (response.getInputs()?.toJavaScript() ?? {}) as Properties,
  };
}

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
