/** What an API key can do with this project. Pure. */
import {
  allows,
  scopes,
  type Contract,
  type OperationName,
  type ResolvedResource,
} from "../../provider/contract";
import { kinds, lookups, type Kind } from "../../provider/resources";

/** Whether an operation is possible, and if not, the scope that is missing. */
export type Ability = "yes" | "not offered" | { readonly needs: string };

const OPERATIONS = ["create", "list", "update", "delete"] as const satisfies OperationName[];

/** Permissions as a table: for each area, whether each action is allowed. */
export function areas(permissions: readonly string[]): Map<string, Map<string, boolean>> {
  const table = new Map<string, Map<string, boolean>>();
  for (const { name } of scopes) {
    const [area = "", action = ""] = name.split(":");
    const row = table.get(area) ?? new Map<string, boolean>();
    table.set(area, row.set(action, allows(permissions, name)));
  }
  return table;
}

export interface Abilities {
  /** By kind, for each operation on its objects. */
  readonly kinds: Readonly<Record<string, Readonly<Record<string, Ability>>>>;
  /** Look-ups, by the plural of the kind. */
  readonly lookups: Readonly<Record<string, Ability>>;
}

export const abilitiesOf = (contract: Contract, permissions: readonly string[]): Abilities => ({
  kinds: Object.fromEntries(
    Object.values(kinds).map((kind) => [kind.name, ofKind(contract, kind, permissions)]),
  ),
  lookups: Object.fromEntries(
    lookups.map(({ plural, name }) => {
      const resource = Object.values(contract.resources).find(
        ({ definition }) => definition.name === name,
      );
      return [plural, resource ? ability(resource, "list", permissions) : "not offered"];
    }),
  ),
});

function ofKind(
  contract: Contract,
  kind: Kind,
  permissions: readonly string[],
): Record<string, Ability> {
  const rotate = kind.reading.rotates && {
    // Assumption: Scope of a rotation.
    rotate: scoped(contract.resources.api_key, "update", permissions),
  };
  if (kind.resource === undefined) return { ...rotate };
  const resource = contract.resources[kind.resource];
  const operations = OPERATIONS.map(
    (name) => [name, ability(resource, name, permissions)] as const,
  );
  return { ...Object.fromEntries(operations), ...rotate };
}

const ability = (
  resource: ResolvedResource,
  name: OperationName,
  permissions: readonly string[],
): Ability =>
  resource.operations[name] === undefined ? "not offered" : scoped(resource, name, permissions);

function scoped(
  resource: ResolvedResource,
  name: OperationName,
  permissions: readonly string[],
): Ability {
  const scope = resource.definition.scopes[name]?.scope;
  return scope === undefined || allows(permissions, scope) ? "yes" : { needs: scope };
}
