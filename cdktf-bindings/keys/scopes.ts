import { Aspects, TerraformElement, TerraformResource, TerraformStack } from "cdktf";
import { resolveContract, scopes, type Scope } from "../../provider/contract";
import { message } from "../../provider/messages";
import { readScope, scopesWhileDeclared, type Kind } from "../../provider/resources";
import { ProtectFromDeletion } from "../aspects/protect-from-deletion";
import type { IConstruct } from "constructs";
import { accountOf, accountOfBlock, idOf, type Account } from "../checks/account";
import { stacksIn } from "../checks/app";
import { isKnownLater } from "../checks/block";
import { hasMoved, inputOf, isOurs, type Block } from "../checks/program";
import { lookupOf } from "../checks/selection";
import { kindOf } from "../kind-of";
import { once, readOnceDuring } from "../synthesis";
import { sentenceOf } from "../voice";
import { nameOfDeployed, type DeployKeyOptions, type Deployed } from "./uses";

/**
 * Exactly the scopes that a key needs for the resources, lookups and rotations of a stack, as it is
 * now; what is declared later adds to them. An object that is protected from deletion needs no scope
 * to delete it. A stack is meant without the stacks in it, which have states of their own.
 * @throws Error if several accounts are in use and `provider` does not say which one is meant
 * @example
 * const server = new Server(stack, "web");
 * const needed = scopesFor(stack, { for: "plan" }); // ["servers:read"]
 */
export function scopesFor(deployed: Deployed, options: DeployKeyOptions = {}): readonly Scope[] {
  const { for: purpose = "apply", also = [] } = options;
  const own = ofOneAccount(deployed, options).flatMap((needs) => needs[purpose]);
  const needed = new Set([...own, ...also]);
  return scopes.map(({ name }) => name).filter((name) => needed.has(name));
}

/** What is deployed of the account that is meant. @throws Error if it is unclear which one */
export function ofOneAccount(deployed: Deployed, { provider }: DeployKeyOptions): readonly Needs[] {
  const all = readOnceDuring(() => needsOf(deployed));
  if (provider !== undefined) {
    const meant = idOf(accountOf(provider));
    return all.filter(({ account }) => idOf(account) === meant);
  }
  const blocks = new Map(all.map(({ account }) => [idOf(account), account.block]));
  if (blocks.size < 2) return all;
  const parts = { path: nameOfDeployed(deployed), providers: [...blocks.values()].toSorted() };
  throw new Error(sentenceOf(message("deploy_key_of_several_accounts", parts)));
}

/** What one account's part needs; across stacks, an account is one address and one key. */
interface Needs extends Readonly<Record<"plan" | "apply", readonly string[]>> {
  readonly account: Account;
}

/** What is needed in each account, by each stack. */
function needsOf(deployed: Deployed): readonly Needs[] {
  if (!("node" in deployed))
    return deployed.stacks.flatMap((stack) => once(stack, stacksIn)).flatMap(needsOf);
  return TerraformStack.isStack(deployed) ? once(deployed, needsIn) : needsIn(deployed);
}

/** A stack is meant without the stacks in it. */
function needsIn(construct: IConstruct): readonly Needs[] {
  const isStack = TerraformStack.isStack(construct);
  const blocks = construct.node
    .findAll()
    .filter((each) => TerraformElement.isTerraformElement(each))
    .filter((each) => isOurs(each))
    .filter((block) => !hasMoved(block) && (!isStack || block.cdktfStack === construct));
  return [...Map.groupBy(blocks, (block) => idOf(accountOfBlock(block))).values()].flatMap(
    (own) => {
      const scopesTo = (purpose: "plan" | "apply") => [
        ...new Set(own.flatMap((block) => scopesOf(block, purpose))),
      ];
      const needs = { plan: scopesTo("plan"), apply: scopesTo("apply") };
      return own.slice(0, 1).map((block) => ({ account: accountOfBlock(block), ...needs }));
    },
  );
}

function scopesOf(block: Block, purpose: "plan" | "apply"): readonly string[] {
  const contract = resolveContract();
  if (TerraformResource.isTerraformResource(block)) {
    const kind = kindOf(block);
    return kind ? scopesWhileDeclared(contract, kind, inputsOf(kind, block), purpose) : [];
  }
  const lookup = lookupOf(block);
  // The definitions are those that the contract is made of.
  const scope =
    lookup && readScope(contract, lookup.resource.name as Parameters<typeof readScope>[1]);
  return scope === undefined ? [] : [scope];
}

/** What a resource is given, as far as it decides about scopes; Aspects of its stack may not have run. */
function inputsOf(kind: Kind, resource: TerraformResource): Readonly<Record<string, unknown>> {
  const inputs: Record<string, unknown> = {};
  for (const [name] of kind.inputs) {
    const value = inputOf(resource, name);
    if (value !== undefined) inputs[name] = value;
  }
  // Whether there will be a backup is known only later: there may be one.
  const option = kind.reading.backupBefore?.option;
  if (option !== undefined && isKnownLater(inputs[option])) inputs[option] = true;
  if ("deletion_protection" in kind.fields)
    inputs["deletion_protection"] ??= isBelowProtection(resource);
  return inputs;
}

const isBelowProtection = ({ node }: TerraformResource): boolean =>
  node.scopes.some((scope) =>
    Aspects.of(scope).all.some((aspect) => aspect instanceof ProtectFromDeletion),
  );
