/** The identity of an object to the provider: its construct's address and the workspace. */
import { Token, TerraformStack } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { camel } from "../../provider/contract";
import { message } from "../../provider/messages";
import { namePrefixOf } from "../stages/names";
import { sentenceOf } from "../voice";

/** The same in each run, which so finds what an interrupted one left: `stack/web of default`. */
export const identityOf = (construct: IConstruct): string =>
  `${literal(construct.node.path)} of \${terraform.workspace}`;

/** The name that people see in the service where a program gives none: the id, after the stage's. */
export const defaultName = (construct: IConstruct, id: string): string =>
  `${namePrefixOf(TerraformStack.of(construct))}${id}`;

/** The id of the object in a prop. @throws Error if it holds something else, such as an id */
export function idIn(construct: IConstruct, prop: string, kind: string, given: unknown): string {
  const id: unknown = Construct.isConstruct(given) && Reflect.get(given, `${camel(kind)}Id`);
  if (typeof id === "string") {
    // An object that has a construct's id is one.
    referred.set(construct, [...referredBy(construct), given as IConstruct]);
    return id;
  }
  const fault = sentenceOf(message("not_a_construct", { kind }, { path: [prop] }));
  throw new Error(`[${construct.node.path}] ${fault}`);
}

/** Constructs that a construct is given in its props. */
const referred = new WeakMap<IConstruct, readonly IConstruct[]>();

/** The constructs whose ids a construct has been given. */
export const referredBy = (construct: IConstruct): readonly IConstruct[] =>
  referred.get(construct) ?? [];

/** Escaped, so that Terraform finds no expression in it. */
const literal = (text: string): string => text.replace(/([$%])\{/g, "$1$1{");

/**
 * Refuses an id, here or above, that is known only when Terraform runs. The library numbers such ids
 * by their order in the program, so that another construct would make Terraform replace the object.
 * @throws Error that names the construct and the remedy
 */
export function assertIdsAreKnown(construct: IConstruct): void {
  const unknown = construct.node.scopes.find(({ node }) => isKnownOnlyLater(node.id));
  if (unknown === undefined) return;
  const { scope } = unknown.node;
  const parts = { type: unknown.constructor.name, scope: scope?.node.path ?? "" };
  throw new Error(sentenceOf(message("construct_id_unknown", parts)));
}

/** Text with a string in it that the library has for a value, an element of a list or a number. */
export const isKnownOnlyLater = (text: string): boolean =>
  /[$#&]\{TfToken\[/.test(text) ||
  [...text.matchAll(/-\d+(?:\.\d+)?e\+\d+/g)].some(([number]) =>
    Token.isUnresolved(Number(number)),
  );
