/** Which account a provider block is for, as far as a program says it. */
import { TerraformStack, Token, Tokenization, type TerraformProvider } from "cdktf";
import type { Values } from "../../provider/contract";
import { ErphostProvider as ProviderBlock } from "../generated/provider";
import { nameOf, providerOf, type Block } from "./program";

/** Where a block works and as whom, in texts that equal expressions of any stacks share. */
export interface Account {
  /** Path of the provider block; without one, the name that others know it by. */
  readonly block: string;
  /** Empty: that of the environment. */
  readonly address: string;
  /** Empty: that of the environment. It may be a secret. */
  readonly key: string;
}

/** The account of a provider block, after overrides. */
export function accountOf(provider: TerraformProvider | undefined): Account {
  if (!(provider instanceof ProviderBlock)) return unknownAccount(nameOf(provider));
  // What every provider block is rendered as.
  const rendered = provider.toTerraform() as { provider: { erphost: readonly Values[] } };
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
    const isElsewhere = TerraformStack.isStack(origin) && origin !== cdktfStack;
    return `\${${isElsewhere ? `${origin.node.path}:` : ""}${identifier}}`;
  });
}

/** Finds the accounts of blocks, each by the provider blocks of its own stack, which it reads once. */
export function accountFinder(): (block: Block) => Account {
  const known = new Map<TerraformStack, ReadonlyMap<string, Account>>();
  return (block) => {
    const accounts = known.get(block.cdktfStack) ?? accountsIn(block.cdktfStack);
    known.set(block.cdktfStack, accounts);
    const name = providerOf(block);
    return accounts.get(name) ?? unknownAccount(name);
  };
}

const accountsIn = (stack: TerraformStack): ReadonlyMap<string, Account> =>
  new Map(
    stack.node
      .findAll()
      .filter((each) => each instanceof ProviderBlock)
      .filter((each) => each.cdktfStack === stack)
      .map((each) => [nameOf(each), accountOf(each)]),
  );
