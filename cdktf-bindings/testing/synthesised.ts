/** A stack's configuration, as its tests see it. */
import { TerraformStack, Testing } from "cdktf";
import { isRecord } from "../../provider/contract";

/** A block of the configuration: arguments by their names in Terraform. */
export type Block = Readonly<Record<string, unknown>>;

/** A configuration, as far as tests look at it. */
export interface Configuration {
  /** By type, then by name. */
  readonly resource: Readonly<Record<string, Readonly<Record<string, Block>>>>;
  readonly data: Readonly<Record<string, Readonly<Record<string, Block>>>>;
  readonly output: Readonly<Record<string, Block>>;
  readonly moved: readonly Block[];
  readonly import: readonly Block[];
}

/** What a matcher found; in the shape that jest and vitest take. */
export interface Verdict {
  readonly pass: boolean;
  /** Why it passes or fails: what a failed test prints, of the matcher or of its opposite. */
  readonly message: string;
}

/**
 * What `Testing.synth` gives, after every Aspect and every validation: the library's own skips
 * validations unless its second argument is `true`.
 * @throws Error with everything that is wrong with the stack
 */
export function synth(stack: TerraformStack): string {
  assertStack("synth", stack);
  return Testing.synth(stack, true);
}

/** The configuration of a stack, or the one that `synth` or a `cdk.tf.json` has as text. */
export function configurationOf(from: TerraformStack | string): Configuration {
  const parsed: unknown = JSON.parse(typeof from === "string" ? from : synth(from));
  const part = (name: string): unknown => (isRecord(parsed) ? parsed[name] : undefined);
  // As Terraform documents its JSON syntax.
  return {
    resource: part("resource") ?? {},
    data: part("data") ?? {},
    output: part("output") ?? {},
    moved: part("moved") ?? [],
    import: part("import") ?? [],
  } as Configuration;
}

/** @throws Error where a test gives something else, such as the text that `Testing.synth` returns */
export function assertStack(
  matcher: string,
  received: unknown,
): asserts received is TerraformStack {
  if (received instanceof Object && TerraformStack.isStack(received)) return;
  const what = typeof received === "string" ? "a string" : "something else";
  throw new Error(
    `${matcher} takes a TerraformStack, and was given ${what}. It synthesises the stack itself, so pass the stack, not what Testing.synth returns.`,
  );
}
