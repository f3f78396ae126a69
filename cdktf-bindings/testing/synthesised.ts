/** A stack's configuration, as its tests see it. */
import { TerraformElement, TerraformStack, Testing } from "cdktf";
import { isRecord } from "../../provider/contract";
import { prepared } from "../checks/references";

/** A block of the configuration: arguments by their names in Terraform. */
export type Block = Readonly<Record<string, unknown>>;
/** Blocks by name. */
type Blocks = Readonly<Record<string, Block>>;

/** A configuration, as far as tests look at it. */
export interface Configuration {
  /** The id of its stack; a text has it only if an app wrote it. */
  readonly stack: string | undefined;
  /** Settings of the engine, its backend among them. */
  readonly terraform: Block;
  /** By type, then by name. */
  readonly resource: Readonly<Record<string, Blocks>>;
  readonly data: Readonly<Record<string, Blocks>>;
  readonly module: Blocks;
  readonly output: Blocks;
  readonly variable: Blocks;
  /** Expressions by name. */
  readonly locals: Readonly<Record<string, unknown>>;
  /** By type; of one type, those of several accounts have an alias. */
  readonly provider: Readonly<Record<string, readonly Block[]>>;
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
 * validations unless its second argument is `true`. References between the stacks of an app are outputs
 * and remote states, as `app.synth` writes them, whichever stack is synthesised first.
 * @throws Error with everything that is wrong with the stack
 */
export function synth(stack: TerraformStack): string {
  assertStack("synth", stack);
  linkStacks(stack);
  return Testing.synth(stack, true);
}

function linkStacks({ node: { root } }: TerraformStack): void {
  const all = root.node.findAll();
  if (all.filter((each) => TerraformStack.isStack(each)).length < 2) return;
  for (const element of all) {
    if (TerraformElement.isTerraformElement(element)) prepared(element, element.toTerraform());
  }
}

/** The configuration of a stack, or the one that `synth` or a `cdk.tf.json` has as text. */
export function configurationOf(from: TerraformStack | string): Configuration {
  const parsed: unknown = JSON.parse(typeof from === "string" ? from : synth(from));
  const part = (name: string): unknown => (isRecord(parsed) ? parsed[name] : undefined);
  const stack = typeof from === "string" ? stackOf(part("//")) : from.node.id;
  // As Terraform documents its JSON syntax.
  return {
    stack,
    terraform: part("terraform") ?? {},
    resource: part("resource") ?? {},
    data: part("data") ?? {},
    module: part("module") ?? {},
    output: part("output") ?? {},
    variable: part("variable") ?? {},
    locals: part("locals") ?? {},
    provider: part("provider") ?? {},
    moved: part("moved") ?? [],
    import: part("import") ?? [],
  } as Configuration;
}

/** The library's own metadata has the id of the stack. */
function stackOf(comment: unknown): string | undefined {
  const metadata = isRecord(comment) ? comment["metadata"] : undefined;
  const name = isRecord(metadata) ? metadata["stackName"] : undefined;
  return typeof name === "string" ? name : undefined;
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
