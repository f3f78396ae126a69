/** Schemas in a person's words and in TypeScript, read through zod's public JSON Schema. */
import { z } from "zod";
import { camel, type Shape } from "../../provider/contract";
import { code, listed } from "./markdown";

/** The part of JSON Schema that our definitions use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly description?: string;
}

/** Without the mark of its dialect, which is the same everywhere. */
export function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  // zod gives any JSON Schema; our definitions use the members above, and a test reads them all.
  return json as JsonSchema;
}

const formats: Readonly<Record<string, string>> = {
  "date-time": "ISO 8601 timestamp",
  email: "e-mail address",
};

/** `string, 1 to 255 characters` */
export const typeText = (schema: z.ZodType): string => jsonText(jsonSchema(schema));

/** The same of a JSON Schema. */
export function jsonText(json: JsonSchema): string {
  if (json.const !== undefined) return code(JSON.stringify(json.const));
  if (json.enum)
    return listed(
      json.enum.map((value) => code(String(value))),
      "or",
    );
  if (json.anyOf) return listed(json.anyOf.map(jsonText), "or");
  if (Array.isArray(json.type)) return listed(json.type, "or");
  const { type, minItems, items = {} } = json;
  const atLeast = minItems === undefined ? "" : ` of at least ${minItems}`;
  if (type === "array") return `list${atLeast}: ${jsonText(items)}`;
  if (type === "object") return objectText(json);
  if (type === "string") return stringText(json);
  if (type === "integer" || type === "number") return `${type}${rangeText(json)}`;
  return type === "boolean" ? type : "any value";
}

function objectText(json: JsonSchema): string {
  if (!json.properties) {
    const of = typeof json.additionalProperties === "object" ? json.additionalProperties : {};
    return `map: ${jsonText(of)}`;
  }
  const members = Object.entries(json.properties).map(
    ([name, member]) =>
      `${code(name)}${json.required?.includes(name) === true ? "" : "?"} ${jsonText(member)}`,
  );
  return `object (${members.join("; ")})`;
}

function stringText(json: JsonSchema): string {
  const known = json.format === undefined ? undefined : formats[json.format];
  if (known !== undefined) return known;
  if (json.pattern !== undefined) return `string matching ${code(json.pattern)}`;
  const { minLength, maxLength } = json;
  if (minLength !== undefined && maxLength !== undefined) {
    return `string, ${minLength} to ${maxLength} characters`;
  }
  return minLength === 1 ? "string, not empty" : "string";
}

function rangeText({ minimum, maximum }: JsonSchema): string {
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  if (least !== undefined) return `, at least ${least}`;
  return most === undefined ? "" : `, at most ${most}`;
}

/** A shape as TypeScript, under the names of programs. */
export function plainType(shape: Shape): string {
  const plain = scalar(shape);
  if (plain !== undefined) return plain;
  if (shape.kind === "list") return `${wrapped(plainType(shape.of))}[]`;
  if (shape.kind === "map") return `Record<string, ${plainType(shape.of)}>`;
  return `{ ${members(shape, plainType)} }`;
}

const wrapped = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`);

/** The type of a value without parts; undefined for others. */
export function scalar(shape: Shape): string | undefined {
  if (shape.kind === "integer") return "number";
  if (shape.kind === "any") return "unknown";
  return shape.kind === "string" || shape.kind === "number" || shape.kind === "boolean"
    ? shape.kind
    : undefined;
}

/** The members of an object, with what `of` makes of their types. */
export const members = (shape: Shape, of: (inner: Shape) => string): string =>
  shape.kind === "object"
    ? Object.entries(shape.fields)
        .map(
          ([name, { shape: inner, required, doc: text }]) =>
            `${text ? `/** ${text} */ ` : ""}${camel(name)}${required ? "" : "?"}: ${of(inner)};`,
        )
        .join(" ")
    : "";
