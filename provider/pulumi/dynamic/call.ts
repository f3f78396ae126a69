/** One call of Pulumi's on one resource: whose account it is, and what is said about it. */
import {
  EngineError,
  PartialFailure,
  type Engine,
  type Findings,
  type OperationOptions,
} from "../../engine";
import { sentence, type Message, type Subject, type Voice } from "../../messages";
import type { Kind } from "../../resources";
import { isOfRun, onceOf } from "../values";
import { failureText, voiceOf } from "../voice";
import { engines, show, underEngine } from "./runtime";
import { hiddenOf, outputsOf, type Hidden } from "./state";

export type Properties = Record<string, unknown>;

export interface Call extends Speaker {
  readonly engine: Engine;
  readonly kind: Kind;
  /** Undefined: the stack's default account. */
  readonly account: string | undefined;
}

interface Speaker {
  readonly voice: Voice;
  /** The resource that it is about, where its state names it. */
  readonly urn: string | undefined;
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

function speakerOf(properties: Properties): Speaker {
  const { __account: account, __identity: identity } = hiddenOf(properties);
  return { voice: voiceOf(account), urn: identity?.startsWith("urn:") ? identity : undefined };
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
        warnAll(speaker, error.warnings);
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

export const warnAll = (speaker: Speaker, warnings: readonly Message[]): void => {
  for (const warning of warnings) {
    if (!isOfRun(warning) || isNew(speaker, warning)) say(speaker, "warning", warning);
  }
};

/** Shown once in a process: Pulumi asks more than once for the same difference. */
export function note(speaker: Speaker, message: Message): void {
  if (isNew(speaker, message)) say(speaker, "info", message);
}

const alreadyShown = new Set<string>();

const isNew = ({ urn = "" }: Speaker, message: Message): boolean =>
  alreadyShown.size < alreadyShown.add(onceOf(urn, message)).size;

const say = ({ voice, urn }: Speaker, severity: "warning" | "info", message: Message): void =>
  show({ severity, text: sentence(voice, message), ...(urn !== undefined && { urn }) });

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
      if (kind !== "progress") say(speaker, "info", data);
    },
  };
};

/** Warns of what a plan foresees. @throws what it refuses */
export function heed(call: Call, findings: Findings): void {
  const { refused, notes } = call.engine.tell(findings);
  warnAll(call, notes);
  if (refused) throw new EngineError(refused);
}
