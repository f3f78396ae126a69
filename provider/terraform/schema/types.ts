/** Terraform's types, as it writes them in JSON, and how the definitions' shapes become them. */
import type { Shape } from "../../contract";

export type Type =
  | "string"
  | "number"
  | "bool"
  | "dynamic"
  | readonly ["list" | "set" | "map", Type]
  | readonly ["object", Readonly<Record<string, Type>>]
  | readonly ["tuple", readonly Type[]];

interface Ordering {
  readonly unordered?: boolean | undefined;
}

/** Values of any shape are dynamic; a collection cannot hold dynamic ones, so it is dynamic too. */
export function typeOf(shape: Shape, { unordered }: Ordering = {}): Type {
  switch (shape.kind) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "bool";
    case "any":
      return "dynamic";
    case "list":
    case "map": {
      const inner = typeOf(shape.of);
      if (holdsDynamic(inner)) return "dynamic";
      return [shape.kind === "map" ? "map" : unordered ? "set" : "list", inner];
    }
    case "object":
      return [
        "object",
        Object.fromEntries(
          Object.entries(shape.fields).map(([name, member]) => [name, typeOf(member.shape)]),
        ),
      ];
  }
}

function holdsDynamic(type: Type): boolean {
  if (typeof type === "string") return type === "dynamic";
  if (type[0] === "object") return Object.values(type[1]).some(holdsDynamic);
  return type[0] === "tuple" ? type[1].some(holdsDynamic) : holdsDynamic(type[1]);
}

export const typeJson = (type: Type): Buffer => Buffer.from(JSON.stringify(type), "utf8");

/** @throws SyntaxError, TypeError where the JSON is not a type */
export function parseType(json: string): Type {
  const value: unknown = JSON.parse(json);
  if (!isType(value, 0)) throw new TypeError("the type of the value is unknown");
  return value;
}

const DEPTH_MAX = 128;

function isType(value: unknown, depth: number): value is Type {
  if (depth > DEPTH_MAX) return false;
  if (typeof value === "string") return ["string", "number", "bool", "dynamic"].includes(value);
  if (!Array.isArray(value)) return false;
  const [head, inner] = value as readonly unknown[];
  if (head === "list" || head === "set" || head === "map") return isType(inner, depth + 1);
  if (typeof inner !== "object" || inner === null) return false;
  if (head !== "object" && !(head === "tuple" && Array.isArray(inner))) return false;
  return Object.values(inner).every((each) => isType(each, depth + 1));
}

/** The type that a plain value has by itself: what a dynamic attribute says of it. */
export function inferType(value: unknown): Type {
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "bool";
  if (Array.isArray(value)) return ["tuple", value.map(inferType)];
  if (typeof value === "object" && value !== null) {
    return [
      "object",
      Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inferType(inner)])),
    ];
  }
  return "dynamic";
}
