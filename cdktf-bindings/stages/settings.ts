/** What stages and stacks hand down to what is below them. */
import type { IAspect, TerraformBackend, TerraformStack } from "cdktf";
import { misspelledNames, settings as table, type Setting } from "../../provider/settings";
import { withoutUndefined } from "../constructs/declared";
import type { ErphostProviderConfig } from "../provider";

/**
 * Settings of an account; what is left out comes from the environment, such as ERPHOST_TIMEOUT. The
 * environment's key is for the environment's address: with a `baseUrl`, and in `accounts`, a key is
 * required, and in `accounts` a `baseUrl` where the default account has one.
 */
export interface AccountSettings extends Omit<ErphostProviderConfig, "alias"> {
  /**
   * Name of a variable, `TF_VAR_…` in the environment, that each stack declares for the key. Only
   * its name is in the configuration. Letters, digits and underscores.
   */
  readonly apiKeyVariable?: string;
  /**
   * Names the states of this account, such as the repository; each stack adds its name and the
   * workspace, because no two states may share a scope. Default: none.
   */
  readonly scope?: string;
}

/** Props of a stage, and of a stack: what a stack is not given, it has from its stage. */
export interface HandedDown {
  /** The account that everything is in, unless it is given another `provider`. */
  readonly account?: AccountSettings;
  /**
   * Further accounts by name: `stack.account("eu")` is the `provider` of what is in it. What one leaves
   * out comes from `account`, except what is true of one account alone, such as its key.
   */
  readonly accounts?: Readonly<Record<string, AccountSettings>>;
  /**
   * First part of the names that constructs have by default; default: that of the stage around it, then
   * the stage's id and a hyphen, so that stages in one account do not declare two objects with the
   * same name. Stacks of one stage share it.
   */
  readonly namePrefix?: string;
  /**
   * Backend of each stack, made with a key that no other stack of the app has; default: local. If two
   * stacks are given one state here, they are refused.
   */
  readonly backend?: (stack: TerraformStack, key: string) => TerraformBackend;
  /** Aspects of each stack. */
  readonly aspects?: readonly IAspect[];
}

/** Names that are like one of these: a stage or stack of one's own may take others. */
export const misspelledIn = ({ account = {}, ...handed }: HandedDown) => [
  ...misspelledNames(handed, ["account", "accounts", "namePrefix", "backend", "aspects"]),
  ...misspelledNames(account, ["apiKeyVariable"]),
];

/** What is handed down by `outer`, with what `inner` says of its own. */
export function joined(outer: HandedDown, inner: HandedDown): HandedDown {
  const accounts = { ...outer.accounts };
  for (const [name, settings] of Object.entries(inner.accounts ?? {})) {
    accounts[name] = joinedAccount(accounts[name], settings);
  }
  return {
    ...outer,
    ...withoutUndefined(inner),
    account: joinedAccount(outer.account, inner.account),
    accounts,
    aspects: [...(outer.aspects ?? []), ...(inner.aspects ?? [])],
  };
}

/** The ways to give a key, each of which replaces the other. */
const KEY: readonly string[] = ["apiKey", "apiKeyVariable"];

/** What is true of one account alone, its key or its address. */
const OF_ONE_ACCOUNT: readonly string[] = [
  ...KEY,
  ...Object.entries<Setting>(table).flatMap(([name, { perAccount }]) => (perAccount ? [name] : [])),
];

/** What is true of one key alone: another one at the same address has its own. */
const OF_ONE_KEY: readonly string[] = [
  ...KEY,
  ...(["limits", "share"] satisfies (keyof AccountSettings)[]),
];

/** A further account, with what it leaves out of the default one and is true of any account. */
export const furtherAccount = (
  account: AccountSettings,
  own: AccountSettings,
): AccountSettings => ({ ...without(account, OF_ONE_ACCOUNT), ...withoutUndefined(own) });

/**
 * Another address is another account, to which nothing follows that is true of one alone. Another key at
 * the same address has the same objects, and so the same `allowDelete`.
 */
function joinedAccount(outer: AccountSettings = {}, inner: AccountSettings = {}): AccountSettings {
  const own = withoutUndefined(inner);
  const replaced = [
    ...(own.baseUrl === undefined ? [] : OF_ONE_ACCOUNT),
    ...(KEY.some((name) => name in own) ? OF_ONE_KEY : []),
  ];
  return { ...without(outer, replaced), ...own };
}

const without = (account: AccountSettings, names: readonly string[]): AccountSettings =>
  Object.fromEntries(Object.entries(account).filter(([name]) => !names.includes(name)));
