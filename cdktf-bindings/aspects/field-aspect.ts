import { TerraformResource, type IAspect } from "cdktf";
import type { IConstruct } from "constructs";
import type { Kind } from "../../provider/resources";
import { kindOf } from "../kind-of";

/** Visits every resource of this provider whose kind has the field, including L1 constructs. */
export abstract class FieldAspect implements IAspect {
  protected constructor(private readonly field: string) {}

  visit(node: IConstruct): void {
    if (!TerraformResource.isTerraformResource(node)) return;
    const kind = kindOf(node);
    if (kind && this.field in kind.fields) this.apply(node, kind);
  }

  /** @internal */
  protected abstract apply(resource: TerraformResource, kind: Kind): void;
}
