/** Property paths as Pulumi writes them: `members[0].email`, `properties["a.b"]`. */
import { camel, shapeOf, type Shape } from "../../../contract";
import type { Path } from "../../../engine";
import type { Kind } from "../../../resources";

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    if (!IDENTIFIER.test(part)) return `${text}["${part.replace(/["\\]/g, "\\$&")}"]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

/** The engine's path (contract names) as a path of Pulumi's values; keys of free maps stay. */
export function pulumiPathOf(kind: Kind, path: Path): Path {
  const [head, ...rest] = path;
  if (typeof head !== "string") return path;
  const field = kind.fields[head];
  return field ? [camel(head), ...inside(shapeOf(field.schema), rest)] : [head, ...rest];
}

function inside(shape: Shape, path: Path): Path {
  const [head, ...rest] = path;
  if (head === undefined) return [];
  if (shape.kind === "list" || shape.kind === "map") return [head, ...inside(shape.of, rest)];
  if (shape.kind !== "object" || typeof head !== "string") return path;
  const member = shape.fields[head];
  return member ? [camel(head), ...inside(member.shape, rest)] : path;
}
