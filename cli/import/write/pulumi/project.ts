/** What every Pulumi program has: its project, names of resources, and the file of `pulumi import`. */
import { isRecord } from "../../../../provider/contract";
import type { Files } from "../../folder";
import type { Program, TakenObject } from "../../program/model";

export const PROJECT_FILE = "Pulumi.yaml";
const IMPORT_FILE = "import.json";

/** Files that say what is there, besides those of the language. */
export const isProjectFile = /^(?:Pulumi\.yaml|import\.json)$/;

/** A new project. */
export const projectText = (runtime: string): string => `name: erphost\nruntime: ${runtime}\n`;

/** A resource's name in Pulumi. */
export const resourceName = ({ place }: Pick<TakenObject, "place">): string =>
  place.name.replaceAll("_", "-");

/**
 * The file of `pulumi import --file`, for those who would rather import with a command than with
 * options of their program. What is in it stays.
 */
export function importFile(
  { objects }: Program,
  existing: Files,
  nameOf: (object: TakenObject) => string,
): Files {
  const before = parsed(existing.get(IMPORT_FILE));
  if (before === undefined) return new Map();
  const resources = [
    ...(Array.isArray(before["resources"]) ? (before["resources"] as unknown[]) : []),
    ...objects.map((object) => ({
      type: `erphost:index:${object.kind.title}`,
      name: nameOf(object),
      id: object.id,
    })),
  ];
  return new Map([[IMPORT_FILE, `${JSON.stringify({ ...before, resources }, null, 2)}\n`]]);
}

/** Undefined: somebody has made something else of it, which stays as it is. */
function parsed(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
