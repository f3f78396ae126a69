/** What a program's package.json has to have. */
import { isRecord } from "../../../../provider/contract";
import type { Files } from "../../folder";

const FIELDS = ["dependencies", "devDependencies", "peerDependencies"];

/** The command that installs a program's packages, and those that its package.json lacks. */
export function installing(existing: Files, packages: Readonly<Record<string, string>>): string {
  const text = existing.get("package.json");
  const there = text === undefined ? undefined : dependenciesIn(text);
  const missing = Object.entries(packages).filter(([name]) => there?.has(name) === false);
  return ["npm install", ...missing.map(([name, version]) => `${name}@${version}`)].join(" ");
}

function dependenciesIn(text: string): Set<string> {
  try {
    const value: unknown = JSON.parse(text);
    const fields = isRecord(value) ? FIELDS.map((field) => value[field]) : [];
    return new Set(fields.flatMap((field) => Object.keys(isRecord(field) ? field : {})));
  } catch {
    return new Set();
  }
}
