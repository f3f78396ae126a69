/** The operations of the service, derived from the contract, and which one a request is for. */
import type { Contract, OperationName, ResolvedResource } from "../../provider/contract";

/** What an operation does. No resource definition lists `rotate` and `auth_test`. */
export type Action = OperationName | "get" | "rotate" | "auth_test";

export interface Operation {
  /** For the journal: `server.create`. */
  readonly name: string;
  readonly action: Action;
  readonly method: string;
  /** Below the base address; may hold `{id}`. */
  readonly path: string;
  /** Undefined: any valid key may use it. */
  readonly scope: string | undefined;
  readonly resource: ResolvedResource;
}

/** The operation of a request, and the id in its path. */
export interface Match {
  readonly operation: Operation;
  /** Empty for the path of a list. */
  readonly id: string;
}

/** All operations; with `strict`, only those that the contract documents. */
export function operationsOf(contract: Contract, strict: boolean): Operation[] {
  // As a plain list: no kind but the API key is known by name here.
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
      // An operation that a profile has enabled may lack a scope: that of lists is enough.
      scope: ((action === "get" ? undefined : scopes[action]) ?? scopes.list)?.scope,
      resource,
    }));
}

interface Path {
  readonly pattern: RegExp;
  readonly methods: Map<string, Operation>;
}

/** Finds the operation of a path below the base address. */
export class Router {
  private readonly paths = new Map<string, Path>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      const known = this.paths.get(operation.path);
      const entry = known ?? { pattern: patternOf(operation.path), methods: new Map() };
      entry.methods.set(operation.method, operation);
      this.paths.set(operation.path, entry);
    }
  }

  /** Undefined for an unknown path; `allow` lists the methods of a path that lacks this one. */
  match(method: string, path: string): Match | { readonly allow: string } | undefined {
    const fixed = this.paths.get(path);
    const entries = fixed ? [fixed] : [...this.paths.values()];
    const allow: string[] = [];
    for (const { pattern, methods } of entries) {
      const parts = pattern.exec(path);
      if (!parts) continue;
      const operation = methods.get(method);
      if (operation) return { operation, id: decoded(parts[1] ?? "") };
      allow.push(...methods.keys());
    }
    return allow.length > 0 ? { allow: allow.join(", ") } : undefined;
  }
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
