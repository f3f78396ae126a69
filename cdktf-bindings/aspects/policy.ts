/** What Aspects that demand something have in common: they change nothing, and report what breaks a rule. */
import { Annotations, type TerraformResource } from "cdktf";
import type { IConstruct } from "constructs";
import type { Values } from "../../provider/contract";
import type { Message } from "../../provider/messages";
import type { Kind } from "../../provider/resources";
import { blockOf, inputsOf } from "../checks/block";
import { hasMoved, ownerOf } from "../checks/program";
import { readOnceWith } from "../synthesis";
import { sentenceOf } from "../voice";
import { FieldAspect } from "./field-aspect";

export interface PolicyOptions {
  /** Constructs that the rule does not apply to, nor to what is below them; default: none. */
  readonly except?: readonly IConstruct[];
  /** Whether what breaks the rule ends synthesis or is a warning; default: `error`. */
  readonly report?: "error" | "warning";
}

/** A rule about every resource of this provider whose kind has a field. */
export abstract class Policy extends FieldAspect {
  private readonly seen = new WeakSet<TerraformResource>();
  private readonly except: readonly IConstruct[];
  private readonly report: "error" | "warning";

  protected constructor(field: string, { except = [], report = "error" }: PolicyOptions) {
    super(field);
    this.except = except;
    this.report = report;
  }

  /** Validations run after all Aspects, so that none of them changes what was looked at. @internal */
  protected apply(resource: TerraformResource, kind: Kind): void {
    if (this.seen.has(resource)) return;
    this.seen.add(resource);
    readOnceWith(resource.cdktfStack);
    const owner = ownerOf(resource);
    owner.node.addValidation({
      validate: () => {
        const faults = this.faultsOf(resource, kind).map(sentenceOf);
        if (this.report === "error") return faults;
        for (const fault of faults) Annotations.of(owner).addWarning(fault);
        return [];
      },
    });
  }

  private faultsOf(resource: TerraformResource, kind: Kind): readonly Message[] {
    if (hasMoved(resource)) return [];
    if (resource.node.scopes.some((scope) => this.except.includes(scope))) return [];
    const block = blockOf(resource);
    return block === undefined ? [] : this.broken(inputsOf(kind, block), resource, kind);
  }

  /**
   * @param inputs by contract name, as they are written; what only Terraform knows is marked
   * @internal
   */
  protected abstract broken(
    inputs: Values,
    resource: TerraformResource,
    kind: Kind,
  ): readonly Message[];
}
