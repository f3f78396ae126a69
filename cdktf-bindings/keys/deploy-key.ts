/** Keys with the least privilege. */
import type { IResolvable } from "cdktf";
import { message } from "../../provider/messages";
import { computedList } from "../checks/computed";
import { sentenceOf } from "../voice";
import { scopesFor } from "./scopes";
import { nameOfDeployed, type DeployKeyOptions, type Deployed } from "./uses";

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
    const fault = message("deploy_key_without_scopes", parts);
    throw new Error(sentenceOf(fault));
  };
  return { permissions: computedList(produce) };
}
