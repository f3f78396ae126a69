/** What every stack with this provider in it gets: checks of L1, of the whole, and Aspects from above. */
import { Aspects, TerraformDataSource, TerraformElement, TerraformResource } from "cdktf";
import { TerraformStack } from "cdktf";
import type { IAspect } from "cdktf";
import type { IConstruct } from "constructs";
import { FieldAspect } from "../aspects/field-aspect";
import { adaptToHcl } from "../hcl";
import { kindOf } from "../kind-of";
import { l1Voice } from "../voice";
import { watched } from "./app";
import { validate } from "./faults";
import { isOurs } from "./program";
import { validateSelection } from "./selection";
import { faultsOfStack } from "./stack";
import { readOnceWith } from "../synthesis";

/** Watches the stack that a construct is in, from the first of this library's constructs on. */
export function watchStackOf(construct: IConstruct): void {
  const stack = TerraformStack.of(construct);
  if (watched.has(stack)) return;
  watched.add(stack);
  readOnceWith(stack);
  Aspects.of(stack).add(new Watch(stack));
  stack.node.addValidation({ validate: () => faultsOfStack(stack) });
}

/** Visits every construct of a stack when it is synthesised, before validations run. */
class Watch implements IAspect {
  constructor(private readonly stack: TerraformStack) {}

  visit(node: IConstruct): void {
    for (const aspect of this.fromAbove()) aspect.visit(node);
    if (TerraformElement.isTerraformElement(node) && isOurs(node)) adaptToHcl(node);
    if (TerraformDataSource.isTerraformDataSource(node)) validateSelection(node, node, l1Voice);
    if (!TerraformResource.isTerraformResource(node)) return;
    const kind = kindOf(node);
    if (kind) validate(node, node, kind, l1Voice);
  }

  /** The library invokes the Aspects of a stack and of what is in it, but not those of an app. */
  private fromAbove(): readonly FieldAspect[] {
    return this.stack.node.scopes
      .slice(0, -1)
      .flatMap((scope) => Aspects.of(scope).all)
      .filter((aspect) => aspect instanceof FieldAspect);
  }
}
