/** The account of a resource: named by its program, and inherited from its parent. */
import * as pulumi from "@pulumi/pulumi";
import { sentence } from "../messages";
import { EngineError } from "../engine";
import { assertAccountName } from "./settings";
import { ACCOUNT_KEY } from "./values";
import { dynamicVoice } from "./voice";

/** The same in every copy of this package that a program has loaded. */
const ACCOUNT = Symbol.for("erphost.account");

/** The types of this package's classes begin with it. */
const TYPES = "pulumi-nodejs:dynamic/erphost:";

/** The options of this package's resources. */
export interface ErpHostOptions extends pulumi.CustomResourceOptions {
  /**
   * Name of the account in the stack's configuration (`erphost:accounts`) that the object is in.
   * Default: that of the parent; without one, the account of `erphost:apiKey`.
   */
  account?: string;
}

/** Options for a component, whose resources of this package are then in an account. */
export interface AccountOptions {
  transformations: pulumi.ResourceTransformation[];
}

/**
 * Puts everything of this package below a component into an account, whoever wrote the component:
 * `new Shop("eu", {}, inAccount("eu"))`. What names an account of its own keeps that.
 * @param account its name in the stack's configuration
 * @throws RunError where nothing can have this name
 */
export function inAccount(account: string): AccountOptions {
  assertName(account);
  return {
    transformations: [
      ({ resource, type, props, opts }) => {
        const known: object & { readonly [ACCOUNT]?: string } = resource;
        if (known[ACCOUNT] !== undefined) return undefined;
        Object.defineProperty(resource, ACCOUNT, { value: account });
        if (!type.startsWith(TYPES)) return undefined;
        return { props: { ...props, [ACCOUNT_KEY]: account }, opts };
      },
    ],
  };
}

/** The account that a resource's children are in; undefined for the stack's own. */
export const accountOf = (
  resource: (pulumi.Resource & { readonly [ACCOUNT]?: string }) | undefined,
): string | undefined => resource?.[ACCOUNT];

function assertName(account: unknown): void {
  try {
    assertAccountName(account);
  } catch (error) {
    if (error instanceof EngineError)
      throw new pulumi.RunError(sentence(dynamicVoice, error.reason));
    throw error;
  }
}
