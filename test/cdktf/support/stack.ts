import { DefaultTokenResolver, StringConcat, TerraformStack, Testing, Tokenization } from "cdktf";
import { ErphostProvider } from "../../../cdktf-bindings";

/** A new stack with the provider in it. */
export function newStack(name = "erp"): TerraformStack {
  const stack = new TerraformStack(Testing.app(), name);
  new ErphostProvider(stack, "provider");
  return stack;
}

type Blocks = Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;

interface Synthesised {
  readonly resource?: Blocks;
  readonly data?: Blocks;
  readonly moved?: readonly { readonly from: string; readonly to: string }[];
  readonly output?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** The stack's configuration; Aspects and validations run. */
export const synth = (stack: TerraformStack): Synthesised =>
  // What Terraform documents as its JSON syntax.
  JSON.parse(Testing.synth(stack, true)) as Synthesised;

/** The only block of a type, without the metadata that cdktf adds. */
export function only(blocks: Blocks | undefined, type: string): Record<string, unknown> {
  const all = Object.values(blocks?.[type] ?? {});
  if (all.length !== 1) throw new Error(`${all.length} blocks of ${type}`);
  const { "//": _, ...block } = all[0] ?? {};
  return block;
}

/** An expression as it is written where null would count as left out. */
export const neverNull = (expression: string): string =>
  `\${${expression} == null ? "" : ${expression}}`;

/** A value as it is written into the configuration. */
export const written = (scope: TerraformStack, value: unknown): unknown =>
  Tokenization.resolve(value, { scope, resolver: new DefaultTokenResolver(new StringConcat()) });
