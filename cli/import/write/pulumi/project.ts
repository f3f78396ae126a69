/** What every Pulumi program has: its project, names of resources, and the file of `pulumi import`. */
import { isRecord, jsonOf } from "../../../../provider/contract";
import type { Files } from "../../folder";
import type { Program, TakenObject } from "../../program/model";
import { misfit, type WriteOptions } from "../writer";
import { yamlIn } from "./yaml-text";

export const PROJECT_FILE = "Pulumi.yaml";
const IMPORT_FILE = "import.json";

/** Files that say what is there, besides those of the language. */
export const isProjectFile = /^(?:Pulumi\.yaml|import\.json)$/;

/** Named after the folder, as by `pulumi new`: another account has another project in a backend. */
export function projectText(runtime: string, { folder }: WriteOptions): string {
  const name = folder.replace(/[^\w.-]+/g, "-").slice(0, 100) || "erphost";
  return `name: "${name}"\nruntime: ${runtime}\n`;
}

/** @throws InvalidInput where the project runs another language, or a program elsewhere */
export function assertProject(existing: Files, wanted: string): void {
  const text = existing.get(PROJECT_FILE);
  const { runtime, main } = text === undefined ? {} : yamlIn(PROJECT_FILE, text);
  const own: unknown = isRecord(runtime) ? runtime["name"] : runtime;
  if (typeof own === "string" && own !== wanted) {
    const remedy = "Use a folder of its own for this program, or the --to of that runtime.";
    throw misfit(PROJECT_FILE, `is a project with the runtime ${own}`, remedy);
  }
  if (typeof main === "string" && !/^(?:\.\/?)?$/.test(main)) {
    const remedy = "Name that folder with --out, or use one of its own.";
    throw misfit(PROJECT_FILE, `has its program in ${main}`, remedy);
  }
}

/** A resource's name in Pulumi. */
export const resourceName = ({ place }: Pick<TakenObject, "place">): string =>
  place.name.replaceAll("_", "-");

/** The file of `pulumi import --file`. What is in it stays, and so does a file of something else. */
export function importFile(
  { objects }: Program,
  existing: Files,
  nameOf: (object: TakenObject) => string = resourceName,
): Files {
  const before = importsIn(existing.get(IMPORT_FILE));
  if (before === undefined) return new Map();
  const resources = [
    ...before.resources,
    ...objects.map((object) => ({
      type: `erphost:index:${object.kind.title}`,
      name: nameOf(object),
      id: object.id,
    })),
  ];
  return new Map([[IMPORT_FILE, `${JSON.stringify({ ...before, resources }, null, 2)}\n`]]);
}

/** Undefined: the file is something else, whatever its name. */
function importsIn(
  text: string | undefined,
): { readonly resources: readonly unknown[] } | undefined {
  if (text === undefined) return { resources: [] };
  const value = jsonOf(text);
  const resources: unknown = isRecord(value) ? value["resources"] : undefined;
  return Array.isArray(resources) && resources.every(isTyped)
    ? { ...(isRecord(value) && value), resources }
    : undefined;
}

const isTyped = (entry: unknown): boolean => isRecord(entry) && typeof entry["type"] === "string";
