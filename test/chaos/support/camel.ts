/** Inputs in a host's own words. */
import { camel, isRecord, type Values } from "../../../provider/contract";

/** The name that `{ $ref: "name" }` refers to. */
export const referredBy = (value: unknown): string | undefined =>
  isRecord(value) && typeof value["$ref"] === "string" ? value["$ref"] : undefined;

/** Top-level names in camelCase; references as the host writes them. */
export const camelArgs = (args: Values, refer: (name: string) => string): Values =>
  Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const name = referredBy(value);
      return [camel(key), name === undefined ? value : refer(name)];
    }),
  );
