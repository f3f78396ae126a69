/** Examples for the documentation, from the values that the definitions give. */
import { camel, isRecord } from "../../../contract";
import { inputFields, type Kind } from "../../../resources";
import { NODE_PACKAGE, PYTHON_PACKAGE } from "./languages";
import { typeToken } from "../tokens";

/** The inputs of an example, under Pulumi's names: all that is required, and what has a value. */
function exampleInputs(kind: Kind): Record<string, unknown> {
  const skipped = new Set((kind.reading.exactlyOne ?? []).slice(1));
  return Object.fromEntries(
    inputFields(kind)
      .filter(([name, field]) => !skipped.has(name) && wanted(kind, name, field.use))
      .map(([name, field]) => [camel(name), field.example]),
  );
}

/** Short enough to be read: options of the rarer sort stay out. */
function wanted(kind: Kind, name: string, use: string): boolean {
  const example = kind.fields[name]?.example;
  if (example === undefined) return false;
  return use === "required" || (kind.fields[name]?.origin === "service" && name !== "expires_at");
}

/** A section that Pulumi's generators cut to the language they write. */
export function examplesOf(kind: Kind): string {
  const inputs = exampleInputs(kind);
  const { title } = kind;
  const variable = camel(kind.name);
  return [
    "## Example Usage",
    fence("typescript", [
      `import * as erphost from "${NODE_PACKAGE}";`,
      "",
      `const ${variable} = new erphost.${title}("example", ${typescript(inputs, "")});`,
    ]),
    fence("python", [
      `import ${PYTHON_PACKAGE} as erphost`,
      "",
      `${kind.name} = erphost.${title}("example",`,
      ...Object.entries(inputs).map(
        ([key, value], index, all) =>
          `    ${snake(key)}=${python(value)}${index === all.length - 1 ? ")" : ","}`,
      ),
    ]),
    fence("yaml", [
      "resources:",
      "  example:",
      `    type: ${typeToken(kind)}`,
      "    properties:",
      ...Object.entries(inputs).map(([key, value]) => `      ${key}: ${JSON.stringify(value)}`),
    ]),
  ].join("\n\n");
}

const fence = (language: string, lines: readonly string[]): string =>
  ["```" + language, ...lines, "```"].join("\n");

const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function typescript(value: unknown, indent: string): string {
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, inner]) => `${indent}    ${key}: ${typescript(inner, `${indent}    `)},`,
  );
  return ["{", ...members, `${indent}}`].join("\n");
}

function python(value: unknown): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}: ${python(inner)}`,
  );
  return `{${members.join(", ")}}`;
}
