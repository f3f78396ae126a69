/** Pulumi's YAML files as people write them: what they say, and where resources are added. */
import { isMap, isScalar, parseDocument, type Pair, type YAMLMap } from "yaml";
import { isRecord } from "../../../../provider/contract";
import { misfit } from "../writer";

const SECTION = "resources";

/** What a file says, as an object. @throws InvalidInput where it is not YAML */
export const yamlIn = (file: string, text: string): Readonly<Record<string, unknown>> =>
  parseProject(file, text).said;

/** Declarations by name. @throws InvalidInput where none could be added */
export function resourcesIn(file: string, text: string): Readonly<Record<string, unknown>> {
  const { said, map } = parseProject(file, text);
  if (map) insertionIn(file, text, map);
  const resources = said[SECTION];
  return isRecord(resources) ? resources : {};
}

/** The text with more resources behind those that are there, indented as they are. */
export function withResources(file: string, text: string, added: readonly string[]): string {
  const { map } = parseProject(file, text);
  const { head, tail, indent } = insertionIn(file, text, map);
  const end = /\r?\n/.exec(text)?.[0] ?? "\n";
  const lines = added.map((line) => `${line === "" ? "" : " ".repeat(indent)}${line}${end}`);
  const joint = head === "" || head.endsWith("\n") ? "" : end;
  const section = sectionOf(map) ? "" : `${SECTION}:${end}`;
  const result = `${head}${joint}${section}${lines.join("")}${tail}`;
  const before = Object.keys(resourcesIn(file, text)).length;
  const count = added.filter((line) => /^[^\s#]/.test(line)).length;
  if (Object.keys(resourcesIn(file, result)).length !== before + count) throw unfit(file);
  return result;
}

/** What stands before and after it, and the columns before a resource. */
function insertionIn(file: string, text: string, map: YAMLMap | undefined) {
  const section = sectionOf(map);
  if (map?.flow === true) throw unfit(file);
  if (!section) return { head: `${text.trimEnd()}\n`, tail: "", indent: 2 };
  const { value } = section;
  if (isMap(value) && value.flow !== true && value.items.length > 0 && value.range) {
    const at = endOfSection(text, value.range[1]);
    const [first] = value.items;
    const key = isScalar(first?.key) ? (first.key.range?.[0] ?? 0) : 0;
    const indent = key - text.lastIndexOf("\n", key) - 1;
    return { head: text.slice(0, at), tail: text.slice(at), indent };
  }
  const range = isMap(value) || isScalar(value) ? value.range : undefined;
  if (!range || !/^(?:\{\s*\}|null|~|)$/i.test(text.slice(range[0], range[1]))) throw unfit(file);
  // What says that there is nothing makes room; a comment behind it stays.
  const at = endOfLine(text, range[1]);
  const line = `${text.slice(0, range[0]).trimEnd()}${text.slice(range[1], at)}`;
  return { head: line, tail: text.slice(at), indent: 2 };
}

const unfit = (file: string): Error =>
  misfit(
    file,
    `has ${SECTION} to which none can be added`,
    "Write them as a block, each name on a line of its own.",
  );

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end + 1;
}

/** Comments below a resource that are indented belong to it; others to what follows. */
function endOfSection(text: string, from: number): number {
  const end = text[from - 1] === "\n" ? from : endOfLine(text, from);
  const comments = /(?:(?:[ \t]*\r?\n)*[ \t]+#[^\n]*(?:\n|$))*/y;
  comments.lastIndex = end;
  const reach = end + (comments.exec(text)?.[0].length ?? 0);
  const foreign = /(?<=\n)(?:[ \t]*\r?\n)*(?:#[^\n]*\n(?:[ \t]*\r?\n)*)+$/;
  return reach - (foreign.exec(text.slice(0, reach))?.[0].length ?? 0);
}

const sectionOf = (map: YAMLMap | undefined): Pair | undefined =>
  map?.items.find(({ key }) => isScalar(key) && key.value === SECTION);

function parseProject(file: string, text: string) {
  const document = parseDocument(text, { merge: true });
  const [error] = document.errors;
  const { contents } = document;
  if (error || (contents !== null && !isMap(contents))) {
    const why = error ? `: ${error.message.split("\n", 1).join("").replace(/:$/, "")}` : "";
    throw misfit(file, `is not a project that can be read${why}`, "Mend it, and run this again.");
  }
  const said: unknown = document.toJS();
  return { map: contents ?? undefined, said: isRecord(said) ? said : {} };
}
