/** Aspects: one line that applies to a whole app or stack. They run before validation. */
import { TerraformResource, type IAspect } from "cdktf";
import type { IConstruct } from "constructs";
import { isRecord } from "../provider/contract";
import type { Kind } from "../provider/resources";
import { kindOf } from "./kind-of";

/** Visits every resource of this provider whose kind has the field, including L1 constructs. */
abstract class FieldAspect implements IAspect {
  protected constructor(private readonly field: string) {}

  visit(node: IConstruct): void {
    if (!TerraformResource.isTerraformResource(node)) return;
    const kind = kindOf(node);
    if (kind && this.field in kind.fields) this.apply(node, kind);
  }

  protected abstract apply(resource: TerraformResource, kind: Kind): void;
}

/**
 * Sets free fields of the service on every object below.
 * @example
 * new Server(stack, "web");
 * Aspects.of(stack).add(new SetProperties({ region: "eu-central" }, ["server"]));
 */
export class SetProperties extends FieldAspect {
  /**
   * @param properties defaults: a value that a construct sets itself wins
   * @param only kinds to set them on, such as `["server"]`; default: all that have properties
   */
  constructor(
    private readonly properties: Readonly<Record<string, unknown>>,
    private readonly only?: readonly string[],
  ) {
    super("properties");
  }

  protected apply(resource: TerraformResource, kind: Kind): void {
    if (this.only !== undefined && !this.only.includes(kind.name)) return;
    const own: unknown = Reflect.get(resource, "propertiesInput");
    // A single expression can't be extended.
    if (own !== undefined && !isRecord(own)) return;
    Reflect.set(resource, "properties", { ...this.properties, ...own });
  }
}

/**
 * Protects every server and instance below from deletion and replacement, unless its construct sets
 * `deletionProtection` itself.
 * @example
 * const production = new ErpInstallation(stack, "production");
 * Aspects.of(production).add(new ProtectFromDeletion());
 */
export class ProtectFromDeletion extends FieldAspect {
  constructor() {
    super("deletion_protection");
  }

  protected apply(resource: TerraformResource): void {
    if (Reflect.get(resource, "deletionProtectionInput") === undefined) {
      Reflect.set(resource, "deletionProtection", true);
    }
  }
}
