import { isAbsolute, normalize, sep } from "node:path";
import { Aspects, TerraformStack, TerraformVariable, type TerraformBackend } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import type { Values } from "../../provider/contract";
import { message } from "../../provider/messages";
import { accountOf } from "../checks/account";
import { withoutUndefined } from "../constructs/declared";
import { ErphostProvider } from "../provider";
import { sentenceOf } from "../voice";
import { prefixNames } from "./names";
import { furtherAccount, joined, misspelledIn } from "./settings";
import type { AccountSettings, HandedDown } from "./settings";
import { ErphostStage } from "./stage";

/** What a variable can be called in Terraform and in an environment; the library drops all else. */
const VARIABLE = /^[A-Za-z_]\w*$/;

/** Props of a stack: what it is not given, it has from its stage, or from the stack that it is in. */
export type ErphostStackProps = HandedDown;

/**
 * A stack whose provider blocks are declared already. In a stage, the stage's name is the first part
 * of its own, and so of its state, its folder and the identities of everything in it.
 * @example
 * const production = new ErphostStack(app, "production", {
 *   accounts: { eu: { baseUrl: "https://eu.example/v1", apiKeyVariable: "eu_key" } },
 * });
 * new Server(production, "web");
 * new Server(production, "eu-web", { provider: production.account("eu") });
 */
export class ErphostStack extends TerraformStack {
  /** The account that everything here is in by default. */
  readonly provider: ErphostProvider;
  /** What it has of its own and from above. */
  readonly settings: HandedDown;
  /** Where its state is; empty: in its folder. */
  private readonly state: string;

  constructor(scope: Construct | ErphostStage, id: string, props: ErphostStackProps = {}) {
    super(scope instanceof ErphostStage ? scope.app : scope, nameOf(scope, id));
    const outer =
      scope instanceof ErphostStage ? scope.settings : (stackAbove(scope)?.settings ?? {});
    this.settings = joined(outer, props);
    const { namePrefix = "", backend, aspects = [], account = {} } = this.settings;
    prefixNames(this, namePrefix);
    for (const aspect of aspects) Aspects.of(this).add(aspect);
    this.provider = this.declareAccount("provider", account);
    this.state = stateOf(backend?.(this, this.node.id));
    if (this.state !== "") rememberState(this, this.state);
    this.node.addValidation({
      validate: () => [...misspelledIn(this.settings).map(sentenceOf), ...this.sameState()],
    });
    if (scope instanceof ErphostStage) scope.add(this);
  }

  /**
   * One of the further accounts, as a `provider`. Its block is declared when it is first asked for.
   * @throws Error if there is no account of this name
   */
  account(name: string): ErphostProvider {
    const id = `provider-${name}`;
    const declared = this.node.tryFindChild(id);
    if (declared instanceof ErphostProvider) return declared;
    const { account = {}, accounts = {} } = this.settings;
    const own = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
    if (own !== undefined) return this.declareAccount(id, furtherAccount(account, own), name);
    const fault = message("unknown_account", { name, known: Object.keys(accounts) });
    throw new Error(`[${this.node.path}] ${sentenceOf(fault)}`);
  }

  /** A plan would delete what it finds in the state of another stack. */
  private sameState(): string[] {
    const twins = withState.get(this.node.root)?.get(this.state) ?? [];
    const paths = twins.map(({ node }) => node.path);
    return twins.length < 2 ? [] : [sentenceOf(message("same_state", { paths }))];
  }

  private declareAccount(id: string, settings: AccountSettings, alias?: string): ErphostProvider {
    const { apiKeyVariable, scope, ...rest } = withoutUndefined(settings);
    if (apiKeyVariable !== undefined && "apiKey" in rest) {
      const fault = message("set_twice", { field: "apiKey", other: "apiKeyVariable" });
      throw new Error(`[${this.node.path}] ${sentenceOf(fault)}`);
    }
    const block = new AccountBlock(this, id, {
      ...rest,
      ...(apiKeyVariable !== undefined && { apiKey: this.secret(apiKeyVariable) }),
      ...(scope !== undefined && {
        scope: scope && `${scope}/${this.node.id}/\${terraform.workspace}`,
      }),
      ...(alias !== undefined && { alias }),
    });
    if (alias !== undefined) block.node.addValidation({ validate: () => this.noAddress(block) });
    return block;
  }

  /** Where the default account has an address of its own, that of the environment is nobody's. */
  private noAddress(named: ErphostProvider): string[] {
    const { address, key } = accountOf(named);
    if (address !== "" || accountOf(this.provider).address === "" || key === "") return [];
    return [sentenceOf(message("key_without_address", {}, { path: ["baseUrl"] }))];
  }

  /** The value of a variable that holds a key; several accounts may take theirs from the same one. */
  private secret(name: string): string {
    if (!VARIABLE.test(name)) {
      const fault = message("bad_key_variable", { name }, { path: ["apiKeyVariable"] });
      throw new Error(`[${this.node.path}] ${sentenceOf(fault)}`);
    }
    const declared = this.node.tryFindChild(name);
    const variable =
      declared instanceof TerraformVariable
        ? declared
        : new TerraformVariable(this, name, {
            type: "string",
            sensitive: true,
            // A block would take null for left out, and the key of the environment with it.
            nullable: false,
            description: "API key of the account.",
          });
    return variable.stringValue;
  }
}

/** What tells states apart, as their backends are written; empty for a path in the stack's own folder. */
function stateOf(backend: TerraformBackend | undefined): string {
  if (backend === undefined) return "";
  // What every backend is rendered as; that of HCP Terraform has another name.
  const { terraform } = backend.toTerraform() as {
    terraform: { backend?: Record<string, Values>; cloud?: Values };
  };
  const path = terraform.backend?.["local"]?.["path"];
  return typeof path === "string" && isBelow(path) ? "" : JSON.stringify(terraform);
}

const isBelow = (path: string): boolean =>
  !isAbsolute(path) && normalize(path).split(sep)[0] !== "..";

/** The stacks of each app that have a state outside of their folder, by what tells states apart. */
const withState = new WeakMap<IConstruct, Map<string, ErphostStack[]>>();

function rememberState(stack: ErphostStack, state: string): void {
  const { root } = stack.node;
  const states = withState.get(root) ?? new Map<string, ErphostStack[]>();
  withState.set(root, states.set(state, [...(states.get(state) ?? []), stack]));
}

/** The block of an account, half of which never comes from the environment. */
class AccountBlock extends ErphostProvider {
  protected override mustHaveKey(hasAddress: boolean): boolean {
    return hasAddress || this.alias !== undefined;
  }
}

/** Stacks of an app are known by their names alone, so that each is named after all that is above it. */
function nameOf(scope: Construct | ErphostStage, id: string): string {
  if (scope instanceof ErphostStage) return `${scope.name}-${id}`;
  // A stack has all of its name in its id, and an app has none.
  const { scopes } = scope.node;
  const stack = scopes.findLastIndex((each) => TerraformStack.isStack(each));
  return [...scopes.slice(Math.max(stack, 1)).map(({ node }) => node.id), id].join("-");
}

/** The nearest stack above that hands something down. */
const stackAbove = (scope: Construct): ErphostStack | undefined =>
  scope.node.scopes.toReversed().find((each) => each instanceof ErphostStack);
