/** Bindings of stores, with the arguments that the published ones have: test/e2e/release/stores.test.ts. */
import { TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import type { StoreClass } from "../../../cdktf-bindings";
import { snake } from "../../../provider/contract";

export interface Kv {
  readonly mount: string;
  readonly name?: string;
  readonly dataJson?: string;
  readonly dataJsonWo?: string;
  readonly dataJsonWoVersion?: number;
}

export interface Aws {
  readonly secretId: string;
  readonly secretString?: string;
  readonly secretStringWo?: string;
  readonly secretStringWoVersion?: number;
}

export interface Secret {
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly dataWo?: Readonly<Record<string, string>>;
  readonly dataWoRevision?: number;
}

export interface Actions {
  readonly repository: string;
  readonly secretName: string;
  readonly encryptedValue?: string;
  readonly plaintextValue?: string;
}

/** A class of generated form. @param within the argument that has all others; default: none */
export const bindingOf = <C extends object>(
  type: string,
  within?: string,
): StoreClass<C, TerraformResource> =>
  class extends TerraformResource {
    constructor(
      scope: Construct,
      id: string,
      private readonly config: C,
    ) {
      super(scope, id, { terraformResourceType: type });
    }

    protected override synthesizeAttributes() {
      const named = Object.fromEntries(
        Object.entries(this.config).map(([name, value]) => [snake(name), value]),
      );
      return within === undefined ? named : { [within]: named };
    }
  };
