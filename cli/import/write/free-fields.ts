/** Free fields, of which a language or an engine may be unable to hold some. */
import { isRecord } from "../../../provider/contract";
import type { TakenObject } from "../program/model";

type Values = TakenObject["values"];

/** What can be written, and the names of the free fields that cannot. */
export interface Sorted {
  readonly written: Values;
  readonly lost: readonly string[];
}

/** @param isTrouble whether a key, at any depth, would become something else */
export function sortFreeFields(values: Values, isTrouble: (key: string) => boolean): Sorted {
  const bag = values.get("properties");
  const free = bag?.is === "literal" && isRecord(bag.value) ? Object.entries(bag.value) : [];
  const lost = free.filter(([key, inner]) => has({ [key]: inner }, isTrouble));
  if (lost.length === 0) return { written: values, lost: [] };
  const kept = Object.fromEntries(free.filter((each) => !lost.includes(each)));
  const written = new Map(values);
  if (Object.keys(kept).length > 0) written.set("properties", { is: "literal", value: kept });
  else written.delete("properties");
  return { written, lost: lost.map(([key]) => key) };
}

function has(value: unknown, isTrouble: (key: string) => boolean): boolean {
  if (Array.isArray(value)) return value.some((each: unknown) => has(each, isTrouble));
  if (!isRecord(value)) return false;
  return Object.entries(value).some(([key, inner]) => isTrouble(key) || has(inner, isTrouble));
}
