/** What the files of a Terraform or OpenTofu program declare and import already. */
import type { Files } from "../../folder";
import type { SeenImport, Survey } from "../writer";
import { surveyHcl } from "./survey-hcl";
import { surveyJson } from "./survey-json";

export function surveyOf(existing: Files): Survey {
  const declared = new Map<string, Set<string>>();
  const imports: SeenImport[] = [];
  for (const [file, text] of existing) {
    const found = file.endsWith(".json") ? surveyJson(file, text) : surveyHcl(text);
    for (const [kind, name] of found.resources) {
      declared.set(kind, (declared.get(kind) ?? new Set()).add(name));
    }
    imports.push(...found.imports);
  }
  return { declared, imports };
}
