/** The table of scopes in the guide to authentication, between its markers. */
import { kinds } from "../../../provider/resources";
import { resources, type OperationName, type Resource } from "../../../provider/contract";
import { between } from "../between";
import { code, table } from "../markdown";
import type { Generated } from "../files";

const GUIDE = "docs/guides/authentication.md";

/** The whole guide, with its table as the contract is now. */
export const scopesDocs = (): Generated => ({ [GUIDE]: between(GUIDE, "scopes", scopesTable()) });

const OPERATIONS = ["list", "create", "update", "delete"] as const satisfies OperationName[];
const HEADS = ["read, look up", "create", "update", "delete"];

const scopesTable = (): string =>
  table(
    ["Objects", ...HEADS],
    Object.values<Resource>(resources).map((resource) => [
      resource.plural.replace(/_/g, " ").replace(/\bapi\b/, "API"),
      ...OPERATIONS.map((name) => cell(resource, name)),
    ]),
  ) + rotation();

/** A scope in italics is assumed; `–` is an operation that the service does not offer. */
function cell({ operations, scopes }: Resource, name: OperationName): string {
  const scope = scopes[name];
  if (operations[name] === undefined) return "–";
  if (scope === undefined) return "none";
  return scope.source === "documented" ? code(scope.scope) : `*${code(scope.scope)}*`;
}

/** Assumption: a rotation needs the scope of a change. */
function rotation(): string {
  const titles = Object.values(kinds).flatMap(({ reading, title }) =>
    reading.rotates ? [code(title)] : [],
  );
  const scope = resources.api_key.scopes.update?.scope ?? "";
  return `\n\nA rotation (${titles.join(", ")}) needs *${code(scope)}*. The check for an object of the same name, and the recovery after a crash, read the list: a key that creates needs the scope to read as well.`;
}
