/** What the files of a Terraform or OpenTofu program declare and import already. */
import { isRecord } from "../../../../provider/contract";
import type { Files } from "../../folder";
import { misfit, type Survey } from "../writer";
import { kindOf, surveyHcl } from "./survey-hcl";

export function surveyOf(existing: Files): Survey {
  const found = [...existing].map(([file, text]) =>
    file.endsWith(".json") ? surveyJson(file, text) : surveyHcl(text),
  );
  return {
    declared: found.flatMap(({ declared }) => declared),
    imports: found.flatMap(({ imports }) => imports),
  };
}

/** @throws InvalidInput where it is not JSON: what it imports would be imported a second time */
function surveyJson(file: string, text: string): Survey {
  const root = parseJson(file, text);
  const declared = all(root, "resource").flatMap((types) =>
    Object.entries(types).flatMap(([type, named]) => {
      const kind = kindOf(type);
      const names = [named].flat().flatMap((each) => (isRecord(each) ? Object.keys(each) : []));
      return kind === undefined ? [] : names.map((name) => [kind, name] as const);
    }),
  );
  return { declared, imports: all(root, "import").flatMap(importsIn) };
}

/** The blocks of a type, of which there may be one or a list. */
const all = (root: unknown, type: string): Readonly<Record<string, unknown>>[] =>
  isRecord(root) ? [root[type]].flat().filter(isRecord) : [];

/** As the same block in the language, whose expressions the JSON form holds as texts. */
function importsIn({
  to,
  id,
  for_each: each,
}: Readonly<Record<string, unknown>>): Survey["imports"] {
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
    const why = "is not JSON, so nobody can tell what it imports already";
    throw misfit(file, why, "Mend it, or move it out of the folder.");
  }
}
