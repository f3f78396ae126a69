/** What the constructs that declare an object have in common. */
import type { TerraformResource } from "cdktf";
import { Construct } from "constructs";
import { faultsOf } from "../checks/faults";
import { kindOf } from "../kind-of";
import { identityOf } from "./identity";

/**
 * Arguments of Terraform that constructs do not accept: `count` and `forEach` would give several
 * objects the identity of one construct, and there is no machine to connect to or to provision.
 */
export type Unsupported = "connection" | "count" | "forEach" | "provisioners";

/** The name of the default child, which holds the provider's resource. */
export const RESOURCE = "Resource";

/** A generated resource class. */
type ResourceClass<R extends TerraformResource, C> = new (
  scope: Construct,
  id: string,
  config: C,
) => R;

/** A declared object of the service. */
export abstract class Declared<R extends TerraformResource> extends Construct {
  /** The generated resource below it, for whatever this construct does not offer. */
  abstract readonly resource: R;

  /**
   * Creates the resource below, with its identity and the validation that synthesis runs after
   * Aspects.
   */
  protected declare<C extends { readonly idempotencyToken?: string }>(
    Resource: ResourceClass<R, C>,
    config: C,
  ): R {
    const idempotencyToken = config.idempotencyToken ?? identityOf(this);
    const resource = withoutTraces(
      () => new Resource(this, RESOURCE, { ...config, idempotencyToken }),
    );
    renderOnlyDefined(resource);
    const kind = kindOf(resource);
    if (!kind) throw new Error(`The provider has no resource ${resource.terraformResourceType}.`);
    this.node.addValidation({ validate: () => faultsOf(kind, resource) });
    return resource;
  }
}

/** A copy without the members that are set to undefined, which would override a default. */
export function withoutUndefined<T extends object>(args: T): T {
  const defined: Partial<T> = {};
  for (const name in args) if (args[name] !== undefined) defined[name] = args[name];
  // Only optional members can have been left out.
  return defined as T;
}

/** Synthesis resolves every attribute three times, and most of them are undefined. */
function renderOnlyDefined(resource: TerraformResource): void {
  const synthesize: unknown = Reflect.get(resource, "synthesizeAttributes");
  if (typeof synthesize !== "function") return;
  Reflect.set(resource, "synthesizeAttributes", () =>
    // Every generated resource renders its attributes as an object.
    withoutUndefined(Reflect.apply(synthesize, resource, []) as object),
  );
}

/**
 * Generated resources record a stack trace for each nested value. Here it would only ever show the
 * resource's own code, and it takes longer than all the rest.
 */
function withoutTraces<T>(create: () => T): T {
  const original: unknown = Reflect.get(Error, "captureStackTrace");
  Error.captureStackTrace = () => undefined;
  try {
    return create();
  } finally {
    Reflect.set(Error, "captureStackTrace", original);
  }
}
