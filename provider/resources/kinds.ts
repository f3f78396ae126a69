/** Every kind that programs declare, and every lookup; and paths in them as programs write them. */
import { camel, resources, shapeOf, type Field, type Resource, type Shape } from "../contract";
import type { Path } from "../messages";
import { readings } from "./all.gen";
import { kindOf, type Kind, type Reading } from "./define";
import { selectorsOf } from "./selection";

const readingOf: Readonly<Record<string, Reading>> = readings;
const contractResources: readonly Resource[] = Object.values(resources);

const declared = contractResources
  .filter((resource) => resource.operations.create !== undefined)
  .map((resource) => kindOf(resource, readingOf[resource.name] ?? { name: resource.name }));
const own = Object.values(readingOf)
  .filter((reading) => !Object.hasOwn(resources, reading.name))
  .map((reading) => kindOf(undefined, reading));

export const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  [...declared, ...own].map((kind) => [kind.name, kind]),
);

/** Every resource that can be looked up: all that the service lists. */
export const lookups: readonly Resource[] = contractResources;

/**
 * A path in contract names as a path in a program's: `members[0].email`, `ipWhitelist[0]`. Keys of free maps, and names that no kind has, stay
 * as the program wrote them.
 */
export function programPath(kind: string | undefined, path: Path): Path {
  const [head, ...rest] = path;
  if (typeof head !== "string") return path;
  const field = kind === undefined ? undefined : fieldsOf(kind)[head];
  if (field) return [camel(head), ...inside(shapeOf(field.schema), rest)];
  return [contractNames().has(head) ? camel(head) : head, ...rest];
}

type Described = Readonly<Record<string, Pick<Field, "schema">>>;

/** What has a contract name in a kind: its fields, and what its lookups select by. */
function fieldsOf(kind: string): Described {
  const resource = (resources as Readonly<Record<string, Resource>>)[kind];
  const selectors = resource
    ? [...selectorsOf(resource, "one"), ...selectorsOf(resource, "many")]
    : [];
  return {
    ...Object.fromEntries(selectors.map((selector) => [selector.name, selector])),
    ...resource?.fields,
    ...kinds[kind]?.fields,
  };
}

/** Gathered when a message first needs them: most processes say nothing, and it takes a while. */
const contractNames = (): ReadonlySet<string> =>
  (names ??= new Set(
    [...Object.keys(kinds), ...Object.keys(resources)].flatMap((kind) =>
      Object.keys(fieldsOf(kind)),
    ),
  ));
let names: ReadonlySet<string> | undefined;

function inside(shape: Shape, path: Path): Path {
  const [head, ...rest] = path;
  if (head === undefined) return [];
  if (shape.kind === "list" || shape.kind === "map") return [head, ...inside(shape.of, rest)];
  if (shape.kind !== "object" || typeof head !== "string") return path;
  const member = shape.fields[head];
  return member ? [camel(head), ...inside(member.shape, rest)] : path;
}
