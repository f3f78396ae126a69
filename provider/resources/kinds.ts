/** Every kind that programs declare, and every lookup. */
import { resources, type Resource } from "../contract";
import { readings } from "./all.gen";
import { kindOf, type Kind, type Reading } from "./define";

const readingOf: Readonly<Record<string, Reading>> = readings;
const contractResources: readonly Resource[] = Object.values(resources);

const declared = contractResources
  .filter((resource) => resource.operations.create !== undefined)
  .map((resource) => kindOf(resource, readingOf[resource.name] ?? { name: resource.name }));
const own = Object.values(readingOf)
  .filter((reading) => !Object.hasOwn(resources, reading.name))
  .map((reading) => kindOf(undefined, reading));

export const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  [...declared, ...own].map((kind) => [kind.name, kind]),
);

/** Every resource that can be looked up: all that the service lists. */
export const lookups: readonly Resource[] = contractResources;
