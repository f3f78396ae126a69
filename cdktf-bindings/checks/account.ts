/** Which account a provider block is for, as far as a program says it. */
import { TerraformStack, Token, Tokenization, type TerraformProvider } from "cdktf";
import type { Values } from "../../provider/contract";
import { ErphostProvider as ProviderBlock } from "../generated/provider";
import { nameOf, providerOf, readProgram, type Block } from "./program";
import { once } from "../synthesis";

/** Where a block works and as whom, in texts that equal expressions of any stacks share. */
export interface Account {
  /** Path of the provider block; without one, the name that others know it by. */
  readonly block: string;
  /** Empty: that of the environment. */
  readonly address: string;
  /** Empty: that of the environment. It may be a secret. */
  readonly key: string;
}

/** The account of a provider block, after overrides: its key as the program has it, null or not. */
export function accountOf(provider: TerraformProvider | undefined): Account {
  if (!(provider instanceof ProviderBlock)) return unknownAccount(nameOf(provider));
  // What every provider block is rendered as.
  const rendered = ProviderBlock.prototype.toTerraform.call(provider) as {
    provider: { erphost: readonly Values[] };
  };
  const { base_url: address, api_key: key } = rendered.provider.erphost[0] ?? {};
  const block = provider.node.path;
  return { block, address: textIn(provider, address), key: textIn(provider, key) };
}

/** Without a block, the default provider has all of its settings from the environment. */
const unknownAccount = (name: string): Account => ({
  block: name,
  address: "",
  key: name === nameOf(undefined) ? "" : name,
});

/** An expression as text. Resolving it would link the stack to those that it refers to. */
function textIn({ cdktfStack }: ProviderBlock, value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = Token.asString(value).trim();
  return text.replace(/\$\{TfToken\[[^\]]*\]\}/g, (token) => {
    const [reference] = Tokenization.reverseString(token).tokens;
    const identifier: unknown = reference && Reflect.get(reference, "identifier");
    if (typeof identifier !== "string") return token;
    const origin: unknown = reference && Reflect.get(reference, "originStack");
    const isOther = TerraformStack.isStack(origin) && origin !== cdktfStack;
    return `\${${isOther ? `${origin.node.path}:` : ""}${identifier}}`;
  });
}

/** The account of a block, by the provider blocks of its own stack. */
export function accountOfBlock(block: Block): Account {
  const name = providerOf(block);
  return once(block.cdktfStack, accountsIn).get(name) ?? unknownAccount(name);
}

/**
 * Whether two are another account for sure: at another address, or because one of these stacks has both.
 * Two keys alone may be of one account, because each stack may have its own.
 */
export function differ(one: Account, other: Account, stacks: readonly TerraformStack[]): boolean {
  if (isElsewhere(one, other)) return true;
  if (idOf(one) === idOf(other)) return false;
  return stacks.some((stack) => {
    const accounts = [...once(stack, accountsIn).values()].map(idOf);
    return [one, other].every((each) => accounts.includes(idOf(each)));
  });
}

/** Whether two have another address for sure; that of the environment may be any. */
export const isElsewhere = (one: Account, other: Account): boolean =>
  one.address !== "" && other.address !== "" && one.address !== other.address;

/** Equal for blocks of one account. It may hold a secret. */
export const idOf = ({ address, key }: Account): string => JSON.stringify([address, key]);

const accountsIn = (stack: TerraformStack): ReadonlyMap<string, Account> =>
  new Map(
    once(stack, readProgram)
      .elements.filter((each) => each instanceof ProviderBlock)
      .map((each) => [nameOf(each), accountOf(each)]),
  );
