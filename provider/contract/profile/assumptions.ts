/**
 * What the contract leaves open and what is assumed instead, for `docs/reference/contract.md`. Assumptions
 * about single fields, operations, scopes and codes are marked where those are defined; this list
 * holds the rest. Where code depends on one, a comment names its topic: `Assumption: Webhooks.`
 * `profile` names the setting that overrides one.
 */
export interface Assumption {
  readonly topic: string;
  readonly assumed: string;
  readonly profile?: string;
}

/** By topic; as text where no profile changes it. */
const ASSUMED: Readonly<Record<string, string | Omit<Assumption, "topic">>> = {
  "Item path": {
    assumed: "`{list path}/{id}`; ids are opaque strings in the field `id`.",
    profile: "resources.KIND.itemPath",
  },
  "Uniqueness of ids":
    "No two objects of a kind have one id at one address, whichever account they are in.",
  "Item GET": {
    assumed: "There is none; reads go through lists.",
    profile: "resources.KIND.operations.get",
  },
  "Fields beyond those shown": {
    assumed: "Records are open: unknown fields are kept and never rejected.",
    profile: "resources.KIND.fields",
  },
  "Delete of backups and teams": {
    assumed: "Not offered: the object is retained, with a warning.",
    profile: "resources.KIND.operations.delete",
  },
  States: {
    assumed:
      "Open strings. Only `running` is documented; waiting means until a ready state, a failed state or the timeout. An object of which a list says none counts as ready.",
    profile: "resources.KIND.states",
  },
  "API keys by API": {
    assumed: "`POST`, `GET`, `PATCH` and `DELETE` on `/api-keys`; only rotation is documented.",
    profile: "resources.api_key.operations",
  },
  "Rotation by the service":
    "Every `rotation_period`, where `auto_rotate` or `rotation_enabled` is true; a key without a period is not rotated. A mail to `notification_email` holds the new secret, which nobody else is shown.",
  "What a new key may be allowed":
    "Anything: a key with `api-keys:write` may create one with `admin`.",
  "Locking oneself out":
    "A key cannot delete itself, nor take from itself the right to change keys or the address that it is used from: 409 `conflict`. Another key can.",
  "Expiry in the past":
    "A key cannot be created with, or changed to, an `expires_at` that is past: 422.",
  "Idempotency: scope and window": {
    assumed:
      "The account; method, path and key are the unit; kept for 24 hours; a 2xx is replayed with the header `Idempotent-Replayed: true`; 401, 403, 422 and 429 are not stored.",
    profile: "idempotency.windowHours",
  },
  "Idempotency: misuse":
    "Same key, other body: 422 `idempotency_conflict`. First still running: 409 `idempotency_in_flight` with `retry_after`. Replay under another key of the account: 409 `idempotency_foreign`.",
  "Length of an idempotency key": "1 to 255 characters.",
  "Which of two authentication codes":
    "Form B with the specific code; the client understands both.",
  "`X-RateLimit-Reset`":
    "Unix seconds; Unix milliseconds, a delta in seconds and an ISO timestamp are understood as well.",
  "Rate windows":
    "Fixed windows. Plan and key limits hold together, the stricter per window; headers describe the one nearest to its end of quota.",
  "Keys without limits": "No rate headers and no `rate_limit`; `X-Auth-Rate-Limit` is `unlimited`.",
  "Words of the debug headers": "`X-Auth-IP-Check` is `passed` or `failed`.",
  Levels:
    "`read`, `write`, `delete` and `admin` may be given as permissions and stand for the scopes of their action; only `admin` includes billing.",
  "Scope of a rotation": "That of changing a key, `api-keys:write`.",
  "Grace period":
    "24 hours where a key sets none; a rotation never extends the life of the old key, which can be rotated once.",
  "Empty list of addresses": "An unset or empty `ip_whitelist` allows every address.",
  "Families of addresses": "An IPv6 range such as `::/0` holds no IPv4 address.",
  Webhooks:
    "Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`; a `whsec_` secret; at least once, with growing waits that a `Retry-After` prolongs; for 24 hours after a change of the secret the old one signs as well. Null in `data` means absent, and an event that is not listed is passed on as unknown.",
  "Payloads of events":
    "Like that of `instance.deployed`, which is the one shown: the id under the name of its kind, the ids that it refers to, and `status`.",
  "Envelopes of `/auth/test` and rotate": "Enveloped; bare answers are understood.",
  "Name of the account":
    "`/auth/test` shows none. Where its answer has an `account_id`, that tells the accounts of one address apart.",
  "Statuses of success":
    "Create 201, update and rotate 200, delete 200 with the id; 202 and 204 are accepted. What another success has deleted is read from lists.",
  Errors: "Carry `meta`; a 429 has `error.retry_after` and a `Retry-After` header.",
  "Deleting what others use": "Deleting a server that has instances: 409 `conflict`.",
  "Unknown references": "An unknown `server_id` or `instance_id`: 422.",
  "Target of a backup":
    "Exactly one of `instance_id` and `server_id`. The contract shows no member of the body: a `POST /backups` with `{}` is refused with 422.",
  "Lengths of names": "1 to 255 characters; other texts are not limited.",
  "Size and depth of a body":
    "At most 1 MiB (else 413) and 64 levels of lists and objects (else 422).",
  "Methods that a path does not have": "405 `method_not_allowed` with the header `Allow`.",
  "Merging of a PATCH":
    "RFC 7396: objects are merged member by member, lists are replaced, null removes.",
  "Bounds of lists":
    "A `page` or `per_page` out of bounds is a 422 and never adjusted; the last page that can be asked for is 999999999.",
  "Unknown parameters": "Query parameters that a list does not have are ignored.",
  "Sort fields": "Every listed field that is not a secret; any other is a 422.",
  "Ties in a sort": "Equal values keep the order of insertion.",
  "Date filters": "Exclusive; a bare date means 00:00Z.",
  "Key prefix and characters":
    "Any prefix of letters, digits, `-` and `_`; the first `_live_` or `_test_` splits the key; what follows may hold any printable character; no checksum is checked.",
  "Values set to null": {
    assumed: "A key of `properties` that is no longer set is left alone, not nulled.",
    profile: "unset",
  },
  "Reading your own writes": {
    assumed: "A list may take 10 seconds to show a write.",
    profile: "settleWindowMs",
  },
  "Update method": { assumed: "`PATCH`, as documented.", profile: "resources.KIND.updateMethod" },
};

export const assumptions: readonly Assumption[] = Object.entries(ASSUMED).map(([topic, said]) => ({
  topic,
  ...(typeof said === "string" ? { assumed: said } : said),
}));
