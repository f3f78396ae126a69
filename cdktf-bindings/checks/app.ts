/** What is wrong between a stack and the others of its app. */
import { TerraformElement, TerraformStack, Tokenization, type TerraformProvider } from "cdktf";
import type { IConstruct } from "constructs";
import { message, type Message } from "../../provider/messages";
import { comesFrom } from "../constructs/account";
import { Existing } from "../constructs/existing";
import { accountFinder } from "./account";
import { addressOf, inputOf, isOurs, pathOf, type Block, type Program } from "./program";
import { addressesIn } from "./references";

/** The same fault may be found from both stacks, because only one of them may be looked at. */
export function faultsOfApp(program: Program): Message[] {
  const { stack } = program;
  const all = stack.node.root.node.findAll();
  const stacks = all.filter((each) => TerraformStack.isStack(each));
  if (stacks.length === 1) return [];
  return [
    ...sameId(stack, stacks),
    ...foreignProviders(stack, all),
    ...otherAccounts(program, all),
  ];
}

/** A stack's id names its folder, wherever in the app it is: one would be written over another. */
function sameId(stack: TerraformStack, stacks: readonly TerraformStack[]): Message[] {
  const twins = stacks.filter(({ node }) => node.id === stack.node.id);
  if (twins.length === 1) return [];
  const parts = { id: stack.node.id, paths: twins.map(({ node }) => node.path) };
  return [message("same_stack_id", parts)];
}

/** In another stack a block's name is that of another block, or of none: of another account. */
function foreignProviders(stack: TerraformStack, all: readonly IConstruct[]): Message[] {
  const seen = new Set<IConstruct>();
  return all.flatMap((each) => {
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

/** An id is one of an account: at another address it is the id of another object, or of none. */
function otherAccounts({ declarations, stack }: Program, all: readonly IConstruct[]): Message[] {
  const find = accountFinder();
  return declarations.flatMap(({ resource, kind }) =>
    kind.inputs
      .filter(([, { references }]) => references !== undefined)
      .flatMap(([name]) => {
        const [own, subject] = [find(resource), { kind: kind.name }];
        return referredElsewhere(inputOf(resource, name), stack, all)
          .map((target) => ({ target, account: find(target) }))
          .filter(({ account }) => account.address !== own.address)
          .map(({ target, account }) => {
            const it = { path: pathOf(resource), provider: own.block, field: name };
            const other = { target: pathOf(target), targetProvider: account.block };
            return message("other_account", { ...it, ...other }, { subject });
          });
      }),
  );
}

/** The blocks of other stacks that an argument refers to. */
function referredElsewhere(
  given: unknown,
  stack: TerraformStack,
  all: readonly IConstruct[],
): readonly Block[] {
  if (typeof given !== "string") return [];
  return Tokenization.reverseString(given).tokens.flatMap((token) => {
    const origin: unknown = Reflect.get(token, "originStack");
    if (!TerraformStack.isStack(origin) || origin === stack) return [];
    const addresses = addressesIn(String(Reflect.get(token, "identifier")));
    return all
      .filter((each) => TerraformElement.isTerraformElement(each))
      .filter((each) => isOurs(each))
      .filter((each) => each.cdktfStack === origin && addresses.includes(addressOf(each)));
  });
}
