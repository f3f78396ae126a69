/** What every construct of this package has in common. */
import type { TerraformResource } from "cdktf";
import { Construct } from "constructs";
import { kinds, type Kind } from "../provider/resources";
import { faultsOf, type Renamed } from "./check";
import { identityOf } from "./identity";

/**
 * Arguments that a construct does not take: `count` and `forEach` would give several objects the
 * identity of one construct, and nothing here is logged in to. Loops make constructs instead.
 */
export type NotTaken = "connection" | "count" | "forEach" | "provisioners";

/** The name of the default child, which holds the provider's resource. */
export const RESOURCE = "Resource";

/** A declared object of the service. */
export abstract class Declared<R extends TerraformResource> extends Construct {
  /** The generated resource below it, for whatever this construct does not offer. */
  abstract readonly resource: R;

  /** What the resource below has as its identity. */
  protected identity(own: string | undefined): { readonly idempotencyToken: string } {
    return { idempotencyToken: own ?? identityOf(this) };
  }

  /** Makes the resource below, with the validation that runs at synthesis, after Aspects. */
  protected declare(kindName: string, make: () => R, renamed: Renamed = {}): R {
    const kind = kindNamed(kindName);
    const resource = withoutTraces(make);
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

/**
 * What was given of some arguments: one that is set to undefined is not, and leaves a default as it
 * is. Synthesis also resolves every attribute three times, and most are not given.
 */
export function given<T extends object>(args: T): T {
  const own: Partial<T> = {};
  for (const name in args) if (args[name] !== undefined) own[name] = args[name];
  // Only what is optional can have been left out.
  return own as T;
}

/**
 * Generated resources note where their nested values are made. That is always inside themselves,
 * so that it helps nobody, and takes longer than all the rest.
 */
function withoutTraces<T>(make: () => T): T {
  const own: unknown = Reflect.get(Error, "captureStackTrace");
  Error.captureStackTrace = () => undefined;
  try {
    return make();
  } finally {
    Reflect.set(Error, "captureStackTrace", own);
  }
}

function kindNamed(name: string): Kind {
  const kind = kinds[name];
  if (!kind) throw new Error(`The provider has no kind ${name}.`);
  return kind;
}
