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
  const contract = parsed.success ? build(parsed.data) : undefined;
  const issues = [
    ...(parsed.success ? [] : parsed.issues),
    ...(contract ? misfitsOf(contract) : []),
    ...skippedMembers(profile),
  ];
  if (contract && issues.length === 0) return contract;
  throw new InvalidInput(
    "profile",
    issues.map(({ path, ...why }) => issueAt(path, "invalid_profile", { why })),
  );
}

/** What no service could do, though each member by itself is as it must be. */
function misfitsOf({ resources: all, authTestPath, profile }: Contract): InputIssue[] {
  const isGiven = (place: string): boolean =>
    place
      .split(".")
      .reduce<unknown>((of, name) => (isRecord(of) ? of[name] : undefined), profile) !== undefined;
  const kinds = Object.entries(all);
  // What has an id may be one of any kind, where ids are unique.
  const addresses = Object.entries({
    ...Object.fromEntries(kinds.map(([kind, { path }]) => [`resources.${kind}.path`, path])),
    authTestPath,
  });
  const misfits = [
    ...addresses.map(([place, address]) => {
      const [other = ""] = addresses.find(([at, each]) => at !== place && each === address) ?? [];
      return [place, other !== "" && isGiven(place) && `must not be that of ${other}`] as const;
    }),
    ...kinds.flatMap(([kind, { definition, states, wireNames }]) => {
      const { fields } = definition;
      const isSecret = (name: string): boolean => fields[name]?.secret === true;
      const isSwapped = Object.entries(wireNames).some(
        ([name, wire]) => name !== wire && wire in fields && (isSecret(name) || isSecret(wire)),
      );
      const place = `resources.${kind}.states`;
      const both = states?.ready.find((state) => states.failed.includes(state)) ?? "";
      return [
        [
          `resources.${kind}.fields`,
          isSwapped && "must neither give a secret the name of another field nor its own away",
        ],
        [place, !states && isGiven(place) && "must be left out, since there are none of this kind"],
        [place, both !== "" && `must not have ${both} as ready and as failed`],
        [
          place,
          states?.failed.includes(states.initial) &&
            `must not begin with ${states.initial}, which is failed`,
        ],
      ] as const;
    }),
  ];
  return misfits.flatMap(([place, expected]) =>
    expected ? [issueAt(place.split("."), "wrong_form", { expected })] : [],
  );
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
