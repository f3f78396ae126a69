/** References to objects of other stacks, which may be in other accounts. */
import { TerraformElement, TerraformStack, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";
import { camel } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import { Existing } from "../constructs/existing";
import { referredBy } from "../constructs/identity";
import { accountOf, Accounts, type Account } from "./account";
import { inputOf, isOurs, ownerOf, pathOf, readProgram, type Program } from "./program";
import { addressesIn } from "./references";
import { once } from "../synthesis";

/** An object of another stack. */
interface Target {
  readonly construct: IConstruct;
  readonly account: Account;
}

/** An id is one of an account: in another one it is the id of another object, or of none. */
export function referencesToOtherAccounts({ declarations, stack }: Program): Message[] {
  const accounts = new Accounts();
  return declarations.flatMap(({ resource, kind }) =>
    kind.inputs.flatMap(([field, { references }]) => {
      if (references === undefined) return [];
      const own = accounts.of(resource);
      const known = givenElsewhere(ownerOf(resource), `${camel(references)}Id`, accounts);
      const targets =
        known.length > 0 ? known : declaredElsewhere(inputOf(resource, field), stack, accounts);
      return targets
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
      .map((each) => ({ construct: each, account: accounts.of(each) }));
  });
}

/** What a construct has been given of other stacks; an id alone is of no account unless that is stated. */
const givenElsewhere = (construct: IConstruct, id: string, accounts: Accounts): readonly Target[] =>
  referredBy(construct)
    .filter((each) => id in each && TerraformStack.of(each) !== TerraformStack.of(construct))
    .flatMap((each) => {
      const [first] = each.node
        .findAll()
        .filter((below) => TerraformElement.isTerraformElement(below))
        .filter((below) => isOurs(below));
      if (first) return [{ construct: each, account: accounts.of(first) }];
      const stated = each instanceof Existing ? each.provider : undefined;
      return stated ? [{ construct: each, account: accountOf(stated) }] : [];
    });
