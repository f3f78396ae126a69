/** The parts of the contract that hold for all resources. */
import { z } from "zod";
import { authTestSchema, debugHeaders, environments } from "../../../provider/contract";
import { envelopeSchema, errorCodes, eventSchema, events } from "../../../provider/contract";
import { expandScopes, keyClasses, levels, listParameters } from "../../../provider/contract";
import { plans, rateHeaders, RETRY_AFTER_SHOWN_S } from "../../../provider/contract";
import { rotationSchema, scopes, wildcards } from "../../../provider/contract";
import type { ErrorFacts, LimitWindow } from "../../../provider/contract";
import { bullets, code, fenced, listed, page, table } from "../markdown";
import { jsonSchema, typeText } from "../types";

/** Members of an object schema, a row each: name, whether it is always present, type. */
function members(schema: z.ZodType): string[][] {
  const json = jsonSchema(schema);
  return Object.entries(schema instanceof z.ZodObject ? schema.shape : {}).map(([name, member]) => [
    code(name),
    json.required?.includes(name) === true ? "always" : "optional",
    // A ZodObject's shape holds zod types; the library's own type says less.
    typeText(member as z.ZodType),
  ]);
}

/** What the contract says of the service as a whole. */
export const serviceSection = (): string =>
  page(
    "## The service",
    bullets([
      "The version is in the path of the base address; the current one is `v1`. Deprecated versions are announced at least 6 months ahead (documented).",
      "Clients send an API key as a bearer token. OAuth 2.0 for third-party applications is announced and not yet available (documented).",
      "Official client libraries exist for several languages. They are wrappers: the interface is what is on the wire, and erphost uses nothing else (documented).",
    ]),
  ).trimEnd();

/** What holds for every call, and those of the key in use: its test, and a rotation. */
export const callSections = (): string[] => [
  "## Calls",
  "The base address ends in `/v1`; all paths are relative to it. Every request carries `Authorization: Bearer <API key>` and `Content-Type: application/json`. A `POST` may carry an `Idempotency-Key`, a string chosen by the client, which makes a retry safe.",
  "### Envelope",
  "A successful response is an object with these members. Unknown members are kept.",
  table(["Member", "Present", "Type"], members(envelopeSchema)),
  "### Lists",
  "Every list takes these parameters and the filters of its resource, in any combination.",
  table(
    ["Parameter", "Type", "Default", "Source", "Meaning"],
    Object.entries(listParameters).map(([name, parameter]) => [
      code(name),
      typeText(parameter.schema),
      code(String(parameter.default)),
      parameter.source,
      parameter.doc,
    ]),
  ),
  "### Testing a key",
  "`GET /auth/test` (documented) describes the key in use:",
  table(["Member", "Present", "Type"], members(authTestSchema)),
  "With the header `X-Debug-Auth: true`, every response also carries these headers (documented):",
  table(
    ["Header", "Meaning"],
    Object.entries(debugHeaders).map(([name, meaning]) => [code(name), meaning]),
  ),
  "### Rotating a key",
  "`POST /api-keys/{id}/rotate` (documented) needs no body. The old key works until its `expires_at`.",
  table(["Member", "Present", "Type"], members(rotationSchema)),
];

export const keySection = (): string =>
  page(
    "## Keys and scopes",
    `A key has the form \`<prefix>_<environment>_<unique identifier>\` (documented); the environment is ${listed(environments.map(code), "or")}. It is shown once, on creation or rotation.`,
    table(
      ["Scope", "Source", "Allows"],
      scopes.map(({ name, source, allows }) => [code(name), source, allows]),
    ),
    "A wildcard grants all scopes of its resource:",
    table(
      ["Wildcard", "Source", "Grants"],
      wildcards.map(({ name, source }) => [code(name), source, scopesOf(name)]),
    ),
    "The coarser description has four levels. That a key may be given one as a permission, and which scopes it then has, is assumed:",
    table(
      ["Level", "Source", "Meaning", "Grants (assumed)"],
      Object.entries(levels).map(([name, { source, doc }]) => [
        code(name),
        source,
        doc,
        scopesOf(name),
      ]),
    ),
  ).trimEnd();

const scopesOf = (permission: string): string =>
  [...expandScopes([permission])]
    .filter((name) => name !== permission)
    .map(code)
    .join(", ");

const extraOf = ({ extra }: ErrorFacts): string => {
  if (!extra) return "";
  return Object.entries(extra.shape)
    .map(([name, member]) => `${code(name)}: ${typeText(member as z.ZodType)}`)
    .join("; ");
};

/** An error of each form, as it is on the wire. */
function samples(): string[] {
  const meta = { timestamp: "2026-01-31T12:00:00Z", request_id: "req_1" };
  const { condition: invalid } = errorCodes.validation_error;
  const details = { field: "name", reason: "is required" };
  const { condition: lacking, status } = errorCodes.insufficient_permissions;
  const scopes = { required: ["servers:write"], provided: ["servers:read"] };
  return [
    { success: false, error: { code: "validation_error", message: invalid, details }, meta },
    { error: { code: "insufficient_permissions", message: lacking, status, ...scopes }, meta },
  ].map((error) => fenced("json", JSON.stringify(error, null, 2)));
}

export const errorSection = (): string =>
  page(
    "## Errors",
    "Form A is the general one; form B is used for authentication, with `status` and further members inside `error`. Codes are open: a code that is not listed here is passed on unchanged.",
    table(
      ["Code", "HTTP", "Form", "Source", "When", "Further members of `error`"],
      Object.entries<ErrorFacts>(errorCodes).map(([name, entry]) => [
        code(name),
        String(entry.status),
        entry.form.toUpperCase(),
        entry.source,
        entry.condition,
        extraOf(entry),
      ]),
    ),
    "An error of form A, and one of form B:",
    ...samples(),
  ).trimEnd();

const units: readonly (readonly [number, string])[] = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
];
const windowText = ({ requests, windowMs }: LimitWindow): string => {
  const unit = units.find(([ms]) => ms === windowMs)?.[1] ?? `${windowMs} ms`;
  return `${requests.toLocaleString("en")} per ${unit}`;
};
const windows = (all: readonly LimitWindow[]): string =>
  all.length === 0 ? "none" : all.map(windowText).join(", ");

const limitTable = (what: string, classes: typeof plans | typeof keyClasses): string =>
  table(
    [what, "Source", "Limits"],
    Object.entries(classes).map(
      ([name, limit]: [string, { source: string; windows: readonly LimitWindow[] }]) => [
        code(name),
        limit.source,
        windows(limit.windows),
      ],
    ),
  );

export const limitSection = (): string =>
  page(
    "## Limits",
    limitTable("Plan", plans),
    limitTable("Key type", keyClasses),
    `Responses carry ${listed(Object.values(rateHeaders).map(code))}. Over the limit the response is 429 with \`retry_after\`, in seconds; without it, ${RETRY_AFTER_SHOWN_S} is assumed.`,
  ).trimEnd();

export const eventSection = (): string =>
  page(
    "## Events",
    "The service sends these as webhook notifications:",
    table(
      ["Event", "Source", "Meaning"],
      Object.entries(events).map(([name, { source, doc }]) => [code(name), source, doc]),
    ),
    "The payload:",
    table(["Member", "Present", "Type"], members(eventSchema)),
    bullets(["The contents of `data` are documented for `instance.deployed` only."]),
  ).trimEnd();
