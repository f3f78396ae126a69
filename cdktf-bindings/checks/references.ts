/** What a value will be in Terraform, and the objects that it refers to. */
import { DefaultTokenResolver, StringConcat, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";

/** A value with its tokens resolved, as it is written into the configuration. */
export const resolved = (scope: IConstruct, value: unknown): unknown =>
  Tokenization.resolve(value, {
    scope,
    resolver: new DefaultTokenResolver(new StringConcat()),
  }) as unknown;

/** The value as text; equal texts are the same value. */
export const textOf = (scope: IConstruct, value: unknown): string => {
  const known = resolved(scope, value);
  if (known === undefined) return "";
  return typeof known === "string" ? known : JSON.stringify(known);
};

/** The addresses of this provider's objects in a text. */
export const addressesIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w.-])(?:data\.)?erphost_\w+\.[\w-]+/g)].map(([address]) => address);
