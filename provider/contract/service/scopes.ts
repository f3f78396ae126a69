/** Permission scopes (contract, part 5). Data, and the questions one asks of it. */
import * as z from "zod";
import type { OperationName, Resource, Source } from "../definition/define";

interface ScopeDefinition {
  readonly name: string;
  readonly source: Source;
  readonly allows: string;
}

export const scopes = [
  { name: "servers:read", source: "documented", allows: "GET on servers" },
  { name: "servers:write", source: "documented", allows: "POST, PATCH on servers" },
  { name: "servers:delete", source: "documented", allows: "DELETE on servers" },
  { name: "instances:read", source: "documented", allows: "GET on instances" },
  { name: "instances:write", source: "documented", allows: "POST, PATCH on instances" },
  { name: "instances:delete", source: "documented", allows: "DELETE on instances" },
  { name: "backups:read", source: "documented", allows: "GET on backups" },
  { name: "backups:write", source: "documented", allows: "POST on backups" },
  {
    name: "backups:delete",
    source: "assumed",
    allows: "DELETE on backups, where a profile has it",
  },
  { name: "teams:read", source: "documented", allows: "GET on teams" },
  { name: "teams:write", source: "documented", allows: "POST, PATCH on teams" },
  { name: "teams:delete", source: "assumed", allows: "DELETE on teams, where a profile has it" },
  { name: "billing:read", source: "documented", allows: "GET on invoices" },
  { name: "providers:read", source: "assumed", allows: "GET on cloud provider connections" },
  { name: "api-keys:read", source: "assumed", allows: "GET on API keys" },
  { name: "api-keys:write", source: "assumed", allows: "POST, PATCH on API keys, and rotation" },
  { name: "api-keys:delete", source: "assumed", allows: "DELETE on API keys" },
] as const satisfies readonly ScopeDefinition[];

/** A scope, which is neither a wildcard nor a level. */
export type Scope = (typeof scopes)[number]["name"];

const ACTIONS = { list: "read", create: "write", update: "write", delete: "delete" } as const;

type AreaOf<S> = S extends `${infer Area}:${string}` ? Area : never;

/** What operations on an area need of the list above; all four where none is named. */
export function scopesOf(
  area: AreaOf<Scope>,
  operations: readonly OperationName[] = ["list", "create", "update", "delete"],
): Resource["scopes"] {
  const needed = operations.flatMap((operation) =>
    scopes
      .filter(({ name }) => name === `${area}:${ACTIONS[operation]}`)
      .map(({ name: scope, source }) => [operation, { scope, source }] as const),
  );
  return Object.fromEntries(needed);
}

/** Wildcards grant all scopes of one resource. Shown for four; assumed for the rest. */
export const wildcards = [
  { name: "servers:*", source: "documented" },
  { name: "instances:*", source: "documented" },
  { name: "backups:*", source: "documented" },
  { name: "teams:*", source: "documented" },
  { name: "billing:*", source: "assumed" },
  { name: "providers:*", source: "assumed" },
  { name: "api-keys:*", source: "assumed" },
] as const satisfies readonly { name: string; source: Source }[];

/**
 * The coarser description's four levels (contract, part 5, item 7). Documented is what they mean,
 * and not which scopes each stands for. Assumption: Levels.
 */
export const levels = {
  read: { source: "documented", doc: "View." },
  write: { source: "documented", doc: "Create and update." },
  delete: { source: "documented", doc: "Remove." },
  admin: { source: "documented", doc: "Everything, including billing." },
} as const;

export type LevelName = keyof typeof levels;

/** What a key may be given. */
export type Permission = Scope | (typeof wildcards)[number]["name"] | LevelName;

const known = new Set<string>([
  ...scopes.map((scope) => scope.name),
  ...wildcards.map((wildcard) => wildcard.name),
  ...Object.keys(levels),
]);

export const isScope = (name: string): boolean => known.has(name);

/** The names a person may have meant, for messages. */
export const scopeNames: readonly string[] = [...known];

/** A scope, a wildcard or a level. Another string is refused with the list. */
export const scopeNameSchema = z
  .string()
  .refine(isScope, {
    error: (issue) =>
      `is not a scope: ${JSON.stringify(issue.input)}. Use one of ${scopeNames.join(", ")}`,
  });

/** All plain scopes that a key with these permissions has. */
export function expandScopes(permissions: readonly string[]): Set<string> {
  const granted = new Set<string>();
  for (const permission of permissions) {
    // A billing scope is read only, and only Admin includes it (contract, part 5, item 7).
    for (const { name } of scopes) {
      const [area, action] = name.split(":") as [string, string];
      const viaLevel = isAdmin(permission) || (permission === action && area !== "billing");
      if (permission === name || permission === `${area}:*` || viaLevel) granted.add(name);
    }
    if (!isScope(permission)) granted.add(permission); // A scope this release does not know yet.
  }
  return granted;
}

/** Whether a key with these permissions may do what needs `scope`. */
export const allows = (permissions: readonly string[], scope: string): boolean =>
  expandScopes(permissions).has(scope);

/** Whether a permission grants all scopes of a resource: `servers:*`. */
export const isWildcard = (permission: string): boolean => permission.endsWith(":*");

export const isAdmin = (permission: string): boolean => permission === "admin";
