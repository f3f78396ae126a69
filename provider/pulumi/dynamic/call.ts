/** One call of Pulumi's on one resource: whose account it is, and what is said about it. */
import {
  EngineError,
  PartialFailure,
  type Engine,
  type Foreseen,
  type OperationOptions,
} from "../../engine";
import { sentence, type Message, type Subject, type Voice } from "../../messages";
import type { Kind } from "../../resources";
import { isOfRun, onceOf } from "../values";
import { failureText, voiceOf } from "../voice";
import { engines, print, underEngine } from "./runtime";
import { hiddenOf, outputsOf, type Hidden } from "./state";

export type Properties = Record<string, unknown>;

export interface Call {
  readonly engine: Engine;
  readonly kind: Kind;
  /** Undefined: the stack's default account. */
  readonly account: string | undefined;
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
  const engine = engines().of(account, held);
  return { engine, kind, account, voice: voiceOf(account) };
}

export const subjectOf = ({ name: kind }: Kind, id: string, { name }: Properties): Subject => ({
  kind,
  id,
  ...(typeof name === "string" && { name }),
});

/** Failures in the names of the program. An object that exists keeps its id. */
export async function calling<T>(about: About, does: Does<T>): Promise<T> {
  try {
    return await underEngine(async () => does(callOf(about)));
  } catch (error) {
    const voice = voiceOf(hiddenOf(about.properties).__account);
    const failure = new Error(failureText(voice, error));
    if (error instanceof PartialFailure) throw partial(about, failure, error, voice);
    // Pulumi prints both next to the message, and they say nothing to a person.
    failure.stack = "";
    failure.name = "";
    throw failure;
  }
}

/** Pulumi reads these members of the error: the object stays in the state, marked as failed. */
function partial(
  { kind, properties: inputs }: About,
  failure: Error,
  { state, warnings }: PartialFailure,
  voice: Voice,
) {
  warnAll({ voice }, warnings);
  return Object.assign(failure, {
    id: state.id,
    // The SDK adds its own member to the outputs of a success but not to these, and without it
    // nothing more could ever be done with the object.
    properties: { ...outputsOf(kind, state, hiddenOf(inputs)), __provider: inputs["__provider"] },
    reasons: [failure.message],
  });
}

type Speaker = Pick<Call, "voice">;

export const warnAll = (speaker: Speaker, warnings: readonly Message[]): void => {
  for (const warning of warnings) tell(speaker, "warning", warning);
};

/** What was shown of the run, and not of one object. */
const shown = new Set<string>();

export function tell({ voice }: Speaker, severity: "warning" | "note", message: Message): void {
  if (isOfRun(message) && shown.size === shown.add(onceOf("", message)).size) return;
  print(`${severity}: ${sentence(voice, message)}`);
}

export const optionsOf = (
  { voice }: Speaker,
  hidden: Hidden,
  operation: "create" | "update" | "delete" | "read",
): OperationOptions => {
  const timeoutMs = operation === "read" ? undefined : hidden.__timeouts?.[operation];
  return {
    ...(hidden.__identity !== undefined && { identity: hidden.__identity }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    onNotice: ({ kind, data }) => {
      if (kind !== "progress") print(sentence(voice, data));
    },
  };
};

/** Warns of what a plan foresees. @throws what it refuses */
export function foresee(speaker: Speaker, { refused, notes }: Foreseen): void {
  warnAll(speaker, notes);
  if (refused) throw new EngineError(refused);
}
