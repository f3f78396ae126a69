import type { TerraformResource } from "cdktf";
import { FieldAspect } from "./field-aspect";

/**
 * Protects every server and instance below from deletion and replacement, unless its construct sets
 * `deletionProtection` itself.
 * @example
 * new ErpInstallation(stack, "production");
 * Aspects.of(app).add(new ProtectFromDeletion());
 */
export class ProtectFromDeletion extends FieldAspect {
  constructor() {
    super("deletion_protection");
  }

  /** @internal */
  protected apply(resource: TerraformResource): void {
    // Terraform takes null for left out.
    const given: unknown = Reflect.get(resource, "deletionProtectionInput") ?? true;
    Reflect.set(resource, "deletionProtection", given);
  }
}
