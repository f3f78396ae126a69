/** Property paths as Pulumi writes them: `members[0].email`, `properties["a.b"]`. */
import { camel, resources, shapeOf, type Field, type Resource, type Shape } from "../contract";
import type { Path } from "../engine";
import { kinds } from "../resources";

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** A path of Pulumi's values as text. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    if (!IDENTIFIER.test(part)) return `${text}["${part.replace(/["\\]/g, "\\$&")}"]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

/**
 * A path in contract names as a path of Pulumi's values. Keys of free maps, and names that no kind
 * has, stay as the program wrote them.
 */
export function pulumiPathOf(kind: string | undefined, path: Path): Path {
  const [head, ...rest] = path;
  if (typeof head !== "string") return path;
  const field = kind === undefined ? undefined : fieldsOf(kind)[head];
  if (field) return [camel(head), ...inside(shapeOf(field.schema), rest)];
  return [contractNames.has(head) ? camel(head) : head, ...rest];
}

type Described = Readonly<Record<string, Pick<Field, "schema">>>;

/** What has a contract name in a kind: its fields, and what its list is filtered by. */
function fieldsOf(kind: string): Described {
  const resource = (resources as Readonly<Record<string, Resource>>)[kind];
  return { ...resource?.filters, ...resource?.fields, ...kinds[kind]?.fields };
}

const contractNames = new Set(
  [...Object.keys(kinds), ...Object.keys(resources)].flatMap((kind) => Object.keys(fieldsOf(kind))),
);

function inside(shape: Shape, path: Path): Path {
  const [head, ...rest] = path;
  if (head === undefined) return [];
  if (shape.kind === "list" || shape.kind === "map") return [head, ...inside(shape.of, rest)];
  if (shape.kind !== "object" || typeof head !== "string") return path;
  const member = shape.fields[head];
  return member ? [camel(head), ...inside(member.shape, rest)] : path;
}
