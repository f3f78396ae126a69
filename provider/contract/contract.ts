/** The contract as one value: the definitions, with a profile's changes applied. */
import { createHash } from "node:crypto";
import { resources, type ResourceName } from "./all.gen";
import type { OperationName, Resource, Source, States } from "./definition/define";
import { InvalidInput, issueAt, type InputIssue } from "./input/invalid-input";
import { parse } from "./input/parse";
import { profileSchema, type Profile } from "./profile/profile";
import { canonicalJson, isRecord } from "./definition/values";

/** A resource as this service offers it. */
export interface ResolvedResource {
  readonly definition: Resource;
  readonly path: string;
  /** Holds `{id}`. */
  readonly itemPath: string;
  /** Where each operation comes from; absent: not offered. */
  readonly operations: Readonly<Partial<Record<OperationName | "get", Source | "profile">>>;
  readonly updateMethod: "PATCH" | "PUT";
  /** Contract name → wire name, for every field. */
  readonly wireNames: Readonly<Record<string, string>>;
  readonly states: States | undefined;
}

/** Everything the client, the engine and the emulator need to know of the service. */
export interface Contract {
  /** Hash of the profile; `none` without one. State keeps it. */
  readonly hash: string;
  readonly profile: Profile | undefined;
  readonly resources: Readonly<Record<ResourceName, ResolvedResource>>;
  readonly authTestPath: string;
  /** Holds `{id}`. */
  readonly rotatePath: string;
  readonly idempotencyWindowMs: number;
  readonly settleWindowMs: number;
  readonly unset: "omit" | "null";
}

/** Applies a profile; an unreadable one is refused. @throws InvalidInput that names the remedy */
export function resolveContract(profile?: unknown): Contract {
  if (profile === undefined) return plain;
  const parsed = parse(profileSchema, profile);
  const skipped = skippedMembers(profile);
  if (!parsed.success || skipped.length > 0) {
    const issues = [...(parsed.success ? [] : parsed.issues), ...skipped];
    throw new InvalidInput(
      "profile",
      issues.map(({ path, ...why }) => issueAt(path, "invalid_profile", { why })),
    );
  }
  return build(parsed.data);
}

/** Deeper than any member of a profile. */
const DEPTH_MAX = 8;

/** Members named `__proto__`, which zod skips without a word. */
function skippedMembers(value: unknown, path: readonly string[] = []): InputIssue[] {
  if (!isRecord(value) || path.length > DEPTH_MAX) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "__proto__"
      ? [issueAt([...path, key], "unknown_member", {})]
      : skippedMembers(inner, [...path, key]),
  );
}

function build(profile: Profile | undefined): Contract {
  const resolved = Object.fromEntries(
    Object.values(resources).map((definition) => [definition.name, apply(definition, profile)]),
  );
  return {
    hash: profile === undefined ? "none" : hashOf(profile),
    profile,
    // Built from the very table that ResourceName is derived from.
    resources: resolved as Record<ResourceName, ResolvedResource>,
    authTestPath: profile?.authTestPath ?? "/auth/test",
    rotatePath:
      profile?.rotatePath ?? `${profile?.resources?.["api_key"]?.path ?? "/api-keys"}/{id}/rotate`,
    idempotencyWindowMs: (profile?.idempotency?.windowHours ?? 24) * 3_600_000,
    settleWindowMs: profile?.settleWindowMs ?? 10_000,
    unset: profile?.unset ?? "omit",
  };
}

function apply(definition: Resource, profile: Profile | undefined): ResolvedResource {
  const given = profile?.resources?.[definition.name];
  const path = given?.path ?? definition.path;
  const operations: ResolvedResource["operations"] = {
    ...definition.operations,
    ...Object.fromEntries(
      Object.entries(given?.operations ?? {})
        .filter(([, on]) => on !== undefined)
        .map(([name, on]) => [name, on ? "profile" : undefined]),
    ),
  };
  return {
    definition,
    path,
    itemPath: given?.itemPath ?? `${path}/{id}`,
    operations,
    updateMethod: given?.updateMethod ?? "PATCH",
    wireNames: Object.fromEntries(
      Object.keys(definition.fields).map((name) => [name, given?.fields?.[name] ?? name]),
    ),
    states: definition.states && statesOf(definition.states, given?.states),
  };
}

const statesOf = (
  states: States,
  given: { [K in "initial" | "ready" | "failed"]?: unknown } = {},
): States => ({
  ...states,
  ...Object.fromEntries(Object.entries(given).filter(([, v]) => v !== undefined)),
});

const hashOf = (value: unknown): string =>
  createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 16);

const plain = build(undefined);
