/** Free fields of the service, given in several places. */
import { Fn, Token } from "cdktf";
import { isRecord } from "../provider/contract";

/** As the library and props have them: an object, or a value that is known only later. */
type Properties = Readonly<Record<string, unknown>>;

/** Both in one, of which `wins` wins; undefined where neither is set. */
export function merged(defaults: unknown, wins: unknown): Properties | undefined {
  // Their callers have typed them: an object, or a token of a map.
  if (defaults === undefined || wins === undefined)
    return (defaults ?? wins) as Properties | undefined;
  return isKnown(defaults) && isKnown(wins)
    ? { ...defaults, ...wins }
    : Token.asAnyMap(Fn.merge([defaults, wins]));
}

const isKnown = (value: unknown): value is Properties =>
  isRecord(value) && !Token.isUnresolved(value);
