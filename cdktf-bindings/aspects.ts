/** Aspects: one line that holds for a whole app or stack. They run before anything is validated. */
import { TerraformResource, type IAspect } from "cdktf";
import type { IConstruct } from "constructs";
import { isRecord } from "../provider/contract";
import { kinds, type Kind } from "../provider/resources";

const PREFIX = "erphost_";

const kindOf = (construct: TerraformResource): Kind | undefined =>
  construct.terraformResourceType.startsWith(PREFIX)
    ? kinds[construct.terraformResourceType.slice(PREFIX.length)]
    : undefined;

/** Visits every resource of this provider whose kind has a field; L1 constructs included. */
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
 * Free fields of the service for every object below.
 * @example
 * new Server(stack, "web");
 * Aspects.of(stack).add(new SetProperties({ region: "eu-central" }, ["server"]));
 */
export class SetProperties extends FieldAspect {
  /**
   * @param properties what a construct sets itself stays as it is
   * @param only kinds to set them on, such as `["server"]`; default: all that take properties
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
    // A value that is one expression can't be added to.
    if (own !== undefined && !isRecord(own)) return;
    Reflect.set(resource, "properties", { ...this.properties, ...own });
  }
}

/**
 * Refuses to destroy or to replace any server or instance below, unless a construct says otherwise.
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
