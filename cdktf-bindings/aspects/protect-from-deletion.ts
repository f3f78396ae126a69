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
    if (Reflect.get(resource, "deletionProtectionInput") === undefined) {
      Reflect.set(resource, "deletionProtection", true);
    }
  }
}
