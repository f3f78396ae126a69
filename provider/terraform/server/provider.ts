/**
 * The provider's calls by path, loaded as late as possible: Terraform starts a provider three to five
 * times per run, and asks some of these processes only for the schema.
 */
import type { Surroundings } from "../../engine";
import type { GrpcOptions, Unary } from "../../grpc";
import type { Log } from "../host/log";
import { SCHEMA_CALLS, SERVICE } from "../names";
import type { Session } from "./session";

/** By path: `/tfplugin6.Provider/PlanResourceChange`. */
export interface Provider extends Required<Pick<GrpcOptions, "methods" | "streams">> {
  close(): Promise<void>;
  /** Once nobody is connected, the next configuration may be of another account. */
  release(): void;
}

export function createProvider(surroundings: Surroundings, log: Log): Provider {
  let loaded: ReturnType<typeof loadAll> | undefined;
  /** The name of a call of the provider that needs all of it. */
  const late = (path: string): string | undefined =>
    path.startsWith(SERVICE) && !fixed.has(path) ? path.slice(SERVICE.length) : undefined;
  const load = () => (loaded ??= loadAll(surroundings, log));
  return {
    methods: {
      get: (path) => {
        const name = late(path);
        const run = name === undefined ? fixed.get(path) : load().methods.get(name);
        return run && logged(log, path.slice(SERVICE.length), run);
      },
    },
    streams: {
      get: (path) => {
        const name = late(path);
        const stream = name === undefined ? undefined : load().streams.get(name);
        return (
          stream &&
          ((bytes, signal) => {
            log("trace", `${name} begins`, { request_bytes: bytes.length });
            return stream(bytes, signal);
          })
        );
      },
    },
    close: async () => loaded?.session.close(),
    release: () => loaded?.session.release(),
  };
}

/** What a process that is only asked for the schema answers. */
const fixed: ReadonlyMap<string, Unary> = new Map(
  SCHEMA_CALLS.map((name) => {
    const answer: Unary = async () => {
      const answers = require("./schema-answers") as typeof import("./schema-answers");
      return answers.schemaAnswers[name]();
    };
    return [SERVICE + name, answer];
  }),
);

function loadAll(surroundings: Surroundings, log: Log) {
  const { Session: SessionClass } = require("./session") as typeof import("./session");
  const { methodsOf, streamsOf } = require("./methods") as typeof import("./methods");
  const session: Session = new SessionClass(surroundings, log);
  return {
    session,
    methods: new Map(Object.entries(methodsOf(session))),
    streams: new Map(Object.entries(streamsOf(session))),
  };
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
