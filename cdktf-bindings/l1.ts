/** L1, generated from the provider's schema, with a provider block that checks what it is given. */
export * from "./generated";
export * as provider from "./provider";
