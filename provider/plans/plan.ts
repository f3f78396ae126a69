/** What an engine's plan says of erphost's objects: the same for every engine. */
import type { Values } from "../contract";

/**
 * What becomes of an object. `rotate` gives a key a new secret, `retain` lets it leave the state while
 * the service keeps it, and `none` changes nothing.
 */
export const ACTIONS = [
  "delete",
  "replace",
  "rotate",
  "retain",
  "update",
  "create",
  "import",
  "none",
] as const;
export type Action = (typeof ACTIONS)[number];

/** A value that a plan calls sensitive, or that looks like a secret. */
export const HIDDEN: unique symbol = Symbol("hidden");
/** A value that is known after the apply. */
export const UNKNOWN_VALUE: unique symbol = Symbol("unknown");

export interface FieldChange {
  /** `version`, or `properties.region`; in the names of the contract. */
  readonly path: string;
  /** Undefined where there is none. No value is a secret. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface PlannedRotation {
  /** Id of the key that ends; undefined where the plan does not know it. */
  readonly oldKey: string | undefined;
  /** Days that the old key works on, such as `7d`; undefined: the service's default. */
  readonly gracePeriod: string | undefined;
}

export interface PlannedObject {
  /** As the engine shows it: `erphost_server.web`, or the name in a Pulumi program. */
  readonly address: string;
  /** The block with an alias, explicit provider or account that it is in; undefined: the default one. */
  readonly provider?: string | undefined;
  /** Name of its kind, such as `api_key`. */
  readonly kind: string;
  readonly id: string | undefined;
  /** What people call it in the service. */
  readonly name: string | undefined;
  readonly action: Action;
  readonly changes: readonly FieldChange[];
  /** Fields, or reasons of the engine, that force a replacement. */
  readonly forcedBy: readonly string[];
  /** Of a replacement: the new object is made before the old one goes; undefined: the plan does not say. */
  readonly isCreatedFirst: boolean | undefined;
  /** Of a replacement: the service keeps the old object. */
  readonly keepsOld: boolean;
  /** Whether the state takes it over, before anything else is done to it. */
  readonly isImported: boolean;
  /** Whether the state says that it must not be deleted: by us, or by Pulumi's `protect`. */
  readonly isProtected: boolean;
  /** Whether this plan ends the protection. Pulumi's ends where nothing else changes, too. */
  readonly endsProtection: boolean;
  readonly rotation: PlannedRotation | undefined;
  /** Values by contract name, secrets and unknowns marked. Undefined where there is no object. */
  readonly before: Values | undefined;
  readonly after: Values | undefined;
}

/** An object that is not in the service as the state has it. */
export interface Drift {
  readonly address: string;
  readonly kind: string;
  readonly id: string | undefined;
  readonly what: "changed" | "gone";
  readonly changes: readonly FieldChange[];
}

/** A change of an object of another provider, as the engine calls it. */
export interface OtherChange extends Pick<PlannedObject, "address" | "provider"> {
  readonly action: "create" | "update" | "replace" | "delete" | "forget" | "import";
  /** Whether the state takes it over, before anything else is done to it. */
  readonly isImported: boolean;
  /** What is set, or differs; no value is a secret. */
  readonly changes: readonly FieldChange[];
}

/** An object of another provider that is not as the state has it. */
export interface OtherDrift {
  readonly address: string;
  readonly what: Drift["what"];
}

/** An action that the apply has done, whoever's it is. */
export interface Invocation extends Pick<PlannedObject, "provider"> {
  /** As the engine shows it: `action.erphost_backup.nightly`. */
  readonly address: string;
  /** Undefined where it is another provider's. */
  readonly type: string | undefined;
  /** What invokes it: `before_update of erphost_instance.web`; undefined for a person, with `-invoke`. */
  readonly trigger: string | undefined;
  /** What it is given; secrets and unknowns are marked. */
  readonly values: Values;
}

export interface Plan {
  readonly engine: "terraform" | "pulumi";
  /** Project and stack, where the plan says them. */
  readonly stack: string | undefined;
  /** Whether the engine could plan everything. */
  readonly isComplete: boolean;
  /** Otherwise what says so, in the plan's own words. */
  readonly gap?: string | undefined;
  /** Every object of ours, those without a change as well, in the plan's order. */
  readonly objects: readonly PlannedObject[];
  readonly drift: readonly Drift[];
  /** How many more objects drifted, of which the engine does not say which. */
  readonly unnamedDrift: number;
  /** Changes of other providers' objects, which are shown and not judged. */
  readonly others: readonly OtherChange[];
  /** The same of what drifted. */
  readonly otherDrift: readonly OtherDrift[];
  /** In the engine's order. */
  readonly invocations: readonly Invocation[];
  /** Addresses of what the engine leaves to a later plan. */
  readonly deferred: readonly string[];
  /** The same, with what that plan is to do. */
  readonly later: readonly { readonly address: string; readonly action: string }[];
  /** Objects that the state has at another address from now on. */
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  /** Checks of the program that did not pass, with what they say. */
  readonly failedChecks: readonly {
    readonly address: string;
    readonly problems: readonly string[];
  }[];
  /**
   * Whether it changes what the state alone holds: outputs, addresses, Pulumi's providers and
   * protection. A preview of Pulumi names no outputs.
   */
  readonly changesState: boolean;
  /** Resources of the contract whose lists the program looks up. */
  readonly lookups: readonly string[];
}

export const changesAnything = ({ objects, others, invocations, deferred }: Plan): boolean =>
  objects.some(({ action, endsProtection }) => action !== "none" || endsProtection) ||
  others.length + invocations.length + deferred.length > 0;
