/** The contract room's entry. Rooms import from here, not from its files. */
export { resources, type ResourceName, type Resources } from "./all.gen";
export { assumptions } from "./assumptions";
export { addressOrRange, dateBound, period, periodMs } from "./common";
export { resolveContract, type Contract, type ResolvedResource } from "./contract";
export * from "./define";
export * from "./duration";
export * from "./envelope";
export * from "./errors";
export * from "./events";
export * from "./invalid-input";
export * from "./key-format";
export * from "./limits";
export { profileSchema, type Profile } from "./profile";
export { toCamel, toSnake } from "./naming";
export * from "./scopes";
export { shapeOf, type ObjectField, type Shape } from "./shape";
export * from "./values";
export * from "./wire";
