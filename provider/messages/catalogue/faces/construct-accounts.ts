/** What the constructs for CDKTF report of accounts and of the rights of keys. */
import { define } from "../../message";

/** Names in a sentence. */
export const listed = (paths: readonly string[]): string =>
  [paths.slice(0, -1).join(", "), paths.at(-1) ?? ""].filter((part) => part !== "").join(" and ");

/** The provider block, as a program knows it. */
export const block = (provider: string): string =>
  provider.includes(".") ? `the provider ${provider}` : "the default provider";

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
    remedy: ({ path, target }) => `Give ${path} and ${target} the same provider.`,
    examples: [
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
    text: ({ name, known }) =>
      known.length === 0
        ? `there is no account ${name}, because accounts is not set`
        : `there is no account ${name}, only ${listed(known)}`,
    remedy: ({ name }) => `Add ${name} to accounts of the stack or of its stage.`,
    examples: [
      { name: "eu", known: [] },
      { name: "eu", known: ["us", "asia"] },
    ],
  }),
  two_provider_blocks: define<{ paths: readonly string[]; alias: string | undefined }>({
    when: "A stack has two provider blocks without an alias, or with the same one.",
    summary: "Two provider blocks",
    text: ({ paths, alias }) =>
      `${listed(paths)} are provider blocks ${alias === undefined ? "without an alias" : `with the alias ${alias}`}`,
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
    text: ({ path, providers }) =>
      `${path} is in several accounts, those of ${listed(providers.map(block))}, and a key belongs to one`,
    remedy: () => "Say which one: deployKeyFor(stack, { provider }).",
    examples: [{ path: "live-erp", providers: ["erphost", "erphost.eu"] }],
  }),
  deploy_key_without_scopes: define<{ path: string }>({
    when: "The scopes of a key are computed for what needs none.",
    summary: "Key without scopes",
    text: ({ path }) => `nothing in ${path} needs a scope, so a key for it could do nothing`,
    remedy: () => "Remove the key, or declare something there.",
    examples: [{ path: "live-erp" }],
  }),
  wide_key: define<{
    users: readonly string[];
    extra: readonly string[];
    needed: readonly string[];
  }>({
    when: "A key may do more than what uses it needs, and an Aspect forbids that.",
    summary: "Key with too many scopes",
    predicate: true,
    text: ({ users, extra }) =>
      `go beyond what ${listed(users)} ${users.length === 1 ? "needs" : "need"}: ${extra.join(", ")}`,
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
