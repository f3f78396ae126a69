/**
 * Between Terraform's values and the engine's plain ones. Raw values are kept wherever they mean the
 * same: Terraform demands back exactly what it planned, to the last digit and type.
 */
import { canonicalJson, composed, isExact, type Values } from "../../contract";
import { hasUnknown, UNKNOWN } from "../../resources";
import { inferType, parseType, typeJson, type Type } from "../schema/types";
import { isRawObject, type Raw, type RawObject } from "../wire/msgpack";
import { MalformedMessage } from "../../grpc";

/** Null and absent are the same here, but in a list; unknown is `UNKNOWN`. */
export const toPlain = (type: Type, raw: Raw | undefined): unknown => plain(type, raw ?? null);

/** @param none what null is: inside a dynamic value it is a value */
function plain(type: Type, raw: Raw, none?: null): unknown {
  if (raw === null) return none;
  if (raw === UNKNOWN) return UNKNOWN;
  if (type === "dynamic") return dynamicPlain(raw) ?? none;
  if (typeof type === "string") return scalar(type, raw);
  if (type[0] === "map" || type[0] === "object") {
    if (!isRawObject(raw)) throw wrong(type[0]);
    const members = Object.entries(raw).map(
      ([name, member]) => [name, plain(typeAt(type, name), member, none)] as const,
    );
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }
  if (!Array.isArray(raw)) throw wrong(type[0]);
  return raw.map((element: Raw, index) => plain(typeAt(type, index), element, none) ?? null);
}

/** The type of a member or an element: an object has one for each name, a tuple for each place. */
function typeAt(type: Exclude<Type, string>, at: string | number): Type {
  if (type[0] === "tuple") return type[1][Number(at)] ?? "dynamic";
  if (type[0] !== "object") return type[1];
  const member = type[1][at];
  if (member !== undefined) return member;
  throw new MalformedMessage(`the object has a member ${at} that its type does not have`);
}

const wrong = (expected: string): MalformedMessage =>
  new MalformedMessage(`a value is not of type ${expected}, which the schema requires`);

function scalar(type: "string" | "number" | "bool", raw: Raw): unknown {
  if (type === "number") {
    const number = Number(raw);
    const isNumeric = ["number", "bigint", "string"].includes(typeof raw) && raw !== "";
    if (!isNumeric || Number.isNaN(number)) throw wrong(type);
    return number;
  }
  const matches = type === "bool" ? typeof raw === "boolean" : typeof raw === "string";
  if (!matches) throw wrong(type);
  return raw;
}

function dynamicPlain(raw: Raw): unknown {
  if (!Array.isArray(raw) || raw.length !== 2) throw wrong("dynamic");
  const [typeBytes, value] = raw as readonly Raw[];
  if (!Buffer.isBuffer(typeBytes) && typeof typeBytes !== "string") throw wrong("dynamic");
  return plain(typeFrom(typeBytes.toString()), value ?? null, null);
}

function typeFrom(json: string): Type {
  try {
    return parseType(json);
  } catch {
    throw wrong("dynamic");
  }
}

/** Engines keep names and texts composed, and look for a name of any other form in vain. */
export const fromPlain = (type: Type, value: unknown): Raw => rawOf(type, composed(value));

function rawOf(type: Type, value: unknown): Raw {
  if (value === undefined || value === null) return null;
  if (value === UNKNOWN) return UNKNOWN;
  if (type === "dynamic") {
    const own = inferType(value);
    return [typeJson(own), rawOf(own, value)];
  }
  if (typeof type === "string") {
    if (type === "string" && typeof value !== "string") return JSON.stringify(value);
    return value as Raw; // The contract checked it when it was read.
  }
  if (Array.isArray(value)) {
    return value.map((element: unknown, index) => rawOf(typeAt(type, index), element));
  }
  const members = value as Values;
  const names = type[0] === "object" ? Object.keys(type[1]) : Object.keys(members);
  return Object.fromEntries(names.map((name) => [name, rawOf(typeAt(type, name), members[name])]));
}

/** The hint where it means the same value, and otherwise the value itself. */
export function fromPlainLike(type: Type, value: unknown, hint: Raw | undefined): Raw {
  if (hint === undefined || hint === null) return fromPlain(type, value);
  if (typeof value === "string" && value === hint) return hint;
  const meant = toPlain(type, hint);
  return samePlain(type, meant, composed(value)) ? hint : fromPlain(type, value);
}

/** Whether two plain values of this type are equal; an unknown value equals nothing. */
export function samePlain(type: Type, a: unknown, b: unknown): boolean {
  if (hasUnknown(a) || hasUnknown(b)) return false;
  return canonicalJson(ordered(type, a) ?? null) === canonicalJson(ordered(type, b) ?? null);
}

/** Sets sorted and null members left out, so that equal values have equal text. */
function ordered(type: Type, value: unknown): unknown {
  if (typeof type === "string" || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const elements = value.map((element: unknown, index) => ordered(typeAt(type, index), element));
    if (type[0] !== "set") return elements;
    return elements
      .map((element) => ({ element, text: canonicalJson(element) }))
      .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
      .map(({ element }) => element);
  }
  return Object.fromEntries(
    Object.entries(value as Values)
      .filter(([, member]) => member !== undefined && member !== null)
      .map(([name, member]) => [
        name,
        ordered(type[0] === "object" ? (type[1][name] ?? "dynamic") : typeAt(type, name), member),
      ]),
  );
}

/** The first number that JSON cannot carry exactly, because it has too many digits or is too large. */
export function inexactNumber(type: Type, raw: Raw | undefined): string | undefined {
  if (raw === undefined || raw === null || raw === UNKNOWN) return undefined;
  if (type === "number") {
    return typeof raw === "object" || isCarried(raw) ? undefined : String(raw);
  }
  if (type === "dynamic") {
    const [typeBytes, value] = Array.isArray(raw) ? (raw as readonly Raw[]) : [];
    const isTyped = Buffer.isBuffer(typeBytes) || typeof typeBytes === "string";
    return isTyped ? inexactNumber(typeFrom(typeBytes.toString()), value) : undefined;
  }
  if (typeof type === "string") return undefined;
  const inner = Array.isArray(raw) || isRawObject(raw) ? Object.entries<Raw>(raw) : [];
  for (const [at, each] of inner) {
    const found = inexactNumber(typeAt(type, at), each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Numbers that a double cannot hold come as text, or as a large integer. */
function isCarried(raw: Raw): boolean {
  const text = typeof raw === "bigint" ? String(raw) : raw;
  return (
    typeof text !== "string" || (/^-?\d+$/.test(text) ? isExact(text) : isFinite(Number(text)))
  );
}

/** A member of a raw object. Absent counts as null, and so does a null that carries a type. */
export const memberOf = (raw: RawObject | null, name: string): Raw => {
  const member = raw?.[name] ?? null;
  // Bytes are in no other list: they are the type of a dynamic value.
  const [type, value] = Array.isArray(member) ? (member as readonly Raw[]) : [];
  return Buffer.isBuffer(type) && value === null ? null : member;
};

/** A member that is null, with its type if it has one; undefined where it is a value. */
export const nullOf = (raw: RawObject | null, name: string): Raw | undefined =>
  raw === null || memberOf(raw, name) !== null ? undefined : (raw[name] ?? null);
