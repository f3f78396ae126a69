/** What every construct of this package has in common. */
import type { TerraformMetaArguments, TerraformResource } from "cdktf";
import { Construct } from "constructs";
import { kinds, type Kind } from "../provider/resources";
import { faultsOf, type Renamed } from "./check";
import { identityOf, keepIdentity } from "./identity";

/**
 * Arguments that a construct does not take: `count` and `forEach` would give several objects the
 * identity of one construct, and nothing here is logged in to. Loops make constructs instead.
 */
export type NotTaken = "connection" | "count" | "forEach" | "provisioners";

/** The name of the default child, which holds the provider's resource. */
export const RESOURCE = "Resource";

interface Common extends Pick<TerraformMetaArguments, "lifecycle"> {
  readonly idempotencyToken?: string;
}

/** A declared object of the service. */
export abstract class Declared<R extends TerraformResource> extends Construct {
  /** The generated resource below it, for whatever this construct does not offer. */
  abstract readonly resource: R;

  /** What the resource below takes of this construct's address. */
  protected common({ lifecycle, idempotencyToken }: Common): Required<Common> {
    return {
      lifecycle: keepIdentity(lifecycle),
      idempotencyToken: idempotencyToken ?? identityOf(this),
    };
  }

  /** Adds the validation that runs at synthesis, after Aspects. */
  protected validated(kindName: string, resource: R, renamed: Renamed = {}): R {
    const kind = kindNamed(kindName);
    this.node.addValidation({ validate: () => faultsOf(kind, resource, renamed) });
    return resource;
  }
}

/** An object that is declared elsewhere, or in nothing at all. */
export abstract class Existing extends Construct {
  /** A lookup without anything to look for would find something else or nothing. */
  protected given(prop: string, value: string, remedy: string): string {
    if (value === "") {
      this.node.addValidation({ validate: () => [`${prop} must not be empty. ${remedy}`] });
    }
    return value;
  }
}

function kindNamed(name: string): Kind {
  const kind = kinds[name];
  if (!kind) throw new Error(`The provider has no kind ${name}.`);
  return kind;
}
