/**
 * The provider's calls by path, loaded as late as possible: Terraform starts a provider three to five
 * times per run, and asks some of these processes only for the schema.
 */
import type { Surroundings } from "../../engine";
import { CallFailure, status, type ServerStream, type Unary } from "../../grpc";
import type { Log } from "../host/log";
import type { Session } from "./session";

const SERVICE = "/tfplugin6.Provider/";

const NAMES = [
  "ApplyResourceChange",
  "CallFunction",
  "CloseEphemeralResource",
  "ConfigureProvider",
  "GenerateResourceConfig",
  "ImportResourceState",
  "MoveResourceState",
  "OpenEphemeralResource",
  "PlanAction",
  "PlanResourceChange",
  "ReadDataSource",
  "ReadResource",
  "RenewEphemeralResource",
  "StopProvider",
  "UpgradeResourceIdentity",
  "UpgradeResourceState",
  "ValidateActionConfig",
  "ValidateDataResourceConfig",
  "ValidateEphemeralResourceConfig",
  "ValidateListResourceConfig",
  "ValidateProviderConfig",
  "ValidateResourceConfig",
] as const;

/** Those that answer a stream. */
const STREAMS = ["InvokeAction", "ListResource"] as const;

const FIXED = [
  "GetProviderSchema",
  "GetResourceIdentitySchemas",
  "GetMetadata",
  "GetFunctions",
] as const;

/** Paths of all calls. */
export const TERRAFORM_CALLS: readonly string[] = [...FIXED, ...NAMES, ...STREAMS].map(
  (name) => SERVICE + name,
);

interface Loaded {
  readonly session: Session;
  readonly methods: Readonly<Record<string, Unary>>;
  readonly streams: Readonly<Record<string, ServerStream>>;
}

export interface Provider {
  /** By path: `/tfplugin6.Provider/PlanResourceChange`. */
  readonly methods: ReadonlyMap<string, Unary>;
  readonly streams: ReadonlyMap<string, ServerStream>;
  /** Ends the provider cleanly. */
  close(): Promise<void>;
}

export function createProvider(surroundings: Surroundings, log: Log): Provider {
  let loaded: Loaded | undefined;
  const load = (): Loaded => (loaded ??= loadAll(surroundings, log));
  const answers = () => require("./schema-answers") as typeof import("./schema-answers");
  const fixed: readonly (readonly [(typeof FIXED)[number], Unary])[] = [
    ["GetProviderSchema", async () => answers().schemaAnswer()],
    ["GetResourceIdentitySchemas", async () => answers().identitiesAnswer()],
    ["GetMetadata", async () => answers().metadataAnswer()],
    ["GetFunctions", async () => answers().functionsAnswer()],
  ];
  const late = NAMES.map((name): readonly [string, Unary] => [
    name,
    async (bytes) => {
      const method = load().methods[name];
      if (!method) throw absent(name);
      return method(bytes);
    },
  ]);
  const streams = STREAMS.map((name): readonly [string, ServerStream] => [
    SERVICE + name,
    (bytes, signal) => {
      const stream = load().streams[name];
      if (!stream) throw absent(name);
      log("trace", `${name} begins`, { request_bytes: bytes.length });
      return stream(bytes, signal);
    },
  ]);
  return {
    methods: new Map(
      [...fixed, ...late].map(([name, run]) => [SERVICE + name, logged(log, name, run)]),
    ),
    streams: new Map(streams),
    close: async () => loaded?.session.close(),
  };
}

const absent = (name: string): CallFailure =>
  new CallFailure(status.unimplemented, `there is no method ${name}`);

function loadAll(surroundings: Surroundings, log: Log): Loaded {
  const { Session: SessionClass } = require("./session") as typeof import("./session");
  const { methodsOf, streamsOf } = require("./methods") as typeof import("./methods");
  const session = new SessionClass(surroundings, log);
  return { session, methods: methodsOf(session), streams: streamsOf(session) };
}

/** Logs names and times only: values never reach the log. */
const logged =
  (log: Log, name: string, run: Unary): Unary =>
  async (bytes) => {
    log("trace", `${name} begins`, { request_bytes: bytes.length });
    const answer = await run(bytes);
    log("trace", `${name} ends`, { response_bytes: answer.length });
    return answer;
  };
