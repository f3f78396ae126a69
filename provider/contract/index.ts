/** The contract room's entry. Rooms import from here, not from its files. */
export { resources, type ResourceName } from "./all.gen";
export { assumptions } from "./profile/assumptions";
export { addressOrRange, dateBound, period, periodMs } from "./definition/common";
export { resolveContract, type Contract, type ResolvedResource } from "./contract";
export * from "./definition/define";
export * from "./input/duration";
export * from "./service/envelope";
export * from "./service/errors";
export * from "./service/events";
export * from "./input/invalid-input";
export * from "./service/key-format";
export * from "./service/limits";
export { profileSchema, type Profile } from "./profile/profile";
export { camel, itemOf, pascal, snake, toCamel, toSnake } from "./definition/naming";
export { openApiDocument } from "./openapi/document";
export { jsonSchema } from "./openapi/json";
export { parse } from "./input/parse";
export type * from "./records.gen";
export * from "./service/scopes";
export {
  hiddenJson,
  isNamedSecret,
  maskSecrets,
  openProperties,
  secretNames,
} from "./service/secrets";
export * from "./service/twin";
export { shapeOf, type Shape } from "./definition/shape";
export * from "./definition/values";
export * from "./wire";
