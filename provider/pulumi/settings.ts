/** Stack configuration (`erphost:apiKey` and so on) and the environment as settings of an account. */
import { InvalidInput, isRecord, issueAt, jsonOf, type InputIssue, type Values } from "../contract";
import { engineError } from "../engine";
import { nearest, type Subject } from "../messages";
import { settings as table, variableOf, type Setting } from "../settings";

export interface Sources {
  /** One key of the stack's configuration, without its namespace. */
  readonly get: (key: string) => string | undefined;
  /** All keys that it has, without their namespace. */
  readonly keys?: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The keys of this package in a stack's whole configuration. */
export const keysIn = (config: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(config).flatMap((key) => (key.startsWith("erphost:") ? [key.slice(8)] : []));

/** What the engine of an account is opened with. */
export interface AccountSettings {
  readonly given: Values;
  readonly env: Sources["env"];
}

const settings = Object.entries<Setting>(table);
const NAMES = Object.keys(table);

/** The key of the stack's configuration that holds the named accounts. */
const ACCOUNTS = "accounts";
const OF_STACK = [...NAMES, ACCOUNTS];
const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");
const PREFIX = "ERPHOST_ACCOUNT_";
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** `ERPHOST_ACCOUNT_EU_API_KEY` */
export const accountVariableOf = (account: string, setting: string): string =>
  `${PREFIX}${account.replaceAll("-", "_").toUpperCase()}${suffixOf(setting)}`;

/** `_API_KEY` */
const suffixOf = (setting: string): string => variableOf(setting).slice("ERPHOST".length);

/** `accounts.eu.apiKey`: where the stack's configuration holds a setting of an account. */
export const accountPath = (account: string, path: readonly (string | number)[]) => [
  ...[ACCOUNTS, account],
  ...path,
];

/** @throws EngineError where nothing can be configured under this name */
export function assertAccountName(account: unknown): asserts account is string {
  if (typeof account !== "string" || !NAME.test(account)) {
    throw engineError("invalid_account_name", {});
  }
}

/**
 * The settings of the stack's default account, or of a named one. What a named account leaves out
 * comes from the stack, except what is true of one account alone: no key is ever sent to the address
 * of another account.
 * @param held the object of a state for which they are asked
 * @throws EngineError `account_not_configured`, `account_not_rehearsed`; InvalidInput
 */
export function settingsOf(
  account: string | undefined,
  sources: Sources,
  held?: Subject,
): AccountSettings {
  const { get, keys = [], env } = sources;
  // A project that is itself called erphost has keys of its own there.
  const meant = keys.filter((key) => {
    const name = plain(key.replace(/[.[].*/, ""));
    return nearest(name, OF_STACK.map(plain), name.length > 9 ? 2 : 1) !== undefined;
  });
  refuseUnknown(meant, OF_STACK);
  const ofStack = given(settings.map(([name]) => [name, get(name)]));
  const stackTwin = ofStack["twinOf"] ?? env[variableOf("twinOf")];
  const accounts = accountsIn(sources);
  const own = account === undefined ? { ...ofStack, twinOf: stackTwin } : accounts.get(account);
  if (account !== undefined) assertAccountName(account);
  if (!own) {
    const parts = { account: account ?? "", known: [...accounts.keys()], subject: held };
    throw engineError("account_not_configured", parts);
  }
  // A run that rehearses for one account must not work on another one itself.
  const twins = [stackTwin, ...[...accounts.values()].map(({ twinOf }) => twinOf)];
  if (twins.some(isSet) && !isSet(own["twinOf"])) {
    throw engineError("account_not_rehearsed", { account });
  }
  if (account === undefined) return { given: ofStack, env };
  const ofDefault = settings.filter(([, { perAccount }]) => perAccount).map(([name]) => name);
  const variables = ofDefault.map(variableOf);
  const inherited = Object.entries(ofStack).filter(([name]) => !ofDefault.includes(name));
  return {
    given: { ...filled(inherited), ...own },
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !variables.includes(name))),
  };
}

/** The named accounts, with what is configured of each; the environment fills in the rest. */
function accountsIn({ get, env }: Sources): ReadonlyMap<string, Values> {
  const configured = configuredIn(get(ACCOUNTS));
  const accounts = accountsNamed(env, Object.keys(configured));
  return new Map(
    [...accounts].sort().map((account) => {
      const variables = settings.map(([name]): [string, unknown] => [
        name,
        env[accountVariableOf(account, name)],
      ]);
      const values = { ...filled(variables), ...given(Object.entries(configured[account] ?? {})) };
      return [account, values];
    }),
  );
}

/**
 * The accounts that are configured, and those that variables name. A variable that could be of two
 * accounts is of the one that there is otherwise, or else of the one with the shorter name.
 * @throws EngineError `ambiguous_account_variable`
 */
function accountsNamed(env: Sources["env"], configured: readonly string[]): ReadonlySet<string> {
  const read = Object.entries(env)
    .filter(([, value]) => isSet(value))
    .map(([variable]) => ({ variable, accounts: accountsOf(variable) }));
  const known = new Set(configured);
  for (const { accounts } of read) if (accounts.length === 1) known.add(accounts[0] ?? "");
  const all = new Set(known);
  for (const { variable, accounts } of read) {
    if (accounts.length < 2) continue;
    const sure = accounts.filter((account) => known.has(account));
    if (sure.length > 1)
      throw engineError("ambiguous_account_variable", { variable, accounts: sure });
    const [shortest = ""] = accounts;
    if (sure.length === 0) all.add(shortest);
  }
  return all;
}

/** `ERPHOST_ACCOUNT_EU_API_KEY` → `eu`; several where a setting's name ends like another's. */
function accountsOf(variable: string): readonly string[] {
  if (!variable.startsWith(PREFIX)) return [];
  const rest = variable.slice(PREFIX.length);
  return settings
    .map(([name]) => suffixOf(name))
    .filter((suffix) => rest.endsWith(suffix))
    .map((suffix) => rest.slice(0, -suffix.length).toLowerCase().replaceAll("_", "-"))
    .filter((name) => NAME.test(name))
    .sort((a, b) => a.length - b.length);
}

/** @throws InvalidInput; none of its issues repeats a value */
function configuredIn(text: string | undefined): Readonly<Record<string, Values>> {
  if (text === undefined || text.trim() === "") return {};
  const accounts = jsonOf(text);
  if (!isRecord(accounts)) throw notAnObject([ACCOUNTS]);
  for (const [account, values] of Object.entries(accounts)) {
    assertAccountName(account);
    if (!isRecord(values)) throw notAnObject(accountPath(account, []));
    refuseUnknown(Object.keys(values), NAMES, (name) => accountPath(account, [name]));
  }
  // Each was just seen to be an object.
  return accounts as Readonly<Record<string, Values>>;
}

/** Members of a configuration that Pulumi adds to the package's own. */
export const isPulumis = (key: string): boolean =>
  key === "version" || key === "pluginDownloadURL" || key.startsWith("__");

/** A guard with a misspelled name would guard nothing. */
export const unknownSettings = (
  names: readonly string[],
  known: readonly string[] = NAMES,
  pathOf = (name: string): readonly (string | number)[] => [name],
): readonly InputIssue[] =>
  names
    .filter((name) => !isPulumis(name) && !known.includes(name))
    .map((name) => issueAt(pathOf(name), "unknown_setting", { known }));

function refuseUnknown(...given: Parameters<typeof unknownSettings>): void {
  const issues = unknownSettings(...given);
  if (issues.length > 0) throw new InvalidInput("configuration", issues);
}

const notAnObject = (path: readonly (string | number)[]): InvalidInput =>
  new InvalidInput("configuration", [issueAt(path, "accounts_not_an_object", {})]);

/** Text that is blank is not. */
export const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === "string" && value.trim() === "");

/** What a person wrote: an empty scope is refused where it is read. */
const given = (entries: readonly (readonly [string, unknown])[]): Values =>
  Object.fromEntries(
    entries.filter(([name, value]) => isSet(value) || (name === "scope" && value !== undefined)),
  );

const filled = (entries: readonly (readonly [string, unknown])[]): Values =>
  Object.fromEntries(entries.filter(([, value]) => isSet(value)));
