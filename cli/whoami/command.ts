/** `erphost whoami`: shows an API key and what it may do. Its value is never printed. */
import { Command } from "commander";
import { hasCode, isPermissionError, type Configuration } from "../../provider";
import { allows, parseApiKey, scopes } from "../../provider/contract";
import type { AuthView, Contract, ServiceRecord } from "../../provider/contract";
import type { OperationName, ResolvedResource } from "../../provider/contract";
import { kinds, lookups, type Kind } from "../../provider/resources";
import { calling, configurationOf, withAccount, withEngine, type AccountOptions } from "../account";
import { resetMs } from "../account/limits";
import { columns, fromNow, isoSeconds } from "../text";
import { errorText } from "../voice";
import type { World } from "../world";

interface WhoamiOptions extends AccountOptions {
  readonly json?: boolean;
}

/** @public The command, loaded by name. */
export const whoamiCommand = (world: World): Command =>
  withAccount(new Command("whoami"))
    .description("Show the API key in use and what it may do.")
    .option("--json", "Print one JSON object, for scripts.")
    .action((options: WhoamiOptions) => whoami(options, world));

async function whoami(options: WhoamiOptions, world: World): Promise<void> {
  const configuration = configurationOf(options, world);
  const key = await withEngine(options, world, async (engine) => {
    const auth = await engine.lookups.auth(calling(options, world));
    const list = () => engine.lookups.list("api_key", {}, calling(options, world));
    const record = await ownRecord(list, configuration, auth).catch((error: unknown) => {
      world.report(`warning: ${errorText(error)}`);
      return undefined;
    });
    return factsOf(configuration, auth, record);
  });
  if (options.json === true) world.print(JSON.stringify(asJson(configuration, key), null, 2));
  else for (const line of asText(configuration, key, world.nowMs())) world.print(line);
}

/** The record of the key, which alone has its name and expiry; "hidden" where it may not read keys. */
async function ownRecord(
  list: () => Promise<ServiceRecord[]>,
  { contract }: Configuration,
  auth: AuthView,
): Promise<ServiceRecord | "hidden" | undefined> {
  const scope = contract.resources.api_key.definition.scopes.list?.scope;
  if (scope === undefined || !allows(auth.permissions, scope)) return "hidden";
  try {
    return (await list()).find(({ id }) => id === auth.keyId);
  } catch (error) {
    // Assumption: API keys by API. Without a list of them, the rest is still known.
    if (isPermissionError(error) || hasCode(error, "not_offered", "not_found")) return "hidden";
    throw error;
  }
}

function factsOf(
  { account, apiKey }: Configuration,
  auth: AuthView,
  read: ServiceRecord | "hidden" | undefined,
) {
  const isHidden = read === "hidden";
  const record = isHidden ? undefined : read;
  const { name, expires_at: expiresAt } = record?.fields ?? {};
  return {
    keyId: auth.keyId,
    name: typeof name === "string" ? name : undefined,
    environment: parseApiKey(apiKey)?.environment ?? account.environment,
    baseUrl: account.baseUrl,
    // Undefined: unknown; null: never.
    expiresAt: record ? (typeof expiresAt === "string" ? expiresAt : null) : undefined,
    isHidden,
    permissions: auth.permissions,
    rateLimit: auth.rateLimit,
  };
}

type KeyFacts = ReturnType<typeof factsOf>;

function asJson({ contract }: Configuration, key: KeyFacts): unknown {
  const { rateLimit, permissions, isHidden: _, ...rest } = key;
  const abilities = abilitiesOf(contract, (scope) => allows(permissions, scope));
  return {
    ...rest,
    permissions,
    scopes: Object.fromEntries(
      [...areas(permissions)].map(([area, actions]) => [area, Object.fromEntries(actions)]),
    ),
    rateLimit: rateLimit ? { ...rateLimit, reset: isoSeconds(resetMs(rateLimit.reset)) } : null,
    ...abilities,
  };
}

const SIGNS = { yes: "✓", no: "–", absent: "·" } as const;
const sign = (isAllowed: boolean | undefined): string =>
  isAllowed === undefined ? SIGNS.absent : isAllowed ? SIGNS.yes : SIGNS.no;
const signOf = (ability: Ability = "not offered"): string =>
  sign(ability === "not offered" ? undefined : ability === "yes");

function asText({ contract }: Configuration, key: KeyFacts, nowMs: number): string[] {
  const abilities = abilitiesOf(contract, (scope) => allows(key.permissions, scope));
  const lookupRows = Object.entries(abilities.lookups).map(([name, ability]) => [
    name,
    signOf(ability),
    missingScopes([ability]),
  ]);
  return [
    ...columns(factRows(key, nowMs)),
    "",
    "Permissions",
    ...indented(columns(permissionRows(key.permissions))),
    "",
    "Objects that a program can manage",
    ...indented(columns(kindRows(abilities.kinds))),
    "",
    "Objects that a program can look up",
    ...indented(columns(lookupRows)),
    "",
    `${SIGNS.yes} allowed  ${SIGNS.no} not allowed  ${SIGNS.absent} not offered by the service`,
  ];
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

function factRows(key: KeyFacts, nowMs: number): string[][] {
  const { name, rateLimit } = key;
  return [
    ["Key", name === undefined ? key.keyId : `${key.keyId} (${name})`],
    ["Environment", key.environment],
    ["Service", key.baseUrl],
    ["Expires", expiryText(key, nowMs)],
    [
      "Rate limit",
      rateLimit
        ? `${rateLimit.remaining} of ${rateLimit.limit} requests left until ${isoSeconds(resetMs(rateLimit.reset))} (${fromNow(resetMs(rateLimit.reset), nowMs)})`
        : "none reported",
    ],
    ["Granted", key.permissions.join(", ") || "none"],
  ];
}

const expiryText = ({ expiresAt, isHidden }: KeyFacts, nowMs: number): string => {
  if (isHidden) return "unknown (the key may not read API keys)";
  if (expiresAt === undefined) return "unknown";
  return expiresAt === null ? "never" : `${expiresAt} (${fromNow(Date.parse(expiresAt), nowMs)})`;
};

/** The columns `read`, `write` and `delete` come from the scopes, in their order. */
function permissionRows(permissions: readonly string[]): string[][] {
  const table = areas(permissions);
  const actions = [...new Set([...table.values()].flatMap((row) => [...row.keys()]))];
  return [
    ["", ...actions],
    ...[...table].map(([area, row]) => [area, ...actions.map((action) => sign(row.get(action)))]),
  ];
}

function kindRows(kinds: Readonly<Record<string, Readonly<Record<string, Ability>>>>): string[][] {
  const names = [...new Set(Object.values(kinds).flatMap((row) => Object.keys(row)))];
  return [
    ["", ...names, ""],
    ...Object.entries(kinds).map(([kind, row]) => [
      kind,
      ...names.map((name) => signOf(row[name])),
      missingScopes(Object.values(row)),
    ]),
  ];
}

/** `needs servers:write`; empty where nothing is missing. */
function missingScopes(abilities: readonly Ability[]): string {
  const needs = abilities.flatMap((ability) => (typeof ability === "object" ? ability.needs : []));
  return needs.length === 0 ? "" : `needs ${[...new Set(needs)].join(", ")}`;
}

/** Whether an operation is possible, and if not, the scope that is missing. */
type Ability = "yes" | "not offered" | { readonly needs: string };

const OPERATIONS = ["create", "list", "update", "delete"] as const satisfies OperationName[];

/** Permissions as a table: for each area, whether each action is allowed. */
function areas(permissions: readonly string[]): Map<string, Map<string, boolean>> {
  const table = new Map<string, Map<string, boolean>>();
  for (const { name } of scopes) {
    const [area = "", action = ""] = name.split(":");
    const row = table.get(area) ?? new Map<string, boolean>();
    table.set(area, row.set(action, allows(permissions, name)));
  }
  return table;
}

/** Whether the key has a scope. */
type May = (scope: string) => boolean;

const abilitiesOf = (contract: Contract, may: May) => ({
  kinds: Object.fromEntries(
    Object.values(kinds).map((kind) => [kind.name, ofKind(contract, kind, may)]),
  ),
  lookups: Object.fromEntries(
    lookups.map(({ plural, name }) => {
      const resource = Object.values(contract.resources).find(
        ({ definition }) => definition.name === name,
      );
      return [plural, resource ? ability(resource, "list", may) : "not offered"];
    }),
  ),
});

function ofKind(contract: Contract, kind: Kind, may: May): Record<string, Ability> {
  const rotate = kind.reading.rotates && {
    // Assumption: Scope of a rotation.
    rotate: scoped(contract.resources.api_key, "update", may),
  };
  if (kind.resource === undefined) return { ...rotate };
  const resource = contract.resources[kind.resource];
  const operations = OPERATIONS.map((name) => [name, ability(resource, name, may)] as const);
  return { ...Object.fromEntries(operations), ...rotate };
}

const ability = (resource: ResolvedResource, name: OperationName, may: May): Ability =>
  resource.operations[name] === undefined ? "not offered" : scoped(resource, name, may);

function scoped(resource: ResolvedResource, name: OperationName, may: May): Ability {
  const scope = resource.definition.scopes[name]?.scope;
  return scope === undefined || may(scope) ? "yes" : { needs: scope };
}
