/** A stack's configuration, as its tests see it. */
import { TerraformElement, TerraformStack, Testing } from "cdktf";
import { resolved } from "../checks/references";

/** A block of the configuration: arguments by their names in Terraform. */
export type Block = Readonly<Record<string, unknown>>;
/** Blocks by name. */
type Blocks = Readonly<Record<string, Block>>;

/** A configuration, as far as tests look at it: blocks by type, then by name. */
interface Configuration {
  readonly resource: Readonly<Record<string, Blocks>>;
  readonly data: Readonly<Record<string, Blocks>>;
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
    if (TerraformElement.isTerraformElement(element))
      resolved(element, element.toTerraform(), true);
  }
}

/** The configuration of a stack. */
export function configurationOf(stack: TerraformStack): Configuration {
  // As Terraform documents its JSON syntax, where a kind of block may be missing.
  const { resource = {}, data = {} } = JSON.parse(synth(stack)) as Partial<Configuration>;
  return { resource, data };
}

/** @throws Error where a test gives something else, such as the text that `Testing.synth` returns */
export function assertStack(matcher: string, given: unknown): asserts given is TerraformStack {
  if (given instanceof Object && TerraformStack.isStack(given)) return;
  const what = typeof given === "string" ? "a string" : "something else";
  throw new Error(
    `${matcher} takes a TerraformStack, and was given ${what}. It synthesises the stack itself, so pass the stack, not what Testing.synth returns.`,
  );
}
