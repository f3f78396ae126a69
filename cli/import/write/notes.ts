/** What a program says of secrets, which are not written; comments, without the signs of a language. */
import type { Kind } from "../../../provider/resources";

/** What cannot be had of any object of a kind. @param name how the language writes a field */
export function kindNote({ fields, reading }: Kind, name: (field: string) => string): string[] {
  const secret = Object.keys(fields).find(
    (field) => fields[field]?.secret === true && fields[field].use === "output",
  );
  if (secret === undefined || reading.rotates !== "own-key") return [];
  return [
    `The service shows a secret once, so ${name(secret)} is empty after an import. A change of ${name("triggers")}`,
    "rotates the key; its new secret is then known.",
  ];
}

/** A free field that is left out. @param property in quotes @param bag where a program may give it */
export const secretNote = (property: string, bag: string): string =>
  `${property} may be a secret, so it is not written: give it in ${bag} to manage it.`;
