import { Fn, Token } from "cdktf";
import type { TerraformDataSource, TerraformMetaArguments, TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { message } from "../../provider/messages";
import { validateSelection } from "../checks/selection";
import type { DataErphostApiKey } from "../generated/data-erphost-api-key";
import { sentenceOf, voice } from "../voice";
import { joinAccount } from "./account";
import { assertIdsAreKnown, idIn } from "./identity";
import type { IInstance, IServer } from "./interfaces.gen";

export interface LookupOptions {
  /** Provider of the account that has the object; default: that of the construct above. */
  readonly provider?: TerraformProvider | undefined;
}

/** What a lookup has read. */
export interface Found<D> {
  /** The generated data source, with every attribute of the object. */
  readonly data: D;
  /** Its address in Terraform, so that it can be listed in `dependsOn`. */
  readonly fqn: string;
}

/** The attributes that a found object has itself, under the names that a declared one has them by. */
export type Attributes<D, K extends keyof D> = Found<D> & Readonly<Pick<D, K>>;

/** What a lookup of several objects has read. */
export interface FoundAll<D> extends Found<D> {
  /** The ids of the objects, newest first. */
  readonly ids: string[];
}

/** What a lookup selects by: arguments of a data source, with constructs in place of their ids. */
export type Selection<C> = Omit<C, keyof TerraformMetaArguments | "instanceId" | "serverId"> &
  (C extends { readonly instanceId?: string } ? { readonly instance?: IInstance } : unknown) &
  (C extends { readonly serverId?: string } ? { readonly server?: IServer } : unknown);

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

/** Refers to an object by id or name; synthesis refuses an empty one: it may match others. */
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

/** A found object with its id, and attributes of its data source, each made when first asked for. */
export function withAttributes<D extends TerraformDataSource, K extends keyof D, I extends object>(
  found: Existing,
  data: D,
  names: readonly K[],
  id: I,
): Existing & Attributes<D, K> & I {
  for (const name of ["fqn", ...names] as const) {
    const get = (): unknown => data[name];
    Object.defineProperty(found, name, { get, enumerable: true, configurable: true });
  }
  // All of them have just been defined.
  return Object.assign(found, { data }, id) as Existing & Attributes<D, K> & I;
}

/** The provider of a lookup's data source, as an argument of it. */
export const lookedUpBy = ({ provider }: Existing): { readonly provider?: TerraformProvider } =>
  provider ? { provider } : {};

interface Lookup<D, C extends object> extends LookupOptions {
  readonly Source: new (scope: Construct, id: string, config: C) => D;
  readonly selection: Selection<C>;
}

/** A construct for what exists already and the plan looks up. */
export function lookedUp<D extends TerraformDataSource, C extends object>(
  scope: Construct,
  id: string,
  { Source, selection, provider }: Lookup<D, C>,
): Existing & Found<D> {
  const found = new Existing(scope, id, { provider });
  const { instance, server, ...rest }: Selection<C> & Readonly<Record<string, unknown>> = selection;
  const config = {
    ...rest,
    ...(instance !== undefined && { instanceId: idIn(found, "instance", "instance", instance) }),
    ...(server !== undefined && { serverId: idIn(found, "server", "server", server) }),
    ...lookedUpBy(found),
  };
  // The ids are back in the place of their constructs, which is all that Selection<C> changes.
  const data = new Source(found, "Default", config as unknown as C);
  validateSelection(found, data, voice);
  return withAttributes(found, data, [], {});
}

/** The ids that a data source of a list has read. */
export const idsIn = (data: TerraformDataSource, list: string): string[] =>
  Token.asList(data.interpolationForAttribute(`${list}[*].id`));

/** A rotation gives the name to another key; the id of its line stays. */
export const lineOf = ({ lineageId, id }: DataErphostApiKey): string =>
  Token.asString(Fn.coalesce([lineageId, id]));
