/** Objects that a program refers to without declaring them. */
import type { TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { message } from "../../provider/messages";
import { sentenceOf } from "../voice";
import { joinAccount } from "./account";
import { assertIdsAreKnown } from "./identity";

/** Options of a reference to an existing object. */
export interface LookupOptions {
  /** Provider of the account that has the object; default: that of the construct above. */
  readonly provider?: TerraformProvider | undefined;
}

/** What a lookup by name has read. */
export interface Found<D> {
  /** The generated data source, with every attribute of the object. */
  readonly data: D;
}

/** An object that no construct of this program declares. */
export class Existing extends Construct {
  /** Undefined: not stated. */
  readonly provider: TerraformProvider | undefined;

  constructor(scope: Construct, id: string, options: LookupOptions) {
    super(scope, id);
    assertIdsAreKnown(this);
    this.provider = joinAccount(this, options.provider);
  }
}

/** How an object is known. */
interface Reference<K> extends LookupOptions {
  /** Its id or name, under the name of the parameter that takes it. */
  readonly by: K;
  /** What to use instead where that is empty. */
  readonly instead: string;
}

/**
 * A construct for an object that exists already, with the id or name that it is known by. An empty
 * one is refused at synthesis: the lookup would match another object, or none.
 */
export function existing<K extends Readonly<Record<string, string>>>(
  scope: Construct,
  id: string,
  { by, instead, provider }: Reference<K>,
): Existing & K {
  const construct = new Existing(scope, id, { provider });
  for (const [name, value] of Object.entries<unknown>(by)) {
    if (typeof value === "string" && value.trim() !== "") continue;
    const empty = message("lookup_key_empty", { instead }, { path: [name] });
    construct.node.addValidation({ validate: () => [sentenceOf(empty)] });
  }
  return Object.assign(construct, by);
}

/** The provider of a lookup's data source, as an argument of it. */
export const lookedUpBy = ({ provider }: Existing): { readonly provider?: TerraformProvider } =>
  provider ? { provider } : {};
