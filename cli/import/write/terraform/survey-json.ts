/** What the JSON form of a program declares and imports already. */
import { InvalidInput } from "../../../../provider";
import { isRecord, issueAt } from "../../../../provider/contract";
import { kindOf, surveyHcl, type Found } from "./survey-hcl";

/** @throws InvalidInput where the text is not JSON: what it imports would be imported a second time */
export function surveyJson(file: string, text: string): Found {
  const root = parseJson(file, text);
  const resources = all(root, "resource").flatMap((types) =>
    Object.entries(types).flatMap(([type, named]) => {
      const kind = kindOf(type);
      const names = [named].flat().flatMap((each) => (isRecord(each) ? Object.keys(each) : []));
      return kind === undefined ? [] : names.map((name) => [kind, name] as const);
    }),
  );
  return { resources, imports: all(root, "import").flatMap(importsIn) };
}

/** The blocks of a type, of which there may be one or a list. */
const all = (root: unknown, type: string): Readonly<Record<string, unknown>>[] =>
  isRecord(root) ? [root[type]].flat().filter(isRecord) : [];

/** As the same block in the language, whose expressions the JSON form holds as texts. */
function importsIn({
  to,
  id,
  for_each: each,
}: Readonly<Record<string, unknown>>): Found["imports"] {
  if (typeof to !== "string") return [];
  const lines = [
    `to = ${to.replace(/^\$\{([^]*)\}$/, "$1")}`,
    ...(id === undefined ? [] : [`id = ${JSON.stringify(id)}`]),
    ...(each === undefined ? [] : [`for_each = ${JSON.stringify(each)}`]),
  ];
  return surveyHcl(["import {", ...lines, "}"].join("\n")).imports;
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput("import", [
      issueAt([file], "stated", {
        text: "is not JSON, so nobody can tell what it imports already",
        remedy: "Mend it, or move it out of the folder.",
      }),
    ]);
  }
}
