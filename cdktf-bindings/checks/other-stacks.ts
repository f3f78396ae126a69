/** References to objects of other stacks, which may be in other accounts. */
import { TerraformElement, TerraformStack, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";
import { camel } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import { Existing } from "../constructs/existing";
import { referredBy } from "../constructs/identity";
import { accountOf, Accounts, type Account } from "./account";
import { inputOf, isOurs, ownerOf, pathOf, readProgram, type Block, type Program } from "./program";
import { addressesIn } from "./references";
import { once } from "../synthesis";

/** An object of another stack. */
interface Target {
  readonly construct: IConstruct;
  readonly account: Account;
  /** What declares it or looks it up; none where a program has only its id. */
  readonly block?: Block;
}

/** An id is one of an account: in another one it is the id of another object, or of none. */
export function referencesToOtherAccounts({ declarations, stack }: Program): Message[] {
  const accounts = new Accounts();
  return declarations.flatMap(({ resource, kind }) =>
    kind.inputs.flatMap(([field, { references }]) => {
      if (references === undefined) return [];
      const own = accounts.of(resource);
      return targetsElsewhere(resource, [field, references], accounts)
        .filter(({ construct, account }) =>
          accounts.differ(own, account, [stack, TerraformStack.of(construct)]),
        )
        .map(({ construct, account }) => {
          const it = { path: pathOf(resource), provider: own.block, field };
          const other = { target: pathOf(construct), targetProvider: account.block };
          return message("other_account", { ...it, ...other }, { subject: { kind: kind.name } });
        });
    }),
  );
}

/** Objects of other stacks that a field refers to, which takes the id of an object of a kind. */
export function targetsElsewhere(
  resource: Block,
  [field, kind]: readonly [field: string, kind: string],
  accounts: Accounts,
): readonly Target[] {
  const known = givenElsewhere(ownerOf(resource), `${camel(kind)}Id`, accounts);
  if (known.length > 0) return known;
  return declaredElsewhere(inputOf(resource, field), resource.cdktfStack, accounts);
}

/** What an expression refers to in other stacks. */
function declaredElsewhere(
  given: unknown,
  stack: TerraformStack,
  accounts: Accounts,
): readonly Target[] {
  if (typeof given !== "string") return [];
  return Tokenization.reverseString(given).tokens.flatMap((token) => {
    const origin: unknown = Reflect.get(token, "originStack");
    if (!TerraformStack.isStack(origin) || origin === stack) return [];
    const addresses = addressesIn(String(Reflect.get(token, "identifier")));
    const { byAddress } = once(origin, readProgram);
    return [...new Set(addresses)]
      .flatMap((address) => byAddress.get(address) ?? [])
      .map((each) => ({ construct: each, account: accounts.of(each), block: each }));
  });
}

/** What a construct is given of other stacks; an id has an account only where one is stated. */
const givenElsewhere = (construct: IConstruct, id: string, accounts: Accounts): readonly Target[] =>
  referredBy(construct)
    .filter((each) => id in each && TerraformStack.of(each) !== TerraformStack.of(construct))
    .flatMap((each) => {
      const [first] = each.node
        .findAll()
        .filter((below) => TerraformElement.isTerraformElement(below))
        .filter((below) => isOurs(below));
      if (first) return [{ construct: each, account: accounts.of(first), block: first }];
      const stated = each instanceof Existing ? each.provider : undefined;
      return stated ? [{ construct: each, account: accountOf(stated) }] : [];
    });
