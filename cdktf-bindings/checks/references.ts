/** What a value will be in Terraform, and the objects that it refers to. */
import { DefaultTokenResolver, StringConcat, TerraformStack, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";

/** With tokens resolved; `preparing`: what it refers to in other stacks becomes outputs first. */
export const resolved = (scope: IConstruct, value: unknown, preparing = false): unknown =>
  Tokenization.resolve(value, {
    ...{ scope, preparing, resolver: new DefaultTokenResolver(new StringConcat()) },
  }) as unknown;

/** The value as text; equal texts are the same value. */
export const textOf = (scope: IConstruct, value: unknown): string => {
  const known = resolved(scope, value);
  if (known === undefined) return "";
  return typeof known === "string" ? known : JSON.stringify(known);
};

/** An attribute of an object, known in all stacks of an app. */
export const attribute = (stack: TerraformStack, path: string): string =>
  `${stack.node.path}: ${path}`;

/** The attributes that a text refers to before it is resolved, those of other stacks among them. */
export const attributesIn = (text: unknown): readonly string[] =>
  typeof text !== "string"
    ? []
    : Tokenization.reverseString(text).tokens.flatMap((token) => {
        // The library's references have both.
        const path: unknown = Reflect.get(token, "identifier");
        const stack: unknown = Reflect.get(token, "originStack");
        const isReference = typeof path === "string" && stack instanceof Object;
        return isReference && TerraformStack.isStack(stack) ? [attribute(stack, path)] : [];
      });

/** The addresses of this provider's objects in a text. */
export const addressesIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w.-])(?:data\.)?erphost_\w+\.[\w-]+/g)].map(([address]) => address);
