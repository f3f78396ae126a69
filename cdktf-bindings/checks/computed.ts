/** Values that are computed when a program is synthesised, so that checks know them. */
import { Lazy, Token, Tokenization, type IResolvable } from "cdktf";

type Produce = () => readonly string[];
const computed = new WeakMap<IResolvable, Produce>();

/** A list that is computed when it is written or checked, after the whole program has run. */
export function computedList(produce: Produce): IResolvable {
  const later = Lazy.anyValue({ produce });
  computed.set(later, produce);
  return later;
}

/** Whether a value is such a list. */
export const isComputed = (value: unknown): boolean => producerOf(value) !== undefined;

/** What is computed of a value now; any other value as it is. */
export function computedNow(value: readonly string[]): readonly string[];
export function computedNow(value: unknown): unknown;
export function computedNow(value: unknown): unknown {
  const produce = producerOf(value);
  return produce === undefined ? value : produce();
}

function producerOf(value: unknown): Produce | undefined {
  // The library holds such a list as a list of one token.
  if (!Array.isArray(value) || value.length !== 1 || !Token.isUnresolved(value)) return undefined;
  const [later] = Tokenization.reverse(value);
  return later && computed.get(later);
}
