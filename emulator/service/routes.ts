/** The operations of the service, derived from the contract, and which one a request means. */
import type { Contract, OperationName, ResolvedResource } from "../../provider/contract";

/** What is done. `rotate` and `auth_test` are the only two that no resource definition lists. */
export type Action = OperationName | "get" | "rotate" | "auth_test";

export interface Operation {
  /** For the journal: `server.create`. */
  readonly name: string;
  readonly action: Action;
  readonly method: string;
  /** Below the base address; may hold `{id}`. */
  readonly path: string;
  /** Undefined: any valid key may. */
  readonly scope: string | undefined;
  readonly resource: ResolvedResource;
}

export interface Match {
  readonly operation: Operation;
  /** Empty for a list path. */
  readonly id: string;
}

/** `strict` leaves out what the contract does not document. */
export function operationsOf(contract: Contract, strict: boolean): Operation[] {
  // Looked at as any table of resources: no kind but the key's is known by name here.
  const resources: readonly ResolvedResource[] = Object.values(contract.resources);
  const keys = contract.resources.api_key;
  return [
    ...resources.flatMap((resource) => ofResource(resource, strict)),
    {
      name: "auth.test",
      action: "auth_test",
      method: "GET",
      path: contract.authTestPath,
      scope: undefined,
      resource: keys,
    },
    {
      name: "api_key.rotate",
      action: "rotate",
      method: "POST",
      path: contract.rotatePath,
      scope: keys.definition.scopes.update?.scope,
      resource: keys,
    },
  ];
}

function ofResource(resource: ResolvedResource, strict: boolean): Operation[] {
  const methods = {
    list: "GET",
    create: "POST",
    get: "GET",
    update: resource.updateMethod,
    delete: "DELETE",
  } as const;
  const { scopes, name } = resource.definition;
  return (Object.keys(methods) as (keyof typeof methods)[])
    .filter((action) => {
      const source = resource.operations[action];
      return source !== undefined && !(strict && source === "assumed");
    })
    .map((action) => ({
      name: `${name}.${action}`,
      action,
      method: methods[action],
      path: action === "list" || action === "create" ? resource.path : resource.itemPath,
      // What a profile has switched on may have no scope of its own: reading it is enough.
      scope: ((action === "get" ? undefined : scopes[action]) ?? scopes.list)?.scope,
      resource,
    }));
}

/** Finds the operation of a path below the base address. */
export interface Router {
  /** `allow`: the path is known, the method is not. */
  match(method: string, path: string): Match | { readonly allow: string } | undefined;
}

export function createRouter(operations: readonly Operation[]): Router {
  const paths = new Map<string, { pattern: RegExp; methods: Map<string, Operation> }>();
  for (const operation of operations) {
    const known = paths.get(operation.path);
    const entry = known ?? { pattern: patternOf(operation.path), methods: new Map() };
    entry.methods.set(operation.method, operation);
    paths.set(operation.path, entry);
  }
  return {
    match: (method, path) => {
      const fixed = paths.get(path);
      const entries = fixed ? [fixed] : [...paths.values()];
      const allow: string[] = [];
      for (const { pattern, methods } of entries) {
        const found = pattern.exec(path);
        if (!found) continue;
        const operation = methods.get(method);
        if (operation) return { operation, id: decoded(found[1] ?? "") };
        allow.push(...methods.keys());
      }
      return allow.length > 0 ? { allow: allow.join(", ") } : undefined;
    },
  };
}

const patternOf = (path: string): RegExp => {
  const [before = "", after = ""] = path.split("{id}");
  const plain = (text: string) => text.replace(/[.*+?^$()[\]{}|\\]/g, "\\$&");
  return path.includes("{id}")
    ? new RegExp(`^${plain(before)}([^/]+)${plain(after)}$`)
    : new RegExp(`^${plain(path)}$`);
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
