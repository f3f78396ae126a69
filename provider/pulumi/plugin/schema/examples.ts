/** Examples for the documentation, from the values that the definitions give. */
import { camel, isRecord, shapeOf, type Shape } from "../../../contract";
import type { Kind } from "../../../resources";
import { typeToken } from "../values/tokens";
import { languagesOfExamples, type Declared, type Language } from "./example-languages";
import { nameOf } from "./types";

/** A section of which each generator keeps its own language. */
export const examplesOf = (kind: Kind): string =>
  section({ name: kind.name, title: kind.title, token: typeToken(kind) }, (language) =>
    inputsOf(kind, language),
  );

/** The same for a component, of inputs that are text. */
export const componentExamples = (declared: Declared, inputs: Record<string, string>): string =>
  section(declared, (language) =>
    Object.entries(inputs).map(([name, value]) => [name, language.text(JSON.stringify(value))]),
  );

function section(declared: Declared, inputs: (language: Language) => [string, string][]): string {
  const fences = languagesOfExamples.map((language) =>
    ["```" + language.fence, ...language.program(declared, inputs(language)), "```"].join("\n"),
  );
  return ["## Example Usage", ...fences].join("\n\n");
}

/** The inputs of an example in Pulumi's names: the required ones, and those with an example value. */
function inputsOf(kind: Kind, language: Language): [string, string][] {
  const skipped = new Set((kind.exactlyOne ?? []).slice(1));
  return kind.inputs
    .filter(([name, field]) => !skipped.has(name) && wanted(kind, name, field.use))
    .map(([name, field]) => {
      const shape = shapeOf(field.schema);
      const type = nameOf(kind.title, name, shape.kind === "list");
      return [camel(name), literal(language, shape, field.example, type)];
    });
}

/** Examples stay short: rare options are left out. */
function wanted(kind: Kind, name: string, use: string): boolean {
  const example = kind.fields[name]?.example;
  if (example === undefined) return false;
  return use === "required" || (kind.fields[name]?.origin === "service" && name !== "expires_at");
}

/** @param type name of the objects in the value */
function literal(language: Language, shape: Shape, value: unknown, type: string): string {
  if (shape.kind === "list" && Array.isArray(value)) {
    const items = value.map((item) => literal(language, shape.of, item, type));
    return language.list(items, shape.of.kind === "object" ? type : undefined);
  }
  if (shape.kind === "object" && isRecord(value)) {
    const members = Object.entries(shape.fields)
      .filter(([name]) => name in value)
      .map(([name, member]): [string, string] => [
        camel(name),
        literal(language, member.shape, value[name], type),
      ]);
    return language.object(type, members);
  }
  if (typeof value === "string") return language.text(JSON.stringify(value));
  if (typeof value === "number" || typeof value === "boolean") return language.plain(value);
  throw new Error(`an example cannot contain a ${shape.kind}`);
}
