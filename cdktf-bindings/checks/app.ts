/** What is wrong between a stack and the others of its app. */
import { TerraformElement, TerraformStack, type TerraformProvider } from "cdktf";
import type { IConstruct } from "constructs";
import { message, type Message } from "../../provider/messages";
import { comesFrom } from "../constructs/account";
import { Existing } from "../constructs/existing";
import { isOurs, pathOf, type Program } from "./program";
import { once } from "../synthesis";

/** Stacks with a validation of their own. The others are looked at by those whose blocks they may use. */
export const watched = new WeakSet<TerraformStack>();

/** Everything that is wrong with what a stack has of others, or has in common with them. */
export function faultsOfApp({ stack, blocks, existing }: Program): Message[] {
  const { root } = stack.node;
  if (once(root, stacksIn).length === 1) return [];
  const unwatched = once(root, unwatchedUsers).get(stack) ?? [];
  return [...sameId(stack), ...foreignProviders(stack, [...blocks, ...existing, ...unwatched])];
}

export const stacksIn = (root: IConstruct): TerraformStack[] =>
  root.node.findAll().filter((each) => TerraformStack.isStack(each));

/** By stack: what uses its providers in stacks that have no validation of their own. */
function unwatchedUsers(root: IConstruct): ReadonlyMap<unknown, readonly IConstruct[]> {
  const unwatched = once(root, stacksIn)
    .filter((each) => !watched.has(each))
    .flatMap(({ node }) => node.findAll());
  return Map.groupBy(new Set(unwatched), (user) => {
    const provider = providerGivenTo(user);
    return provider && TerraformStack.of(provider);
  });
}

/** A stack's id names its folder, wherever in the app it is: one would be written over another. */
function sameId({ node }: TerraformStack): Message[] {
  const twins = once(node.root, stacksByFolder).get(folderOf(node)) ?? [];
  if (twins.length < 2) return [];
  const ids = [...new Set(twins.map((each) => each.node.id))].toSorted();
  return [message("same_stack_id", { ids, paths: twins.map((each) => each.node.path) })];
}

/** On macOS and Windows, names that differ only in case are one file. */
const folderOf = ({ id }: IConstruct["node"]): string => id.toLowerCase();

const stacksByFolder = (root: IConstruct): ReadonlyMap<string, readonly TerraformStack[]> =>
  Map.groupBy(once(root, stacksIn), ({ node }) => folderOf(node));

/** In another stack a block's name is that of another block, or of none: of another account. */
function foreignProviders(stack: TerraformStack, users: readonly IConstruct[]): Message[] {
  const seen = new Set<IConstruct>();
  return users.flatMap((each) => {
    const provider = providerGivenTo(each);
    if (provider === undefined) return [];
    const [own, home] = [TerraformStack.of(each), TerraformStack.of(provider)];
    if (own === home || (own !== stack && home !== stack)) return [];
    const given = comesFrom(each, provider);
    if (seen.has(given)) return [];
    seen.add(given);
    const path = { path: pathOf(given), provider: pathOf(provider) };
    return [message("provider_of_another_stack", { ...path, stack: own.node.path })];
  });
}

function providerGivenTo(construct: IConstruct): TerraformProvider | undefined {
  if (construct instanceof Existing) return construct.provider;
  return TerraformElement.isTerraformElement(construct) && isOurs(construct)
    ? construct.provider
    : undefined;
}
