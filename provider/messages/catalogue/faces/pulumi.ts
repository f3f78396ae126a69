/** What only the dynamic classes for Pulumi report. */
import { define, predicate, type Subject } from "../../message";
import { shellWord } from "../../safe";

const server: Subject = { kind: "server", id: "srv_1", name: "web" };

/** An account as a program names it; without a name, the one that the stack itself is configured for. */
const inAccount = (account: string | undefined): string =>
  account === undefined ? "the stack's default account" : `account ${account}`;

export const pulumiMessages = {
  adopts_held: define<{ subject: Subject; by: string; sought?: string }>({
    when: "A program adopts what the state has already, or may have under another name, so that a replacement would delete it.",
    summary: "Adopted and in the state",
    text: ({ by, sought }, { it }) =>
      sought === undefined
        ? `${it} is in this state already, and ${by} adopts it: a replacement would delete the very object that it adopts`
        : `${it} is in this state already, and ${by} adopts ${sought}, which was not found: a replacement would delete the one and have nothing to adopt`,
    remedy: () =>
      "It was not deleted. To replace it, take adoptId out of the program, then run the replacement again. Where a resource was renamed, declare its former name as an alias.",
    examples: [
      { subject: server, by: "web" },
      { subject: server, by: "web", sought: "name=www" },
    ],
  }),
  account_not_configured: define<{
    account: string;
    known: readonly string[];
    subject?: Subject | undefined;
  }>({
    when: "A program or a state names an account that the stack's configuration does not have.",
    summary: "Account not configured",
    text: ({ subject, account, known }, { or, it }) => {
      const what =
        subject === undefined ? `account ${account}` : `${it} is in account ${account}, which`;
      const others = known.length === 0 ? "" : `; the stack's configuration has ${or(known)}`;
      return `${what} is not configured${others}`;
    },
    remedy: (_, { howToSet }) =>
      `For its address, ${howToSet("baseUrl")}. For its key, ${howToSet("apiKey")}.`,
    examples: [
      { account: "eu", known: [] },
      { account: "ue", known: ["eu", "us"] },
      { account: "eu", known: ["us"], subject: server },
    ],
  }),
  provider_without_key: predicate({
    when: "An explicit provider of a program with the plugin, or a provider block, has an address of its own, and no key.",
    summary: "Provider without a key of its own",
    text: () =>
      "is not set, so that the key of the environment would go to the address that is set here",
    remedy: () => "Give this provider the key of its account.",
  }),
  settings_of_a_run: define<{ names: readonly string[] }>({
    when: "The state of a provider has settings of one run or one machine, which none is given any more.",
    summary: "Settings of an earlier run",
    text: ({ names }) =>
      `the state of this provider has settings of an earlier run: ${names.join(", ")}; they are ignored, and dropped at its next update`,
    remedy: () => "Where this run needs one, set it in the program or the environment.",
    examples: [{ names: ["resume"] }, { names: ["timeout", "intentsDir"] }],
  }),
  settings_of_a_program: define<{ names: readonly string[] }>({
    when: "A program gives a provider settings of one run or one machine, which a run that begins with a refresh does not have.",
    summary: "Settings that a refresh does not have",
    text: ({ names }, { and }) =>
      `no state keeps ${and(names)}, so that \`pulumi up --refresh\`, \`refresh\` and \`destroy\` work without`,
    remedy: ({ names }, { and, setting }) => `Set ${and(names.map(setting))} instead.`,
    examples: [{ names: ["resume"] }, { names: ["timeout", "intentsDir"] }],
  }),
  invalid_account_name: define({
    when: "The name of an account has characters that are not allowed.",
    summary: "Invalid name of an account",
    text: () =>
      "the name of an account must be a text of lower-case letters, digits and single hyphens, such as eu or customer-12",
  }),
  ambiguous_account_variable: define<{ variable: string; accounts: readonly string[] }>({
    when: "A variable is read for two accounts, as another setting of each.",
    summary: "Variable of two accounts",
    text: ({ variable, accounts }) =>
      `${variable} is a setting of account ${accounts.join(" and another one of account ")}, so that one of them would be wrong`,
    remedy: () =>
      "Unset it and use the stack's configuration, or give one of the accounts another name.",
    examples: [{ variable: "ERPHOST_ACCOUNT_EU_FORMER_BASE_URL", accounts: ["eu", "eu-former"] }],
  }),
  accounts_not_an_object: predicate({
    when: "The configuration of named accounts is not an object with an object for each.",
    summary: "Invalid configuration of accounts",
    text: () => "must be an object of settings",
    remedy: () => "Set single values of it with `pulumi config set --path`.",
  }),
  object_of_other_account: define<{
    subject: Subject;
    from: string | undefined;
    to: string | undefined;
    urn: string | undefined;
  }>({
    when: "A program declares an object in another account than the one that it is in.",
    summary: "Object of another account",
    text: ({ from, to }, { it }) =>
      `${it} is in ${inAccount(from)}, but the program declares it in ${inAccount(to)}, and an object cannot move to another account`,
    remedy: ({ from, to, urn = "URN" }) =>
      `Declare it in ${inAccount(from)} again. To create another one in ${inAccount(to)} and delete this one, run \`pulumi up --replace ${shellWord(urn)}\`.`,
    examples: [
      { subject: server, from: "eu", to: "us", urn: undefined },
      { subject: server, from: undefined, to: "us", urn: "urn:pulumi:dev::erp::type::web" },
    ],
  }),
  account_renamed: define<{ subject: Subject; from: string | undefined; to: string | undefined }>({
    when: "A program gives an account another name, and the objects are seen to be the same.",
    summary: "Account has another name",
    text: ({ from, to }, { it }) =>
      `${inAccount(from)} is ${inAccount(to)} now: only the state of ${it} changes`,
    examples: [
      { subject: server, from: "eu", to: "europe" },
      { subject: server, from: undefined, to: "eu" },
    ],
  }),
  account_not_rehearsed: define<{ account: string | undefined }>({
    when: "A run works on a twin of one account, and would work on another account itself.",
    summary: "Account without a twin",
    text: ({ account }) =>
      `this run works on a twin, but for ${inAccount(account)} it would work on the account itself`,
    remedy: (_, { howToSet }) => `Start a twin of it as well, and ${howToSet("twinOf")}.`,
    examples: [{ account: "eu" }, { account: undefined }],
  }),
  not_found_from_program: define({
    when: "A package of the program has a copy of erphost that Pulumi could not find from the program.",
    summary: "Package not found",
    text: () =>
      "Pulumi runs dynamic resources from the program's folder, and erphost cannot be found from there",
    remedy: () => "Add it to the program's own dependencies: npm install erphost.",
  }),
  explicit_provider: define<{ option: string }>({
    when: "A dynamic resource is given a provider of Pulumi's, which it cannot use.",
    summary: "Provider cannot be used",
    text: ({ option }) =>
      `the dynamic classes take no ${option}: they run in Pulumi's own provider for Node.js`,
    remedy: () =>
      'For another account, name it: { account: "eu" }. Or move to the plugin, which takes explicit providers (docs/moving-to-the-plugin.md).',
    examples: [{ option: "provider" }, { option: "providers" }],
  }),
  dynamic_import: define<{ option: string }>({
    when: "A dynamic resource is given an option of Pulumi's, import or id, that Pulumi cannot follow for these resources.",
    summary: "Object named by an option",
    text: ({ option }) => `Pulumi cannot ${option === "id" ? "read" : "import"} dynamic resources`,
    remedy: ({ option }) =>
      `To take over an object, give its id, or name=…, in the argument adoptId instead of the option ${option}. To read one, look it up, as getServer does. Or move to the plugin, which imports and reads (docs/moving-to-the-plugin.md).`,
    examples: [{ option: "import" }, { option: "id" }],
  }),
};
