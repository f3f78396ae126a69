/** `google.protobuf.Struct`: any JSON object as a message. */
import { decodeMessage, encodeMessage, message, type Message } from "./protobuf";

type Members = Readonly<Record<string, unknown>>;

interface Struct {
  readonly fields: Readonly<Record<string, Value>>;
}

interface List {
  readonly values: readonly Value[];
}

/** Has exactly one of them. */
interface Value {
  readonly nothing?: number;
  readonly number?: number;
  readonly text?: string;
  readonly boolean?: boolean;
  readonly struct?: Struct;
  readonly list?: List;
}

const struct: Message<Struct> = message<Struct>({ fields: [1, () => value, "map"] });
const list: Message<List> = message<List>({ values: [1, () => value, "list"] });
const value: Message<Value> = message<Value>({
  nothing: [1, "integer", "optional"],
  number: [2, "double", "optional"],
  text: [3, "string", "optional"],
  boolean: [4, "bool", "optional"],
  struct: [5, () => struct],
  list: [6, () => list],
});

/** No bytes are an empty Struct. @throws MalformedMessage */
export const decodeStruct = (bytes: Buffer): Record<string, unknown> =>
  membersOf(decodeMessage(struct, bytes));

function membersOf({ fields }: Struct): Record<string, unknown> {
  // Not by assignment: a member may be called __proto__.
  const members: [string, unknown][] = [];
  for (const [key, member] of Object.entries(fields)) members.push([key, plainOf(member)]);
  return Object.fromEntries(members);
}

const plainOf = ({ text, number, boolean, struct, list }: Value = {}): unknown =>
  text ?? number ?? boolean ?? (struct && membersOf(struct)) ?? list?.values.map(plainOf) ?? null;

/** Writes what JSON can hold; members that are undefined are left out. */
export const encodeStruct = (members: Members): Buffer => encodeMessage(struct, structOf(members));

function structOf(members: Members): Struct {
  const fields: [string, Value][] = [];
  for (const [key, member] of Object.entries(members)) {
    if (member !== undefined) fields.push([key, valueOf(member)]);
  }
  return { fields: Object.fromEntries(fields) };
}

function valueOf(plain: unknown): Value {
  if (typeof plain === "string") return { text: plain };
  if (typeof plain === "number") return { number: plain };
  if (typeof plain === "boolean") return { boolean: plain };
  if (Array.isArray(plain)) return { list: { values: Array.from(plain, valueOf) } };
  if (typeof plain === "object" && plain !== null) return { struct: structOf(plain as Members) };
  return { nothing: 0 };
}
