/** What the constructs for CDKTF report of accounts and of the rights of keys. */
import { define, predicate } from "../../message";

/** The provider block, as a program knows it: by its path, or by its name in Terraform. */
export function block(provider: string): string {
  if (provider.includes("/")) return provider;
  return provider.includes(".") ? `the provider ${provider}` : "the default provider";
}

export const constructAccountsMessages = {
  other_account: define<{
    path: string;
    provider: string;
    field: string;
    target: string;
    targetProvider: string;
  }>({
    when: "A construct refers to an object of another account.",
    summary: "Reference into another account",
    text: ({ path, provider, field: name, target, targetProvider }, { field }) =>
      `${path} is in the account of ${block(provider)}, but its ${field(name)}, ${target}, is in that of ${block(targetProvider)}`,
    remedy: ({ path, provider, target }) =>
      provider.includes("/")
        ? `Declare ${path} and ${target} in the same account.`
        : `Give ${path} and ${target} the same provider.`,
    examples: [
      {
        path: "erp/trial",
        provider: "erp/provider",
        field: "server_id",
        target: "web/web",
        targetProvider: "web/provider-eu",
      },
      {
        path: "erp/trial",
        provider: "erphost",
        field: "server_id",
        target: "erp/web",
        targetProvider: "erphost.second",
      },
    ],
  }),
  unknown_account: define<{ name: string; known: readonly string[] }>({
    when: "A program asks a stack for an account that neither it nor its stage has.",
    summary: "Unknown account",
    text: ({ name, known }, { and }) =>
      known.length === 0
        ? `there is no account ${name}, because accounts is not set`
        : `there is no account ${name}, only ${and(known)}`,
    remedy: ({ name }) => `Add ${name} to accounts of the stack or of its stage.`,
    examples: [
      { name: "eu", known: [] },
      { name: "eu", known: ["us", "asia"] },
    ],
  }),
  key_of_another_account: predicate<{ hasAddress: boolean }>({
    when: "A provider block of a further account, or one in a stage with an address of its own, has no key.",
    summary: "Account without a key of its own",
    text: ({ hasAddress }) =>
      hasAddress
        ? "is not set, so that the key of the environment would go to the address that is set here"
        : "is not set, so that the key of the environment would be used, which is that of another account",
    remedy: () => "Set it, or apiKeyVariable where accounts are given to a stack or a stage.",
    examples: [{ hasAddress: true }, { hasAddress: false }],
  }),
  key_without_address: predicate({
    when: "A further account of a stack has a key but no address, although the default account has one.",
    summary: "Account without an address of its own",
    text: () =>
      "is not set, so that the key would go to the address of the environment, not to that of account",
    remedy: () => "Set it, even if it is the same as that of account.",
  }),
  bad_alias: define<{ alias: string }>({
    when: "The alias of a provider block, or the name of an account, could not be a name in Terraform.",
    summary: "Invalid name of an account",
    text: ({ alias }) => `${JSON.stringify(alias)} cannot be the name of an account or an alias`,
    remedy: () =>
      "Use letters, digits, hyphens and underscores, and begin with a letter or an underscore.",
    examples: [{ alias: "e u" }],
  }),
  relative_folder: predicate({
    when: "The folder of intents in a provider block is a relative path.",
    summary: "Relative folder",
    text: () =>
      "is relative, and the engine would look for it in the folder of the synthesised stack",
    remedy: () => "Give an absolute path: that folder does not outlive its synthesis.",
  }),
  bad_key_variable: predicate<{ name: string }>({
    when: "The name of the variable for a key could not be that of a variable.",
    summary: "Invalid name of a variable",
    text: ({ name }) =>
      `must be letters, digits and underscores, and not begin with a digit, but it is ${JSON.stringify(name)}`,
    examples: [{ name: "eu key" }],
  }),
  provider_of_another_stack: define<{ path: string; provider: string; stack: string }>({
    when: "A construct is given a provider block that another stack declares.",
    summary: "Provider of another stack",
    text: ({ path, provider, stack }) =>
      `${path} is given ${provider}, which is not a provider block of its stack, ${stack}`,
    remedy: ({ stack }) =>
      `Give it one that ${stack} declares: in an ErphostStack its provider or its account(name), otherwise an ErphostProvider in it.`,
    examples: [{ path: "keys/web", provider: "erp/provider-eu", stack: "keys" }],
  }),
  same_stack_id: define<{ ids: readonly string[]; paths: readonly string[] }>({
    when: "Two stacks of an app have the same id, by which the library names their folders, or ids that differ only in case.",
    summary: "Two stacks in one folder",
    text: ({ ids, paths }, { and }) =>
      ids.length > 1
        ? `the ids of the stacks ${and(paths)} differ only in case, so that on macOS and Windows one would be written over the other`
        : `the stacks ${and(paths)} have the same id, ${and(ids)}, so that one would be written over the other`,
    remedy: () => "Give one of them another id.",
    examples: [
      { ids: ["live-shop-keys"], paths: ["live-shop/live-shop-keys", "live-shop-keys"] },
      { ids: ["Erp", "erp"], paths: ["Erp", "erp"] },
    ],
  }),
  same_state: define<{ paths: readonly string[] }>({
    when: "The backends of two stacks keep their states in the same place.",
    summary: "Two stacks with one state",
    text: ({ paths }, { and }) =>
      `the stacks ${and(paths)} have one state, so that an apply of one would delete what the other has created`,
    remedy: () => "Use the key that the function in backend is given.",
    examples: [{ paths: ["live-erp", "live-keys"] }],
  }),
  two_provider_blocks: define<{ paths: readonly string[]; alias: string | undefined }>({
    when: "A stack has two provider blocks without an alias, or with the same one.",
    summary: "Two provider blocks",
    text: ({ paths, alias }, { and }) =>
      `${and(paths)} are provider blocks ${alias === undefined ? "without an alias" : `with the alias ${alias}`}`,
    remedy: () =>
      "Give each of them an alias of its own, or remove one; an ErphostStack has its own.",
    examples: [
      { paths: ["erp/provider", "erp/second"], alias: undefined },
      { paths: ["erp/eu", "erp/us"], alias: "eu" },
    ],
  }),
  deploy_key_of_several_accounts: define<{ path: string; providers: readonly string[] }>({
    when: "The scopes of a key are computed for what is in several accounts.",
    summary: "Key of which account?",
    text: ({ path, providers }, { and }) =>
      `${path} is in several accounts, those of ${and(providers.map(block))}, and a key belongs to one`,
    remedy: () => "Say which one: deployKeyFor(stack, { provider }).",
    examples: [
      { path: "live-erp", providers: ["live-erp/provider", "live-erp/provider-eu"] },
      { path: "live", providers: ["erphost", "live-keys/provider"] },
    ],
  }),
  deploy_key_elsewhere: define<{ provider: string; deployed: string; deployedProvider: string }>({
    when: "A key with computed scopes is declared in another account than what it is for.",
    summary: "Key for another account",
    text: ({ provider, deployed, deployedProvider }) =>
      `the key is in the account of ${block(provider)}, but ${deployed}, which it is for, is in that of ${block(deployedProvider)}`,
    remedy: () => "Declare it in that account.",
    examples: [
      {
        provider: "live-keys/provider",
        deployed: "live-erp",
        deployedProvider: "live-erp/provider-eu",
      },
    ],
  }),
  deploy_key_without_scopes: define<{ path: string; provider?: string | undefined }>({
    when: "The scopes of a key are computed for what needs none.",
    summary: "Key without scopes",
    text: ({ path, provider }) =>
      `nothing in ${path}${provider === undefined ? "" : ` in the account of ${block(provider)}`} needs a scope, so a key for it could do nothing`,
    remedy: ({ provider }) =>
      provider === undefined
        ? "Remove the key, or declare something there."
        : "Remove the key, or give the provider of what is declared there.",
    examples: [{ path: "live-erp" }, { path: "live-erp", provider: "live-keys/provider" }],
  }),
  wide_key: predicate<{
    users: readonly string[];
    extra: readonly string[];
    needed: readonly string[];
  }>({
    when: "A key may do more than what uses it needs, and an Aspect forbids that.",
    summary: "Key with too many scopes",
    text: ({ users, extra }, { and }) =>
      `go beyond what ${and(users)} ${users.length === 1 ? "needs" : "need"}: ${extra.join(", ")}`,
    remedy: ({ needed }) =>
      needed.length === 0
        ? "Remove the key."
        : `Use deployKeyFor, or set it to ${JSON.stringify(needed)}.`,
    examples: [
      { users: ["live-erp"], extra: ["servers:delete"], needed: ["servers:read"] },
      { users: ["live-erp", "live-web"], extra: ["servers:delete"], needed: [] },
    ],
  }),
};
