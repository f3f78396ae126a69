/** Stacks of dynamic resources; their programs are the tests' own. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "@swc/core";
import type { Emulator } from "../../../emulator";
import { PulumiStack, type StackOptions } from "../../harness/pulumi-stack";

/** A stack on an account. @param program its folder below `programs` */
export function openStack(
  program: string,
  { baseUrl, adminKey }: Emulator,
  options: Partial<StackOptions> = {},
): Promise<PulumiStack> {
  return PulumiStack.create({
    program: join(__dirname, "programs", program),
    ...options,
    env: { ERPHOST_BASE_URL: baseUrl, ERPHOST_API_KEY: adminKey, ...options.env },
  });
}

/** For a program that was compiled. */
export const JAVASCRIPT = { ERPHOST_TESTED_PROGRAM: "javascript" } as const;

const COMPILED = {
  ...JAVASCRIPT,
  // Not for runs that are killed: the state is written at their end.
  PULUMI_EXPERIMENTAL: "true",
  PULUMI_SKIP_CHECKPOINTS: "true",
};

/** A stack whose program does without ts-node, which takes a second of every run. */
export async function openCompiled(program: string, emulator: Emulator): Promise<PulumiStack> {
  const stack = await openStack(program, emulator, { env: COMPILED });
  compileProgram(stack);
  return stack;
}

/** Has a stack's program as JavaScript alone. */
export function compileProgram(stack: PulumiStack): void {
  const source = join(stack.program, "index.ts");
  const { code } = transformSync(readFileSync(source, "utf8"), {
    jsc: { parser: { syntax: "typescript" }, target: "es2023" },
    module: { type: "commonjs" },
    swcrc: false,
  });
  stack.write("index.js", code);
  rmSync(source);
}
