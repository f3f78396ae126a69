/** The provider block: what it takes, and how it becomes the engine's configuration. */
import type { InputIssue } from "../contract";
import type { OpenOptions } from "../engine";
import type { Attribute } from "./schema/model";
import { PROVIDER } from "./names";
import { memberOf, toPlain } from "./values/values";
import type { RawObject } from "./wire/msgpack";

type Given = OpenOptions["given"];

interface Setting extends Attribute {
  /** Name of the client's or the engine's own setting. */
  readonly setting: keyof Given;
}

const setting = (
  name: string,
  own: keyof Given,
  type: Attribute["type"],
  doc: string,
  more: Pick<Attribute, "sensitive" | "example"> = {},
): Setting => ({ name, setting: own, type, doc, mode: "optional", ...more });

const policies = ["warn", "error", "allow"] as const;

/** Arguments of `provider "erphost"`, all optional. */
export const settings: readonly Setting[] = [
  setting("api_key", "apiKey", "string", "API key. Else `ERPHOST_API_KEY`.", { sensitive: true }),
  setting(
    "base_url",
    "baseUrl",
    "string",
    "Address of the service, which ends in `/v1`. Else `ERPHOST_BASE_URL`.",
    { example: "https://erp.example/v1" },
  ),
  setting(
    "environment",
    "environment",
    "string",
    "`live` or `test`: a key of the other kind is refused before any call. Else `ERPHOST_ENVIRONMENT`.",
  ),
  setting(
    "profile",
    "profile",
    "string",
    "Contract profile, for a service that differs from what is assumed: JSON, or the path of a file. Else `ERPHOST_PROFILE`.",
  ),
  setting(
    "timeout",
    "timeoutMs",
    "string",
    "Time for one call, such as `60s`; default `30s`. Else `ERPHOST_TIMEOUT`.",
  ),
  setting(
    "limits",
    "limits",
    ["list", "string"],
    "Windows of the key's quota, such as `100/1m`. Default: learnt from the service.",
  ),
  setting(
    "share",
    "share",
    "number",
    "Part of the quota that this run may use, above 0, at most 1; default 1.",
  ),
  setting("concurrency", "concurrency", "number", "Calls at a time, 1 to 1,000; default 10."),
  setting(
    "same_name",
    "sameName",
    "string",
    "What to do on creation when an object of that name exists and no state here knows it: `warn` (default), `error` or `allow`. Else `ERPHOST_SAME_NAME`.",
  ),
  setting(
    "allow_mass_gone",
    "allowMassGone",
    "bool",
    "Accepts that many objects are gone at once; default false. Else `ERPHOST_ALLOW_MASS_GONE`.",
  ),
];

export interface ReadConfig {
  readonly given: Given;
  /** Arguments whose value is not known yet. */
  readonly unknown: readonly string[];
  readonly issues: readonly InputIssue[];
}

/** Reads a provider block. */
export function readConfig(raw: RawObject | null): ReadConfig {
  const given: Record<string, unknown> = {};
  const unknown: string[] = [];
  const issues: InputIssue[] = [];
  for (const { name, setting: own, type } of settings) {
    const value = toPlain(type, memberOf(raw, name));
    if (value === undefined || value === "") continue;
    if (holdsSymbol(value)) unknown.push(name);
    else given[own] = value;
  }
  const policy = given["sameName"];
  if (policy !== undefined && !policies.some((known) => known === policy)) {
    issues.push({ path: ["same_name"], message: `must be one of ${policies.join(", ")}` });
  }
  // Types are the schema's; what they mean is checked by the client and the engine.
  return { given, unknown, issues };
}

const holdsSymbol = (value: unknown): boolean =>
  typeof value === "symbol" || (Array.isArray(value) && value.some(holdsSymbol));

/** The argument behind a setting's own name, for messages. */
export const argumentOf = (own: string): string =>
  settings.find(({ setting: name }) => name === own)?.name ?? own;

/** How a person imports an object, in this face's words. */
export const importHint = (kind: { readonly name: string }, id: string): string =>
  `import { to = ${PROVIDER}_${kind.name}.NAME, id = "${id}" }`;
