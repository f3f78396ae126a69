/** `erphost whoami`: what a key is and may do. The key itself is never printed. */
import { Command } from "commander";
import type { Configuration } from "../provider";
import { allows, parseApiKey, type AuthTest, type ServiceRecord } from "../provider/contract";
import { abilitiesOf, areas, type Ability } from "./abilities";
import { calling, configurationOf, withAccount, withEngine, type AccountOptions } from "./account";
import { columns, fromNow, isoSeconds } from "./text";
import type { World } from "./world";

interface WhoamiOptions extends AccountOptions {
  readonly json?: boolean;
}

export const whoamiCommand = (world: World): Command =>
  withAccount(new Command("whoami"))
    .description("Show what the key in use is and what it may do.")
    .option("--json", "as one JSON object, for scripts")
    .addHelpText("after", "\nThe key is read from ERPHOST_API_KEY and never printed.")
    .action((options: WhoamiOptions) => whoami(options, world));

/** What there is to know of a key. */
interface Found {
  readonly keyId: string;
  readonly name: string | undefined;
  readonly environment: string;
  readonly baseUrl: string;
  /** Undefined: not known; null: it never ends. */
  readonly expiresAt: string | null | undefined;
  readonly permissions: readonly string[];
  readonly rateLimit: AuthTest["rate_limit"];
}

async function whoami(options: WhoamiOptions, world: World): Promise<void> {
  const configuration = configurationOf(options, world);
  const found = await withEngine(options, world, async (engine) => {
    const auth = await engine.lookupAuth(calling(options, world));
    const list = () => engine.lookupList("api_key", {}, calling(options, world));
    const record = await ownRecord(list, configuration, auth);
    return toFound(configuration, auth, record);
  });
  if (options.json === true) world.print(JSON.stringify(asJson(configuration, found), null, 2));
  else for (const line of asText(configuration, found, world.nowMs())) world.print(line);
}

/** The key's own record, where it may read keys: that alone tells its name and its end. */
async function ownRecord(
  list: () => Promise<ServiceRecord[]>,
  { contract }: Configuration,
  auth: AuthTest,
): Promise<ServiceRecord | undefined> {
  const keys = contract.resources.api_key;
  const scope = keys.definition.scopes.list?.scope;
  if (keys.operations.list === undefined || scope === undefined) return undefined;
  if (!allows(auth.permissions, scope)) return undefined;
  try {
    return (await list()).find(({ id }) => id === auth.key_id);
  } catch {
    return undefined; // To list keys is an assumption: a service without it says the rest.
  }
}

function toFound(
  { account, apiKey }: Configuration,
  auth: AuthTest,
  record: ServiceRecord | undefined,
): Found {
  const { name, expires_at: expiresAt } = record?.fields ?? {};
  return {
    keyId: auth.key_id,
    name: typeof name === "string" ? name : undefined,
    environment: parseApiKey(apiKey)?.environment ?? account.environment,
    baseUrl: account.baseUrl,
    expiresAt: record ? (typeof expiresAt === "string" ? expiresAt : null) : undefined,
    permissions: auth.permissions,
    rateLimit: auth.rate_limit,
  };
}

/** When a window ends, in milliseconds since 1970. Assumption: a number is Unix seconds. */
const resetMs = (reset: string | number): number =>
  typeof reset === "number" ? reset * 1_000 : Date.parse(reset);

function asJson({ contract }: Configuration, found: Found): unknown {
  const { rateLimit, permissions, ...rest } = found;
  const abilities = abilitiesOf(contract, permissions);
  return {
    ...rest,
    permissions,
    scopes: Object.fromEntries(
      [...areas(permissions)].map(([area, actions]) => [area, Object.fromEntries(actions)]),
    ),
    rateLimit: rateLimit
      ? {
          limit: rateLimit.limit,
          remaining: rateLimit.remaining,
          reset: isoSeconds(resetMs(rateLimit.reset)),
        }
      : null,
    kinds: abilities.kinds,
    lookups: abilities.lookups,
  };
}

const SIGNS = { yes: "✓", no: "–", absent: "·" } as const;
const signOf = (ability: Ability | undefined): string => {
  if (ability === undefined || ability === "not offered") return SIGNS.absent;
  return ability === "yes" ? SIGNS.yes : SIGNS.no;
};

function asText({ contract }: Configuration, found: Found, nowMs: number): string[] {
  const abilities = abilitiesOf(contract, found.permissions);
  return [
    ...columns(facts(found, nowMs)),
    "",
    "Permissions",
    ...indented(columns(permissionRows(found.permissions))),
    "",
    "What a program can declare",
    ...indented(columns(kindRows(abilities.kinds))),
    "",
    "What a program can look up",
    ...indented(
      columns(
        Object.entries(abilities.lookups).map(([name, ability]) => [
          name,
          signOf(ability),
          lacking([ability]),
        ]),
      ),
    ),
    "",
    `${SIGNS.yes} it may  ${SIGNS.no} it may not  ${SIGNS.absent} the service does not offer it`,
  ];
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

function facts(found: Found, nowMs: number): string[][] {
  const { name, rateLimit, expiresAt } = found;
  return [
    ["Key", name === undefined ? found.keyId : `${found.keyId} (${name})`],
    ["Environment", found.environment],
    ["Service", found.baseUrl],
    ["Expires", expiryText(expiresAt, nowMs)],
    [
      "Rate limit",
      rateLimit
        ? `${rateLimit.remaining} of ${rateLimit.limit} requests left, until ${isoSeconds(resetMs(rateLimit.reset))} (${fromNow(resetMs(rateLimit.reset), nowMs)})`
        : "none told",
    ],
    ["Granted", found.permissions.join(", ") || "nothing"],
  ];
}

const expiryText = (expiresAt: Found["expiresAt"], nowMs: number): string => {
  if (expiresAt === undefined) return "not known (the key can't read keys)";
  return expiresAt === null ? "never" : `${expiresAt} (${fromNow(Date.parse(expiresAt), nowMs)})`;
};

/** `read`, `write` and `delete` come from the scopes, in their order. */
function permissionRows(permissions: readonly string[]): string[][] {
  const table = areas(permissions);
  const actions = [...new Set([...table.values()].flatMap((row) => [...row.keys()]))];
  const sign = (held: boolean | undefined) =>
    held === undefined ? SIGNS.absent : held ? SIGNS.yes : SIGNS.no;
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
      lacking(Object.values(row)),
    ]),
  ];
}

/** `needs servers:write`; empty where nothing is lacking. */
function lacking(abilities: readonly Ability[]): string {
  const needs = abilities.flatMap((ability) => (typeof ability === "object" ? ability.needs : []));
  return needs.length === 0 ? "" : `needs ${[...new Set(needs)].join(", ")}`;
}
