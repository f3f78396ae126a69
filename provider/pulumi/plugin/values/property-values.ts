/**
 * Between Pulumi's wire values and plain ones. On the wire a secret is a marked object; here it is a
 * plain value and its path, so that it can be marked again in the answer.
 */
import { camel, isRecord, onceFor, type Values } from "../../../contract";
import type { Path, State } from "../../../engine";
import { decodeStruct, encodeStruct } from "../../../grpc";
import type { Kind } from "../../../resources";
import { PULUMI_UNKNOWN, SIGNATURE, STATE_KEY, statePropertiesOf } from "../../values";

const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** Pulumi has a different unknown for each type of value; here they are one. */
const UNKNOWNS: ReadonlySet<unknown> = new Set([
  PULUMI_UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Plain values, and the paths of those that are secret. */
export interface Decoded {
  readonly values: Record<string, unknown>;
  readonly secrets: readonly Path[];
}

/** Reads a Struct's bytes, and unwraps secrets and outputs at every depth. */
export function decode(struct: Buffer): Decoded {
  const secrets: Path[] = [];
  const values = plain(decodeStruct(struct), [], secrets);
  return { values: isRecord(values) ? values : {}, secrets };
}

function plain(value: unknown, path: Path, secrets: Path[]): unknown {
  if (UNKNOWNS.has(value)) return PULUMI_UNKNOWN;
  if (Array.isArray(value)) {
    return value.map((element, index) => plain(element, [...path, index], secrets));
  }
  if (!isRecord(value)) return value;
  const mark = value[SIGNATURE];
  if (mark === SECRET || (mark === OUTPUT && value["secret"] === true)) secrets.push(path);
  if (mark === SECRET) return plain(value["value"], path, secrets);
  // An output without a value is not known yet.
  if (mark === OUTPUT) {
    return "value" in value ? plain(value["value"], path, secrets) : PULUMI_UNKNOWN;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, plain(inner, [...path, key], secrets)]),
  );
}

/** Marks the values at the paths as secret. A path through an array marks the whole array. */
export function encode(values: Values, secrets: readonly Path[] = []): Buffer {
  const marked = secrets.reduce<unknown>((all, path) => markAt(all, path), values);
  return encodeStruct(isRecord(marked) ? marked : {});
}

function markAt(value: unknown, [head, ...rest]: Path, depth = 0): unknown {
  if (value === undefined || isMarked(value)) return value;
  if (head !== undefined && isRecord(value)) {
    if (Object.hasOwn(value, head)) {
      return { ...value, [head]: markAt(value[head], rest, depth + 1) };
    }
    // An output or a free field that is not there is in nothing else.
    if (depth < 2) return value;
  }
  // What holds the secret now, where the service gave the value another shape.
  return { [SIGNATURE]: SECRET, value };
}

const isMarked = (value: unknown): boolean => isRecord(value) && value[SIGNATURE] === SECRET;

/**
 * As Pulumi stores them: secret by definition, or because it came in as secret. The hidden output is
 * secret too where it has hashes of a secret that the service changed: a short one can be guessed.
 */
export function outputsOf(kind: Kind, state: State, secrets: readonly Path[]): Buffer {
  const all = [...secrets, ...secretFields(kind)];
  const heads = new Set(all.map(([head]) => head));
  const hasHashes = Object.keys(state.private.echo).some((path) =>
    heads.has(camel(path.split(".")[0] ?? "")),
  );
  return encode(statePropertiesOf(kind, state), hasHashes ? [...all, [STATE_KEY]] : all);
}

/** Fields that are secret by their definition, as paths of Pulumi's values. */
export const secretFields = onceFor((kind: Kind): readonly Path[] =>
  Object.entries(kind.fields).flatMap(([name, field]) => (field.secret ? [[camel(name)]] : [])),
);
