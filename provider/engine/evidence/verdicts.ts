/**
 * What a request turns out to have led to, whether this run sent it or an earlier one: what becomes
 * of its entry in the journal, and what follows. Nothing else decides that.
 */
import { EngineError, isUndone } from "../errors";

/** What becomes of an entry. `aside`: it waits on disk until a delete shows what it led to. */
type Fate = "kept" | "dropped" | "left" | "aside";
type Next = "take" | "send" | "next key" | "wait" | "refuse" | "discard" | "a person says";

interface Row {
  readonly means: string;
  readonly entry: Fate;
  readonly next: Next;
  /** Errors that say so. */
  readonly codes?: readonly string[];
}

/** Kept entries have their answer, and go once the host has stored it; what is left is asked again. */
export const VERDICTS = {
  done: {
    means: "the service did it, and answered this very request",
    entry: "kept",
    next: "take",
  },
  ours: {
    means: "an answer on disk, a replay, its body or a person's word shows that it is ours",
    entry: "kept",
    next: "take",
  },
  passed_on: {
    means: "a rotation of ours was done and its answer is lost: its successor was rotated",
    entry: "dropped",
    next: "take",
  },
  nothing: {
    means: "nothing was begun, or nothing of it is there",
    entry: "dropped",
    next: "send",
  },
  taken: {
    means: "the state has it, or another create of this run was answered it",
    entry: "dropped",
    next: "send",
  },
  shown_by_delete: {
    means: "the host replaces what it has not shown: what it deletes shows whether this is it",
    entry: "aside",
    next: "send",
  },
  unwanted: {
    means: "ours, and no update makes it what is declared now; never in a scope",
    entry: "dropped",
    next: "discard",
  },
  used_up: {
    means: "its key leads to what is gone, in the state or failed for good",
    entry: "dropped",
    next: "next key",
  },
  living: {
    means: "another process is at work on it, and does not end",
    entry: "left",
    next: "wait",
    codes: ["in_progress"],
  },
  alive: {
    means: "its key leads to a live object, or to one of several, that nobody may take unasked",
    entry: "dropped",
    next: "a person says",
    codes: ["found_alive", "candidates_left"],
  },
  suspected: {
    means: "name and time alone point at it, and it may be somebody else's",
    entry: "left",
    next: "a person says",
    codes: ["orphan_suspected"],
  },
  handed_over: {
    means: "a run that exited cleanly made it, and its host may have stored it since",
    entry: "left",
    next: "a person says",
    codes: ["handed_over"],
  },
  others: {
    means: "another declaration, or somebody else, has what the request led to",
    entry: "dropped",
    next: "refuse",
    codes: ["identity_shared", "rotated_elsewhere", "answered_twice"],
  },
  foreign: {
    means: "nothing shows that the entry is ours",
    entry: "left",
    next: "refuse",
    codes: ["intent_foreign"],
  },
  refused: {
    means: "the service refused it for good, or it was never sent",
    entry: "dropped",
    next: "refuse",
  },
  untold: {
    means:
      "nobody can tell now: no answer, no list, or something in the journal that is not understood",
    entry: "left",
    next: "refuse",
    codes: ["intents_unreadable", "intents_exposed", "intents_stuck", "not_deleted"],
  },
} as const satisfies Readonly<Record<string, Row>>;

type Name = keyof typeof VERDICTS;
type Of<N extends Next> = { [K in Name]: (typeof VERDICTS)[K]["next"] extends N ? K : never }[Name];

type Refusal = {
  readonly is: Of<"wait" | "refuse" | "a person says">;
  readonly error: unknown;
};

/** One row, with what follows from it. `found` is what the caller asked for. */
export type Verdict<F> =
  | { readonly is: Of<"take">; readonly id: string; readonly found: F }
  | { readonly is: Of<"send"> }
  | { readonly is: Of<"discard">; readonly id: string }
  | { readonly is: Of<"next key">; readonly previous: string }
  | Refusal;

const rows: readonly (readonly [string, Row])[] = Object.entries(VERDICTS);

const BY_CODE = new Map(
  rows.flatMap(([name, { codes = [] }]) =>
    // The names of a table are what it has, whatever `entries` says of them.
    codes.map((code) => [code, name as Refusal["is"]] as const),
  ),
);

/** What an error says of a request that this run has sent, or was about to. */
export function refusal(error: unknown): Refusal {
  if (error instanceof EngineError) return { is: BY_CODE.get(error.code) ?? "refused", error };
  return { is: isUndone(error) ? "refused" : "untold", error };
}

/** The same of one that an earlier run has sent: a refusal of today says nothing of that. */
export function refusalOfEarlier(error: unknown): Refusal {
  const said = refusal(error);
  return VERDICTS[said.is].entry === "left" ? said : { is: "untold", error };
}
