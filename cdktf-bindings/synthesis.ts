/** What the checks of one synthesis have read, so that each stack does not read its whole app again. */
import type { ISynthesisSession, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";

/** What has been read of constructs, by the functions that have read it. */
type Known = WeakMap<IConstruct, Map<unknown, unknown>>;

/** Every `app.synth` has a session of its own, so that none knows what an earlier one has read. */
const sessions = new WeakMap<ISynthesisSession, Known>();
let known: Known | undefined;

/** Stacks whose checks keep what they read. */
const reading = new WeakSet<TerraformStack>();

/** Lets a stack's checks keep what they read until the synthesis of its app ends, or their own run. */
export function readOnceWith(stack: TerraformStack): void {
  if (reading.has(stack)) return;
  reading.add(stack);
  const { synthesizer } = stack;
  stack.synthesizer = {
    synthesize: (session) => {
      const own: Known = sessions.get(session) ?? new WeakMap();
      sessions.set(session, own);
      during(own, () => {
        synthesizer.synthesize(session);
      });
    },
  };
  // Where a test synthesises one stack, there is no session.
  const validate = stack.runAllValidations.bind(stack);
  stack.runAllValidations = () => {
    readOnceDuring(validate);
  };
}

/** Keeps what is read until the work is done, or until the synthesis that it is a part of is. */
export const readOnceDuring = <T>(work: () => T): T => during(known ?? new WeakMap(), work);

function during<T>(own: Known, work: () => T): T {
  const outer = known;
  known = own;
  try {
    return work();
  } finally {
    known = outer;
  }
}

/** What a function reads of a construct; the function must be the same one each time. */
export function once<C extends IConstruct, T>(construct: C, read: (construct: C) => T): T {
  if (known === undefined) return read(construct);
  const facts = known.get(construct) ?? new Map<unknown, unknown>();
  known.set(construct, facts);
  if (!facts.has(read)) facts.set(read, read(construct));
  // What this very function has read of it.
  return facts.get(read) as T;
}

/** Reads a stack again, because its Aspects have run since. */
export const forget = (stack: TerraformStack): void => void known?.delete(stack);
