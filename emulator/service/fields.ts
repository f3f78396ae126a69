/** Checks what a client sends against the definitions; fields that they lack are kept as sent. */
import { fieldsMerged, isRecord, parse } from "../../provider/contract";
import type { Field, ResolvedResource } from "../../provider/contract";
import { pathText, plainVoice, say } from "../../provider/messages";
import { invalid } from "../http/errors";
import type { WireRecord } from "../store/records";
import { fieldsOf, wire } from "./inventory";
import type { Service } from "./service";

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The fields of a new object, under wire names. Null counts as absent. */
export function fieldsOfNew(resource: ResolvedResource, body: WireRecord): WireRecord {
  for (const [key, { use }] of fieldsOf(resource)) {
    if (use === "output" && isPresent(body[key])) throw invalid(key, "is set by the service");
  }
  checkRecord(resource, body);
  return withoutNull(body);
}

/** Assumption: Target of a backup. */
function checkChoice(resource: ResolvedResource, body: WireRecord): void {
  const [first, ...others] = (resource.definition.exactlyOne ?? []).map((name) =>
    wire(resource, name),
  );
  if (first === undefined) return;
  const [given, another] = [first, ...others].filter((key) => isPresent(body[key]));
  if (given === undefined) throw invalid(first, `is required unless ${others.join(" or ")} is set`);
  if (another !== undefined) throw invalid(another, `cannot be set together with ${given}`);
}

/**
 * A record after a change. PATCH merges (RFC 7396): objects member by member, null removes. PUT
 * replaces everything that the client sets.
 */
export function fieldsAfter(
  resource: ResolvedResource,
  record: WireRecord,
  body: WireRecord,
  method: "PATCH" | "PUT",
): WireRecord {
  const next = method === "PATCH" ? fieldsMerged(record, body) : replaced(resource, record, body);
  for (const [key, { use, immutable }] of fieldsOf(resource)) {
    if (isSame(next[key], record[key])) continue;
    if (use === "output") throw invalid(key, "is set by the service");
    if (immutable) throw invalid(key, "cannot be changed after creation");
  }
  checkRecord(resource, next, record);
  return next;
}

/**
 * Checks a whole record, outputs included. Of a changed record only what differs from the one
 * `before` is checked: what was odd on purpose may stay.
 */
export function checkRecord(
  resource: ResolvedResource,
  record: WireRecord,
  before: WireRecord = {},
): void {
  const isNew = !("id" in before);
  for (const [key, field] of fieldsOf(resource)) {
    if (isPresent(record[key])) {
      if (!isSame(record[key], before[key])) checkField(key, field, record[key]);
    } else if (field.use === "required" && (isNew || isPresent(before[key]))) {
      throw invalid(key, "is required");
    }
  }
  if (isNew) checkChoice(resource, record);
}

export function checkField(key: string, field: Field, value: unknown): void {
  const read = parse(field.schema, value);
  if (!read.success) {
    const [issue] = read.issues;
    const reason = issue === undefined ? "is not valid" : say(plainVoice, issue).reason;
    throw invalid(pathText([key, ...(issue?.path ?? [])]), reason);
  }
  if (field.key === undefined || !Array.isArray(value)) return;
  const seen = new Set<unknown>();
  value.forEach((element: unknown, index) => {
    const member = isRecord(element) ? element[field.key ?? ""] : undefined;
    if (seen.has(member)) throw invalid(pathText([key, index, field.key ?? ""]), "is a duplicate");
    seen.add(member);
  });
}

/** Of a changed record, as above, only what differs. Assumption: Unknown references. */
export function checkReferences(
  { objects }: Pick<Service, "objects">,
  resource: ResolvedResource,
  record: WireRecord,
  before: WireRecord = {},
): void {
  for (const [key, { references }] of fieldsOf(resource)) {
    const id = record[key];
    if (references === undefined || typeof id !== "string" || id === before[key]) continue;
    if (!objects.get(references, id)) {
      throw invalid(key, `refers to ${references} ${id}, which does not exist`);
    }
  }
}

// Built from entries, so that a member named __proto__ stays an ordinary member.
const withoutNull = (body: WireRecord): WireRecord =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

function replaced(resource: ResolvedResource, record: WireRecord, body: WireRecord): WireRecord {
  const kept = fieldsOf(resource)
    .filter(
      ([key, { use, immutable }]) => record[key] !== undefined && (use === "output" || immutable),
    )
    .map(([key]) => [key, record[key]] as const);
  return { ...Object.fromEntries(kept), ...withoutNull(body) };
}
