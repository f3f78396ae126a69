/** The record that a write or an item GET answered, read as far as it can be. */
import { decodeRecord, encodeBody, isOdd, isRecord, misfit, shapeOf } from "../../contract";
import type { ResolvedResource, ServiceRecord, Values } from "../../contract";
import { headerOf, type Answer, type Call } from "../chain/call";
import { message } from "../../messages";
import { redact } from "../redact";
import { incompleteError, invalidResponse } from "./service";

/** What was written, under wire names, and what was known of the object before. */
export interface Sent {
  readonly body: Values;
  readonly before: ServiceRecord | undefined;
}

/**
 * An id must never be lost: fields that do not fit are left out rather than the record, and an
 * answer without a body (202, 204) is read as what was known with what was written.
 * @throws ErpHostError `invalid_response` where no id is known, or the answer is about another
 * object. A read that is answered without an id was answered by somebody else.
 */
export function recordOf(
  resource: ResolvedResource,
  call: Call,
  answer: Answer,
  { body, before }: Sent,
): ServiceRecord {
  const read = decodeRecord(resource, answer.data);
  const { method, objectId } = call;
  if (objectId !== undefined && (read.id ?? (method === "GET" ? "" : objectId)) !== objectId) {
    throw incompleteError(call, answer, `the record of ${redact(objectId, [])}`);
  }
  if (!isOdd(read)) return read;
  const id = read.id ?? objectId ?? idOfLocation(resource, answer);
  if (id === undefined) {
    throw invalidResponse(call, answer, message("response_unreadable", { why: read.problem }));
  }
  const shown = before && encodeBody(resource, before.fields, before.properties);
  const known = isRecord(answer.data) ? answer.data : { ...shown, ...body };
  const salvaged = decodeRecord(resource, fitting(resource, { ...known, id }));
  if (isOdd(salvaged)) throw new Error("a record of fitting fields and an id is not odd");
  return salvaged;
}

/** Contract names of what a body sets. */
export const namesSetBy = ({ wireNames }: ResolvedResource, body: Values): string[] =>
  Object.keys(body).map((wire) => {
    // Nearly always the same name.
    if (wireNames[wire] === wire) return wire;
    return Object.keys(wireNames).find((name) => wireNames[name] === wire) ?? wire;
  });

function fitting(resource: ResolvedResource, answer: Values): Values {
  const kept: Record<string, unknown> = { ...answer };
  for (const [name, wire] of Object.entries(resource.wireNames)) {
    const { schema } = resource.definition.fields[name] ?? {};
    const value = kept[wire];
    if (value === undefined || value === null || !schema) continue;
    if (misfit(value, shapeOf(schema), wire) !== undefined) delete kept[wire];
  }
  return kept;
}

/** The last part of `Location`, where it lies below the list's path. */
function idOfLocation(resource: ResolvedResource, answer: Answer): string | undefined {
  const location = headerOf(answer.headers, "location");
  const match = /\/([^/?#]+)\/?(?:[?#].*)?$/.exec(location ?? "");
  if (!location?.includes(`${resource.path}/`) || match?.[1] === undefined) return undefined;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return undefined;
  }
}
