/** What a program does not hold of an object, and what its comments say of that, without their signs. */
import { isRecord } from "../../../provider/contract";
import type { Kind } from "../../../provider/resources";
import type { TakenObject } from "../program/model";

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

type Values = TakenObject["values"];

/**
 * What can be written, and the names of the free fields that a language or an engine cannot hold.
 * @param isTrouble whether a key, at any depth, would become something else
 */
export function sortFreeFields(values: Values, isTrouble: (key: string) => boolean) {
  const bag = values.get("properties");
  const free = bag?.is === "literal" && isRecord(bag.value) ? Object.entries(bag.value) : [];
  const lost = free.filter(([key, inner]) => has({ [key]: inner }, isTrouble));
  if (lost.length === 0) return { writable: values, lost: [] };
  const kept = Object.fromEntries(free.filter((each) => !lost.includes(each)));
  const writable = new Map(values);
  if (Object.keys(kept).length > 0) writable.set("properties", { is: "literal", value: kept });
  else writable.delete("properties");
  return { writable, lost: lost.map(([key]) => key) };
}

function has(value: unknown, isTrouble: (key: string) => boolean): boolean {
  if (Array.isArray(value)) return value.some((each: unknown) => has(each, isTrouble));
  if (!isRecord(value)) return false;
  return Object.entries(value).some(([key, inner]) => isTrouble(key) || has(inner, isTrouble));
}
