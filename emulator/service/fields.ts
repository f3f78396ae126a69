/** Checks what a client sends against the definitions; what they do not know is kept as it is. */
import {
  isRecord,
  issuesOf,
  pathText,
  type Field,
  type ResolvedResource,
} from "../../provider/contract";
import { invalid } from "../http/errors";
import type { WireRecord } from "../store/records";
import { wire } from "./inventory";

const given = (value: unknown): boolean => value !== undefined && value !== null;

/** The fields of a new object, under wire names. Null counts as absent. */
export function fieldsOfNew(resource: ResolvedResource, body: WireRecord): WireRecord {
  for (const [name, field] of Object.entries(resource.definition.fields)) {
    const key = wire(resource, name);
    if (field.use === "output" && given(body[key])) {
      throw invalid(key, "is decided by the service and can't be set");
    }
    if (field.use === "required" && !given(body[key])) throw invalid(key, "is required");
    if (given(body[key])) check(key, field, body[key]);
  }
  return withoutNull(body);
}

/**
 * A record after a change. PATCH merges (RFC 7396): objects member by member, null removes. PUT
 * puts the body in place of everything that the client decides.
 */
export function fieldsAfter(
  resource: ResolvedResource,
  record: WireRecord,
  body: WireRecord,
  method: "PATCH" | "PUT",
): WireRecord {
  const next = method === "PATCH" ? fieldsMerged(record, body) : replaced(resource, record, body);
  for (const [name, field] of Object.entries(resource.definition.fields)) {
    const key = wire(resource, name);
    const same = JSON.stringify(next[key]) === JSON.stringify(record[key]);
    if (same) continue;
    if (field.use === "output") throw invalid(key, "is decided by the service and can't be set");
    if (field.immutable) throw invalid(key, "can't be changed after creation");
    if (field.use === "required" && !given(next[key])) throw invalid(key, "is required");
    if (given(next[key])) check(key, field, next[key]);
  }
  return next;
}

/** Checks the shapes of fields that are given, outputs included, and asks for none. */
export function checkGiven(resource: ResolvedResource, record: WireRecord): void {
  for (const [name, field] of Object.entries(resource.definition.fields)) {
    const key = wire(resource, name);
    if (given(record[key])) check(key, field, record[key]);
  }
}

function check(key: string, field: Field, value: unknown): void {
  const read = field.schema.safeParse(value);
  if (!read.success) {
    const [issue] = issuesOf(read.error);
    throw invalid(pathText([key, ...(issue?.path ?? [])]), issue?.message ?? "is not valid");
  }
  if (field.key === undefined || !Array.isArray(value)) return;
  const seen = new Set<unknown>();
  value.forEach((element: unknown, index) => {
    const member = isRecord(element) ? element[field.key ?? ""] : undefined;
    if (seen.has(member)) throw invalid(pathText([key, index, field.key ?? ""]), "is given twice");
    seen.add(member);
  });
}

// Built from entries, so that a member named __proto__ stays a plain member.
const withoutNull = (body: WireRecord): WireRecord =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

/** RFC 7396: members of objects one by one; null removes. */
export function fieldsMerged(target: WireRecord, patch: WireRecord): WireRecord {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const old = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isRecord(value)) merged.set(key, fieldsMerged(isRecord(old) ? old : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

function replaced(resource: ResolvedResource, record: WireRecord, body: WireRecord): WireRecord {
  const kept = Object.entries(resource.definition.fields)
    .filter(([, field]) => field.use === "output" || field.immutable)
    .map(([name]) => wire(resource, name))
    .filter((key) => record[key] !== undefined)
    .map((key) => [key, record[key]] as const);
  return { ...Object.fromEntries(kept), ...withoutNull(body) };
}
