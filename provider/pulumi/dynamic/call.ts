/** One call of Pulumi's on one resource: whose account it is, and what is said about it. */
import { PartialFailure, type Engine, type OperationOptions } from "../../engine";
import { sentence, type Subject, type Voice } from "../../messages";
import type { Kind } from "../../resources";
import { warn, type Speaker } from "../values";
import { failureText, voiceOf } from "../voice";
import { engines, show, underEngine } from "./runtime";
import { hiddenOf, outputsOf, type Hidden } from "./state";

export type Properties = Record<string, unknown>;

export interface Call extends Voiced {
  readonly engine: Engine;
  readonly kind: Kind;
  /** Undefined: the stack's default account. */
  readonly account: string | undefined;
}

interface Voiced extends Speaker {
  readonly voice: Voice;
}

export type Does<T> = (call: Call) => Promise<T>;

/** What a call is about: `properties` say whose account, `id` which object is held there. */
interface About {
  readonly kind: Kind;
  readonly properties: Properties;
  readonly id?: string | undefined;
}

/** A call of the account that the properties name. @throws what is wrong with its configuration */
export function callOf({ kind, properties, id }: About): Call {
  const { __account: account } = hiddenOf(properties);
  const held = id === undefined ? undefined : subjectOf(kind, id, properties);
  return { engine: engines().of(account, held), kind, account, ...speakerOf(properties) };
}

const said = new Set<string>();

/** Of the resource that a call is about, where its state names it. */
function speakerOf(properties: Properties): Voiced {
  const { __account: account, __identity: identity } = hiddenOf(properties);
  const voice = voiceOf(account);
  const urn = identity?.startsWith("urn:") ? identity : undefined;
  const log: Speaker["log"] = (severity, message) =>
    show({ severity, text: sentence(voice, message), ...(urn !== undefined && { urn }) });
  return { voice, urn, said, log };
}

export const subjectOf = ({ name: kind }: Kind, id: string, { name }: Properties): Subject => ({
  kind,
  id,
  ...(typeof name === "string" && { name }),
});

/** Failures in the names of the program. An object that exists keeps its id. */
export const calling = <T>(about: About, does: Does<T>): Promise<T> =>
  underEngine(async () => {
    try {
      return await does(callOf(about));
    } catch (error) {
      const speaker = speakerOf(about.properties);
      const failure = new Error(failureText(speaker.voice, error));
      if (error instanceof PartialFailure) {
        warn(speaker, error.warnings);
        throw partial(about, failure, error);
      }
      // Pulumi prints both next to the message, and they say nothing to a person.
      failure.stack = "";
      failure.name = "";
      throw failure;
    }
  });

/** Pulumi reads these members of the error: the object stays in the state, marked as failed. */
const partial = ({ kind, properties }: About, failure: Error, { state }: PartialFailure): Error =>
  Object.assign(failure, {
    id: state.id,
    // The SDK adds its own member to the outputs of a success but not to these, and without it
    // nothing more could ever be done with the object.
    properties: {
      ...outputsOf(kind, state, hiddenOf(properties)),
      __provider: properties["__provider"],
    },
    reasons: [failure.message],
  });

export const optionsOf = (
  speaker: Speaker,
  hidden: Hidden,
  operation: "create" | "update" | "delete" | "read",
): OperationOptions => {
  const timeoutMs = operation === "read" ? undefined : hidden.__timeouts?.[operation];
  return {
    ...(hidden.__identity !== undefined && { identity: hidden.__identity }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    onNotice: ({ kind, data }) => {
      if (kind !== "progress") speaker.log("info", data);
    },
  };
};
