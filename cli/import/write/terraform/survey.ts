/** What the files of a Terraform or OpenTofu program declare and import already. */
import type { Files } from "../../folder";
import type { SeenImport, Survey } from "../writer";

const RESOURCE = /^\s*resource\s+"erphost_(\w+)"\s+"([^"]+)"/gm;
const IMPORT = /^\s*import\s*\{([^}]*)\}/gm;
const TO = /^\s*to\s*=\s*erphost_(\w+)\.([\w-]+)(?:\["((?:[^"\\]|\\.)*)"\])?\s*$/m;
/** A template may be anything; what is written by this command has none. */
const ID = /^\s*id\s*=\s*"((?:[^"\\$%]|\\.)*)"\s*$/m;

/** Comments are not read, so that nothing in one counts. */
const COMMENTS = /\/\*[^]*?\*\/|^\s*(?:#|\/\/).*$/gm;

export function surveyOf(existing: Files): Survey {
  const declared = new Map<string, Set<string>>();
  const imports: SeenImport[] = [];
  for (const text of existing.values()) {
    const code = text.replace(COMMENTS, "");
    for (const [, kind = "", name = ""] of code.matchAll(RESOURCE)) {
      declared.set(kind, (declared.get(kind) ?? new Set()).add(name));
    }
    for (const [, body = ""] of code.matchAll(IMPORT)) {
      const seen = importIn(body);
      if (seen) imports.push(seen);
    }
  }
  return { declared, imports };
}

function importIn(body: string): SeenImport | undefined {
  const [, kind, name, key] = TO.exec(body) ?? [];
  const id = plain(ID.exec(body)?.[1]);
  if (kind === undefined || name === undefined || id === undefined) return undefined;
  return { kind, id, place: { name, key: plain(key) } };
}

/** What a quoted text says; undefined where only the language itself could tell. */
function plain(quoted: string | undefined): string | undefined {
  if (quoted === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(`"${quoted}"`);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
