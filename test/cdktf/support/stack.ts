import { DefaultTokenResolver, StringConcat, TerraformStack, TerraformVariable } from "cdktf";
import { Testing, Tokenization, type App } from "cdktf";
import type { Construct } from "constructs";
import { ErphostProvider, Server, type IServer } from "../../../cdktf-bindings";

/** A public key of age, whose private one nobody has. */
export const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

export const LIVE = { baseUrl: "https://erp.example/v1", apiKeyVariable: "live_key" };
export const EU = { baseUrl: "https://eu.example/v1", apiKeyVariable: "eu_key" };

export function newStack(name = "erp", scope: Construct = Testing.app()): TerraformStack {
  const stack = new TerraformStack(scope, name);
  new ErphostProvider(stack, "provider");
  return stack;
}

/** A variable, whose value Terraform alone knows. */
export const variable = (scope: Construct, id = "given", type = "string"): TerraformVariable =>
  new TerraformVariable(scope, id, { type });

type Blocks = Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;

interface Synthesised {
  readonly resource?: Blocks;
  readonly data?: Blocks;
  readonly moved?: readonly { readonly from: string; readonly to: string }[];
  readonly output?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** A server that is known by its id, so that it adds nothing to the configuration. */
export const hosted = (scope: Construct): IServer => Server.fromServerId(scope, "hosted", "srv_1");

export const permissions = ["servers:read"] as const;

/** The stack's configuration; Aspects and validations run. */
export const synth = (stack: TerraformStack): Synthesised =>
  // What Terraform documents as its JSON syntax.
  JSON.parse(Testing.synth(stack, true)) as Synthesised;

/** The configuration of a new stack with what a program builds in it. */
export function synthOf(build: (stack: TerraformStack) => unknown): Synthesised {
  const stack = newStack();
  build(stack);
  return synth(stack);
}

/** The resources of a kind in a stack, without the metadata that cdktf adds. */
export const allOf = (stack: TerraformStack, kind: string): Record<string, unknown>[] =>
  Object.values(synth(stack).resource?.[`erphost_${kind}`] ?? {}).map(
    ({ "//": _, ...block }) => block,
  );

/** All stacks of an app, as it writes them. */
export const write = (app: App) => () => void app.synth();

export const providersOf = (stack: TerraformStack): unknown =>
  (synth(stack) as { provider?: Record<string, unknown> }).provider?.["erphost"];

/** The only block of a type, without the metadata that cdktf adds. */
export function only(blocks: Blocks | undefined, type: string): Record<string, unknown> {
  const all = Object.values(blocks?.[type] ?? {});
  if (all.length !== 1) throw new Error(`${all.length} blocks of ${type}`);
  const { "//": _, ...block } = all[0] ?? {};
  return block;
}

/** An expression as it is written where null would count as left out. */
export const neverNull = (expression: string): string =>
  `\${${expression} == null ? "" : ${expression}}`;

/** A value as it is written into the configuration. */
export const expressionIn = (scope: TerraformStack, value: unknown): unknown =>
  Tokenization.resolve(value, { scope, resolver: new DefaultTokenResolver(new StringConcat()) });

/** What a check throws; empty where it throws nothing. */
export function thrownBy(check: () => void): string {
  try {
    check();
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
