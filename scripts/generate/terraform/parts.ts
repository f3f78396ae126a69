/** What pages of the registries' layout share. */
import { capital } from "../../../provider/messages";
import type { Attribute } from "../../../provider/terraform/schema/model";
import type { Generated } from "../files";
import { bullets, code } from "../markdown";

/** What they are made of. */
export const FROM = "provider/contract/, provider/resources/ and provider/terraform/";

/** File names do not contain the provider's name. */
export const pages = <T>(
  folder: string,
  from: ReadonlyMap<string, T>,
  render: (each: T, name: string) => string,
): Generated =>
  Object.fromEntries(
    [...from].map(([name, each]) => [
      `docs/${folder}/${name.replace(/^erphost_/, "")}.md`,
      render(each, name),
    ]),
  );

/** The head that the registries read. */
export const front = (title: string, description: string): string =>
  [
    "---",
    `page_title: ${JSON.stringify(title)}`,
    `description: ${JSON.stringify(description)}`,
    "---",
  ].join("\n");

const groups = [
  { title: "Required", has: ["required"] },
  { title: "Optional", has: ["optional", "optional-computed"] },
  { title: "Read-only", has: ["computed"] },
] as const;

/** Every attribute, by whether a program gives it. */
export function attributesText(attributes: readonly Attribute[]): string {
  const parts = groups.flatMap(({ title, has }) => {
    const modes: readonly string[] = has;
    const found = attributes.filter(({ mode }) => modes.includes(mode));
    return found.length === 0
      ? []
      : [`### ${title}\n\n${bullets(found.map((each) => attributeLine(each)))}`];
  });
  return ["## Schema", ...parts].join("\n\n");
}

function attributeLine(
  { name, type, mode, doc, nested, sensitive, writeOnly }: Attribute,
  isInner = false,
): string {
  const marks = [
    ...(isInner && mode === "required" ? ["required"] : []),
    nested
      ? `${capital(nested.nesting)} of objects`.replace("Single of objects", "Object")
      : typeText(type),
    ...(sensitive ? ["sensitive"] : []),
    ...(writeOnly ? ["write-only"] : []),
  ];
  const inner = (nested?.attributes ?? []).map((each) => `\n  - ${attributeLine(each, true)}`);
  return `${code(name)} (${marks.join(", ")}) ${doc}${inner.join("")}`;
}

function typeText(type: Attribute["type"]): string {
  if (type === "dynamic") return "Any";
  if (typeof type === "string") return type === "bool" ? "Boolean" : capital(type);
  const inner = type[0] === "list" || type[0] === "set" || type[0] === "map" ? type[1] : undefined;
  return inner === undefined
    ? "Object"
    : `${capital(type[0])} of ${typeText(inner).toLowerCase()}s`;
}
