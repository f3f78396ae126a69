/** Whether a stack declares an object: by its class, and by its props as a program writes them. */
import { inspect } from "node:util";
import { TerraformDataSource, TerraformProvider, TerraformResource, Token } from "cdktf";
import type { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { camel, isRecord, snake } from "../../provider/contract";
import { Declared } from "../constructs/declared";
import { pathOf } from "../checks/program";
import { attributesIn, resolved } from "../checks/references";
import { kindOf } from "../kind-of";
import { fieldOfProp } from "../voice";
import { configurationOf, type Block, type Verdict } from "./synthesised";

/** A class whose constructs declare or look up one object: `Server`, or `l1.server.Server`. */
export type ObjectClass<P> = new (scope: Construct, id: string, props: P) => Construct;

/** Something that decides for itself what it is equal to, such as `expect.stringContaining("erp")`. */
export interface Asymmetric {
  asymmetricMatch(other: unknown): boolean;
}

/** The props that an object is expected to have; others may be set to anything. */
export type ExpectedProps<P> = {
  readonly [K in keyof NonNullable<P>]?: NonNullable<P>[K] | Asymmetric;
};

/** A construct with its block in the configuration. */
interface Candidate {
  readonly construct: Construct;
  readonly element: TerraformResource | TerraformDataSource;
  readonly block: Block;
}

/** The most constructs that a failed test lists. */
const LISTED_MAX = 10;

/** Whether one of the stack's constructs of a class has the props. */
export function declaresObject(
  stack: TerraformStack,
  Class: ObjectClass<never>,
  props: object = {},
): Verdict {
  const all = candidatesIn(stack);
  const ofClass = all.filter(({ construct }) => construct instanceof Class);
  const expected = Object.entries(props).filter(([, value]) => value !== undefined);
  const withProps = expected.length === 0 ? "" : " with these props";
  const judged = ofClass.map((each) => ({ each, faults: faultsOf(stack, each, expected) }));
  const found = judged.filter(({ faults }) => faults.length === 0);
  if (found.length > 0) {
    const paths = found.map(({ each }) => pathOf(each.construct)).join(", ");
    return {
      pass: true,
      message: `The stack ${stack.node.path} declares ${Class.name} ${paths}${withProps}.`,
    };
  }
  const none = `The stack ${stack.node.path} declares no ${Class.name}${withProps}.`;
  const seen = ofClass.length === 0 ? otherConstructs(all) : nearest(judged);
  return { pass: false, message: [none, ...seen].join("\n") };
}

/** The outer construct of each object, and the generated one in it, both with the same block. */
function candidatesIn(stack: TerraformStack): Candidate[] {
  const configuration = configurationOf(stack);
  return stack.node.findAll().flatMap((construct): Candidate[] => {
    const element = elementOf(construct);
    if (element?.cdktfStack !== stack) return [];
    const isResource = TerraformResource.isTerraformResource(element);
    const blocks = configuration[isResource ? "resource" : "data"];
    const block = blocks[element.terraformResourceType]?.[element.friendlyUniqueId];
    // One that has been moved away has none.
    return block === undefined ? [] : [{ construct, element, block }];
  });
}

function elementOf(construct: unknown): Candidate["element"] | undefined {
  // Its type parameter is any of the generated resources.
  if (construct instanceof Declared) return construct.resource as TerraformResource;
  const isElement =
    TerraformResource.isTerraformResource(construct) ||
    TerraformDataSource.isTerraformDataSource(construct);
  return isElement ? construct : undefined;
}

/** What differs, a sentence for each prop. */
function faultsOf(
  stack: TerraformStack,
  { construct, element, block }: Candidate,
  expected: readonly (readonly [string, unknown])[],
): string[] {
  const kind = TerraformResource.isTerraformResource(element) ? kindOf(element) : undefined;
  return expected.flatMap(([prop, value]) => {
    const isOuter = construct instanceof Declared && kind !== undefined;
    const field = isOuter ? fieldOfProp(kind.name, prop) : snake(prop);
    if (isOuter && !Object.hasOwn(kind.fields, field) && !META.test(field))
      throw new Error(notCompared(construct, prop));
    const given = idOf(value, kind?.fields[field]?.references);
    const wanted = plain(stack, given);
    const actual = block[field];
    const own: unknown = Reflect.get(element, `${camel(field)}Input`);
    if (matches(wanted, actual) || (isFromElsewhere(actual) && isSameText(given, own))) return [];
    const is = actual === undefined ? "is not set" : `is ${JSON.stringify(actual)}`;
    return [`${prop} ${is}, expected ${sampleText(wanted)}`];
  });
}

/** Arguments of the configuration besides the fields of the service. */
const META = /^(?:depends_on|idempotency_token|lifecycle|provider|timeouts|\w+_wo|\w+_wo_version)$/;

/** Otherwise the opposite of the matcher would always pass. */
const notCompared = (construct: Construct, prop: string): string =>
  `toDeclare cannot compare ${prop} of ${construct.constructor.name}: it is not an argument in the configuration. Compare what it sets instead.`;

/** The id of an object that a program gives as a construct; any other value as it is. */
const idOf = (value: unknown, kind: string | undefined): unknown =>
  kind !== undefined && Construct.isConstruct(value)
    ? Reflect.get(value, `${camel(kind)}Id`)
    : value;

/** Whether a value is read from the state of another stack. */
const isFromElsewhere = (value: unknown): boolean =>
  typeof value === "string" && value.includes("data.terraform_remote_state.");

/** Whether two texts are the same before each stack writes its own address of what is in another one. */
const isSameText = (one: unknown, other: unknown): boolean =>
  typeof one === "string" &&
  typeof other === "string" &&
  withAttributes(one) === withAttributes(other);

const withAttributes = (text: string): string =>
  text.replace(/\$\{TfToken\[[^\]]+\]\}/g, (token) => attributesIn(token)[0] ?? token);

/** As it would be in the configuration, where references are addresses. */
function plain(stack: TerraformStack, value: unknown): unknown {
  if (isAsymmetric(value)) return value;
  if (value instanceof TerraformProvider) return String(value.fqn);
  if (Token.isUnresolved(value)) return resolved(stack, value);
  if (Array.isArray(value)) return value.map((each: unknown) => plain(stack, each));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(stack, each)]));
}

/** As the library compares: objects may have more, and their keys be written either way. */
function matches(expected: unknown, actual: unknown): boolean {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((each, index) => matches(each, actual[index]));
  }
  if (!isRecord(expected)) return Object.is(expected, actual);
  if (!isRecord(actual)) return false;
  return Object.entries(expected).every(([key, value]) =>
    matches(value, actual[key in actual ? key : snake(key)]),
  );
}

const isAsymmetric = (value: unknown): value is Asymmetric =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "asymmetricMatch") === "function";

/** JSON, as in the program; of a value that decides for itself, its class and what it looks for. */
function sampleText(value: unknown): string {
  if (!isAsymmetric(value)) return value === undefined ? "nothing" : JSON.stringify(value);
  const sample: unknown = Reflect.get(value, "sample");
  return `${value.constructor.name} ${inspect(sample)}`;
}

/** The constructs of the class, those that come closest first. */
function nearest(judged: readonly { each: Candidate; faults: readonly string[] }[]): string[] {
  const lines = [...judged]
    .sort((a, b) => a.faults.length - b.faults.length)
    .map(({ each, faults }) => `  ${pathOf(each.construct)}: ${faults.join("; ")}`);
  return limited(lines);
}

function otherConstructs(all: readonly Candidate[]): string[] {
  const outer = all.filter(({ construct }) => construct.node.id !== "Default");
  if (outer.length === 0) return ["It declares nothing."];
  const lines = outer.map(
    ({ construct }) => `  ${construct.constructor.name} ${pathOf(construct)}`,
  );
  return ["It declares:", ...limited(lines)];
}

function limited(lines: readonly string[]): string[] {
  const more = lines.length - LISTED_MAX;
  return [...lines.slice(0, LISTED_MAX), ...(more > 0 ? [`  and ${more} more`] : [])];
}
