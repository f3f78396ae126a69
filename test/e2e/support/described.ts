/** Programs that the documentation of the plugin has. */
import { join } from "node:path";
import schema from "../../../schema.json";

/** Folder of the examples. */
export const EXAMPLES = join(__dirname, "..", "..", "..", "examples");

/** The programs in the schema's descriptions, by resource. */
export const describedIn = (language: string): [title: string, text: string][] => {
  const fenced = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``);
  return Object.entries(schema.resources).map(([token, { description }]) => [
    token.split(":").at(-1) ?? "",
    fenced.exec(description)?.[1] ?? "",
  ]);
};
