/**
 * Projects as `pulumi new typescript` makes them (https://github.com/pulumi/templates, folder
 * `typescript`): the same dependencies and the same compiler options, written out here. The lock in
 * `template/` fixes what a new project gets for the template's ranges.
 */
import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PulumiStack } from "../../harness/pulumi-stack";

/** Compiler options that changed on 2026-03-25. */
export const templates = {
  "2025": { module: "commonjs", moduleResolution: "node" },
  "2026": { module: "nodenext", moduleResolution: "nodenext" },
} as const;

const others = {
  strict: true,
  outDir: "bin",
  target: "es2020",
  sourceMap: true,
  experimentalDecorators: true,
  pretty: true,
  noFallthroughCasesInSwitch: true,
  noImplicitReturns: true,
  forceConsistentCasingInFileNames: true,
};

/** The template's compiler options of a year. */
export const compilerOptions = (year: keyof typeof templates) => ({
  ...others,
  ...templates[year],
});

/** Makes the stack's program a new project of the template, with its packages installed. */
export function newProject(stack: PulumiStack, ...packages: readonly string[]): void {
  // What the tests' stacks link instead of installing it.
  rmSync(join(stack.program, "node_modules"), { recursive: true, force: true });
  cpSync(join(__dirname, "template"), stack.program, { recursive: true });
  npm(stack, "ci", "--prefer-offline");
  if (packages.length > 0) npm(stack, "install", "--prefer-offline", ...packages);
  useTemplate(stack, "2026");
}

/** Writes the compiler options of a year. */
export function useTemplate(stack: PulumiStack, year: keyof typeof templates): void {
  const settings = { compilerOptions: compilerOptions(year), files: ["index.ts"] };
  stack.write("tsconfig.json", JSON.stringify(settings));
}

/** npm with the registry and the cache of the person, as a stranger has it. */
function npm(stack: PulumiStack, ...words: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(
    "npm",
    [...words, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"],
    { cwd: stack.program, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`npm ${words.join(" ")} failed:\n${stdout}${stderr}`);
}

/** A program in a new project, with everything that the SDK has to offer the compiler. */
const PROGRAM = `import * as pulumi from "@pulumi/pulumi";
import * as erphost from "@erphost/pulumi-native";

const server = new erphost.Server("shop", { properties: { region: "eu-central" } });
const instance = new erphost.Instance("shop", { serverId: server.id, version: "17.0" });
const team = new erphost.Team("operations", { members: [{ email: "ada@example.com" }] });

// What the service always answers is text, never undefined.
const createdAt: pulumi.Output<string> = server.createdAt;
const status: pulumi.Output<string> = instance.status;

export const made = pulumi.interpolate\`\${createdAt} \${status} \${team.name}\`;
export const running = erphost.getServersOutput({ status: "running" }).servers.length;
`;

/** Writes the program. */
export const writeProgram = (stack: PulumiStack): void =>
  writeFileSync(join(stack.program, "index.ts"), PROGRAM);
