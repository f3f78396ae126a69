import type { ITerraformDependable, TerraformProvider, TerraformResource } from "cdktf";
import type { TerraformResourceLifecycle } from "cdktf";
import { Construct } from "constructs";
import { refuseUnknown, validate } from "../checks/faults";
import { watchStackOf } from "../checks/watch";
import { kindOf } from "../kind-of";
import { voice } from "../voice";
import { joinAccount } from "./account";
import { assertIdsAreKnown, idIn, identityOf } from "./identity";

/**
 * Arguments of Terraform that constructs do not accept: `count` and `forEach` would give several
 * objects the identity of one construct, and there is no machine to connect to or to provision.
 */
type Unsupported = "connection" | "count" | "forEach" | "provisioners";

/** Props of everything that is declared. */
export interface DeclaredProps {
  /**
   * By this the next run finds what an interrupted one created; no two objects share it.
   * Never sent to the service. Default: the construct's path and the workspace.
   */
  readonly idempotencyToken?: string;
  /** Provider of the account that the object is in; default: that of the construct above. */
  readonly provider?: TerraformProvider;
  /** Constructs that come first, besides those that props refer to; default: none. */
  readonly dependsOn?: ITerraformDependable[];
  /** How Terraform treats changes, such as `{ ignoreChanges: ["name"] }`; default: as usual. */
  readonly lifecycle?: TerraformResourceLifecycle;
}

/** Props of what has a name in the service. */
export interface NamedProps extends DeclaredProps {
  /** Its name in the service; default: the construct's id, after the stage's prefix. */
  readonly name?: string;
}

/** Arguments of a generated resource that its construct does not accept, or describes itself. */
export type Replaced = Unsupported | keyof DeclaredProps;

/** The id of the default child, which leaves the construct's own address to the resource in it. */
export const DEFAULT = "Default";

/** What all generated resources have. */
interface DeclaredResource extends TerraformResource {
  readonly createdAt: string;
}

/** A declared object of the service. */
export abstract class Declared<R extends DeclaredResource> extends Construct {
  /** The generated resource below it, for whatever this construct does not offer. */
  abstract readonly resource: R;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    assertIdsAreKnown(this);
  }

  /** Its address in Terraform, so that it can be listed in `dependsOn`. */
  get fqn(): string {
    return this.resource.fqn;
  }

  /** When it was created, ISO 8601 in UTC. */
  get createdAt(): string {
    return this.resource.createdAt;
  }

  /** Creates the resource below in this account, with its identity and its validation. */
  protected declare<
    C extends { readonly idempotencyToken?: string; readonly provider?: TerraformProvider },
  >(Resource: new (scope: Construct, id: string, config: C) => R, config: C): R {
    watchStackOf(this);
    const provider = joinAccount(this, config.provider);
    const resource = new Resource(this, DEFAULT, {
      ...config,
      ...(provider && { provider }),
      idempotencyToken: config.idempotencyToken ?? identityOf(this),
    });
    const kind = kindOf(resource);
    if (!kind) throw new Error(`The provider has no resource ${resource.terraformResourceType}.`);
    validate(this, resource, kind, voice);
    // An input has a getter of what is given; what all resources take is a member of its own.
    const isKnown = (prop: string) => `${prop}Input` in resource || Object.hasOwn(resource, prop);
    const unknown = Object.keys(config).filter((prop) => !isKnown(prop));
    refuseUnknown(this, kind, unknown, voice);
    return resource;
  }

  /** The id of the object in a prop. @throws Error if it holds something else, such as an id */
  protected idOf(prop: string, kind: string, given: object): string {
    const value: unknown = given;
    // A program in JavaScript may leave it out; the validation reports that it is required.
    if (value === undefined) return value as unknown as string;
    return idIn(this, prop, kind, value);
  }
}

/** A copy without the members that are set to undefined, which would override a default. */
export function withoutUndefined<T extends object>(args: T): T {
  const defined: Partial<T> = {};
  for (const name in args) if (args[name] !== undefined) defined[name] = args[name];
  // Only optional members can have been left out.
  return defined as T;
}
