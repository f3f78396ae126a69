/** The names of resources and lookups in Pulumi programs of every language. */
import { camel, pascal, type Resource } from "../../../contract";
import { kinds, lookups, type Kind } from "../../../resources";

export const PACKAGE = "erphost";

/** `erphost:index:Server` */
export const typeToken = (kind: Pick<Kind, "title">): string => `${PACKAGE}:index:${kind.title}`;
/** `erphost:index:getServer` */
export const oneToken = (resource: Resource): string =>
  `${PACKAGE}:index:get${pascal(resource.name)}`;
/** `erphost:index:getServers` */
export const listToken = (resource: Resource): string =>
  `${PACKAGE}:index:get${pascal(resource.plural)}`;
export const AUTH_TOKEN = `${PACKAGE}:index:getAuth`;
/** The output of a plural lookup that holds its list: `cloudProviders`. */
export const listKey = (resource: Resource): string => camel(resource.plural);

const byToken = new Map(Object.values(kinds).map((kind) => [typeToken(kind), kind]));

/** The kind of a type token; undefined for an unknown one. */
export const kindOfToken = (token: string): Kind | undefined => byToken.get(token);

export type Lookup =
  { readonly form: "one" | "list"; readonly resource: Resource } | { readonly form: "auth" };

const lookupByToken = new Map<string, Lookup>([
  ...lookups.flatMap((resource): [string, Lookup][] => [
    [oneToken(resource), { form: "one", resource }],
    [listToken(resource), { form: "list", resource }],
  ]),
  [AUTH_TOKEN, { form: "auth" }],
]);

export const lookupOfToken = (token: string): Lookup | undefined => lookupByToken.get(token);

/** The parts of `urn:pulumi:stack::project::parent$type::name`. */
export interface Urn {
  /** The type of the resource itself, without those of its parents. */
  readonly type: string;
  readonly name: string;
}

export function parseUrn(urn: string): Urn {
  const [, , types = "", ...name] = urn.split("::");
  return { type: types.split("$").at(-1) ?? "", name: name.join("::") };
}
