import type { IResolvable, TerraformResource } from "cdktf";
import { message } from "../../provider/messages";
import { accountOfBlock, isElsewhere } from "../checks/account";
import { computedList } from "../checks/computed";
import { sentenceOf } from "../voice";
import { ofOneAccount, scopesFor } from "./scopes";
import { nameOfDeployed, type DeployKeyOptions, type Deployed, type Use } from "./uses";

/** The props of a key that are computed. */
export interface DeployKeyProps {
  /** Exactly the scopes that are needed when the program is synthesised. */
  readonly permissions: IResolvable;
}

/**
 * Props of a key with exactly the scopes that applying (or only planning) a stack needs, those of what
 * is declared in it later included. Declare such a key in another stack, which somebody with more
 * rights applies: before what needs more scopes, and after what needs fewer.
 * @throws Error at synthesis, if nothing there needs a scope, or if it is in several accounts
 * @example
 * const keys = new ErphostStack(app, "keys");
 * new ApiKey(keys, "apply", deployKeyFor(stack));
 * new ApiKey(keys, "plan", { ...deployKeyFor(stack, { for: "plan" }), rotateAfter: "30d" });
 * new Server(stack, "web", { deletionProtection: true });
 */
export function deployKeyFor(deployed: Deployed, options: DeployKeyOptions = {}): DeployKeyProps {
  const produce = (): readonly string[] => {
    const needed = scopesFor(deployed, options);
    if (needed.length > 0) return needed;
    const { provider } = options;
    const parts = { path: nameOfDeployed(deployed), provider: provider?.node.path };
    throw new Error(sentenceOf(message("deploy_key_without_scopes", parts)));
  };
  const permissions = computedList(produce);
  uses.set(permissions, { ...options, deployed });
  return { permissions };
}

/** What computed permissions are for. */
const uses = new WeakMap<object, Use>();

/** A key whose permissions are for what is in another account, where it opens nothing. */
export function faultsOfDeployKey(key: TerraformResource, permissions: unknown): string[] {
  const use = typeof permissions === "object" && permissions ? uses.get(permissions) : undefined;
  const deployed = use && ofOneAccount(use.deployed, use)[0]?.account;
  const own = accountOfBlock(key);
  if (!deployed || !isElsewhere(own, deployed)) return [];
  const parts = { provider: own.block, deployed: nameOfDeployed(use.deployed) };
  const other = { ...parts, deployedProvider: deployed.block };
  return [sentenceOf(message("deploy_key_elsewhere", other))];
}
