/** The scopes that applying or planning a part of a program needs. */
import { Aspects, TerraformElement, TerraformResource, TerraformStack } from "cdktf";
import { camel, isRecord, resolveContract, scopes, type Scope } from "../../provider/contract";
import { readScope, scopesWhileDeclared } from "../../provider/engine/guards/rights";
import { message } from "../../provider/messages";
import type { Kind } from "../../provider/resources";
import { ProtectFromDeletion } from "../aspects/protect-from-deletion";
import { accountOf, Accounts, idOf, type Account } from "../checks/account";
import { isKnownLater } from "../checks/block";
import { hasMoved, isOurs, type Block } from "../checks/program";
import { lookupOf } from "../checks/selection";
import { kindOf } from "../kind-of";
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
  const needed = new Set<string>(also);
  for (const block of ofOneAccount(deployed, options)?.blocks ?? []) {
    for (const scope of scopesOf(block, purpose)) needed.add(scope);
  }
  return scopes.map(({ name }) => name).filter((name) => needed.has(name));
}

/**
 * What is deployed of the account that is meant.
 * @throws Error if several accounts are in use and `provider` does not say which one is meant
 */
export function ofOneAccount(
  deployed: Deployed,
  { provider }: DeployKeyOptions,
): OfAccount | undefined {
  const accounts = byAccount(blocksOf(deployed));
  if (provider !== undefined) return accounts.get(idOf(accountOf(provider)));
  const [only, ...others] = accounts.values();
  if (only === undefined || others.length === 0) return only;
  const providers = [only, ...others].map(({ account }) => account.block).toSorted();
  const parts = { path: nameOfDeployed(deployed), providers };
  throw new Error(sentenceOf(message("deploy_key_of_several_accounts", parts)));
}

/** What is deployed of one account. */
interface OfAccount {
  readonly account: Account;
  readonly blocks: Block[];
}

/** Stacks have provider blocks of their own: one account is the same address and the same key. */
function byAccount(blocks: readonly Block[]): ReadonlyMap<string, OfAccount> {
  const known = new Accounts();
  const accounts = new Map<string, OfAccount>();
  for (const block of blocks) {
    const account = known.of(block);
    const same = accounts.get(idOf(account));
    if (same) same.blocks.push(block);
    else accounts.set(idOf(account), { account, blocks: [block] });
  }
  return accounts;
}

/** All that is deployed of this provider's. */
function blocksOf(deployed: Deployed): readonly Block[] {
  if (!("node" in deployed)) return deployed.stacks.flatMap((stack) => blocksIn(stack));
  const blocks = blocksIn(deployed);
  return TerraformStack.isStack(deployed)
    ? blocks.filter((block) => block.cdktfStack === deployed)
    : blocks;
}

const blocksIn = (construct: Exclude<Deployed, { readonly stacks: unknown }>): readonly Block[] =>
  construct.node
    .findAll()
    .filter((each) => TerraformElement.isTerraformElement(each))
    .filter((each) => isOurs(each))
    .filter((block) => !hasMoved(block));

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
  const overrides: unknown = Reflect.get(resource, "rawOverrides");
  const inputs: Record<string, unknown> = {};
  for (const [name] of kind.inputs) {
    const override = isRecord(overrides) ? overrides[name] : undefined;
    const value: unknown = override ?? Reflect.get(resource, `${camel(name)}Input`);
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
