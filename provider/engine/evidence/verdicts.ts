/** What a request turns out to have led to, and what becomes of its entry: decided here alone. */
import type { MessageCode } from "../../messages";
import { EngineError, isUndone } from "../errors";

/**
 * What becomes of an entry. What is kept has its answer, and goes once the host has stored it; what
 * is left is asked again; what is aside waits until a delete shows what it led to.
 */
type Fate = "kept" | "dropped" | "left" | "aside";
type Next = "take" | "send" | "next key" | "wait" | "refuse" | "discard" | "a person says";

const row = <F extends Fate, N extends Next>(
  entry: F,
  next: N,
  means: string,
  codes: readonly MessageCode[] = [],
) => ({ entry, next, means, codes });

/** Each by its name; `codes` are the errors that say so. */
export const VERDICTS = {
  done: row("kept", "take", "the service did it, and answered this very request"),
  ours: row("kept", "take", "an answer on disk, a replay, its body or a person shows it is ours"),
  passed_on: row("dropped", "take", "our rotation's answer is lost: its successor was rotated"),
  nothing: row("dropped", "send", "nothing was begun, or nothing of it is there"),
  taken: row("dropped", "send", "the state has it, or another create of this run"),
  shown_by_delete: row("aside", "send", "the host replaces what it has not shown: its delete will"),
  unwanted: row("dropped", "discard", "ours, and only another one is what is declared; no scope"),
  used_up: row("dropped", "next key", "its key led to what is gone, in the state or failed"),
  living: row("left", "wait", "another process is at work on it", ["in_progress"]),
  alive: row("dropped", "a person says", "its key led to what lives and nobody may take unasked", [
    "found_alive",
    "candidates_left",
  ]),
  suspected: row(
    "left",
    "a person says",
    "name and time, or a person, point at it, or an unwanted one is old",
    ["orphan_suspected"],
  ),
  handed_over: row("left", "a person says", "made by a run that ended well; its host may have it", [
    "handed_over",
  ]),
  others: row("dropped", "refuse", "another declaration, or somebody else, has it", [
    "identity_shared",
    "rotated_elsewhere",
    "successor_gone",
    "answered_twice",
  ]),
  foreign: row("left", "refuse", "nothing shows that the entry is ours", ["intent_foreign"]),
  refused: row("dropped", "refuse", "refused for good, or never sent", ["not_offered"]),
  untold: row("left", "refuse", "no answer, no list, or a journal that is not understood", [
    "intents_unreadable",
    "intents_exposed",
    "intents_stuck",
    "not_deleted",
  ]),
};

type Name = keyof typeof VERDICTS;
type Of<N extends Next> = { [K in Name]: (typeof VERDICTS)[K]["next"] extends N ? K : never }[Name];

interface Refusal {
  readonly is: Of<"wait" | "refuse" | "a person says">;
  readonly error: unknown;
}

/** One row, with what follows from it. `found` is what the caller asked for. */
export type Verdict<F> =
  | { readonly is: Of<"take">; readonly id: string; readonly found: F }
  | { readonly is: Of<"send"> }
  | { readonly is: Of<"discard">; readonly id: string }
  | { readonly is: Of<"next key">; readonly previous: string }
  | Refusal;

/** What an error says of a request that this run has sent, or was about to. */
export function refusal(error: unknown): Refusal {
  if (error instanceof EngineError) {
    // Only rows that refuse have codes.
    const names = Object.keys(VERDICTS) as Refusal["is"][];
    const is = names.find((name) => VERDICTS[name].codes.some((code) => code === error.code));
    return { is: is ?? "untold", error };
  }
  return { is: isUndone(error) ? "refused" : "untold", error };
}

/** Of what is asked after an answer: that it is refused says nothing of what was answered. */
export const afterAnswer = <F>(judged: Promise<Verdict<F>>): Promise<Verdict<F>> =>
  judged.catch((error: unknown) => {
    if (error instanceof EngineError) throw error;
    return refusalOfEarlier(error);
  });

/** What an error says of an earlier request: of that, a refusal of today says nothing. */
export function refusalOfEarlier(error: unknown): Refusal {
  const said = refusal(error);
  return VERDICTS[said.is].entry === "left" ? said : { is: "untold", error };
}
