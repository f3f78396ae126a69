/** What users' compilers say of our types: TypeScript × modules × types of Node.js × templates. */
import { copyFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { packed } from "../../release/pack";
import type { Finding } from "../run-all";
import { ENTRIES, PEERS, PROGRAMS, Project, type Dependencies } from "./faces";

/** The oldest that is supported, what most programs have, the newest. */
const COMPILERS = ["5.4.5", "5.9.3", "6.0.3"] as const;
/** Of the types of Node.js; programs often have older ones than their Node.js. */
const NODE_TYPES = ["18.19.130", "22.19.21", "24.19.2"] as const;

/** Ways to resolve modules: what programs that have it say, and as which modules they are compiled. */
const RESOLUTIONS = {
  // As in the template of `pulumi new typescript` until 2026.
  node10: {
    options: { target: "es2020", module: "commonjs", moduleResolution: "node10" },
    files: ["main.ts"],
  },
  node16: {
    options: { target: "es2022", module: "node16", moduleResolution: "node16" },
    files: ["main.cts", "main.mts"],
  },
  bundler: {
    options: { target: "es2022", module: "esnext", moduleResolution: "bundler" },
    files: ["main.ts"],
  },
} as const;

/** The oldest of each, which knows the least of what a declaration may say. */
export const OLDEST = { compilers: COMPILERS.slice(0, 1), nodeTypes: NODE_TYPES.slice(0, 1) };

/** Uses something of each face, so that an entry whose types are lost does not go unnoticed. */
const USES = `
import { ErpHost } from "erphost";
import { Server } from "erphost/pulumi";
import { startEmulator } from "erphost/emulator";
import { checkPlan } from "erphost/policies";
import { verifyWebhook } from "erphost/webhooks";
import { Server as Construct } from "erphost/cdktf";
import { Server as Successor } from "erphost/cdktn";
import type { StackExpectation } from "erphost/cdktf/testing";

export const client: ErpHost = new ErpHost({ apiKey: "", baseUrl: "" });
// @ts-expect-error No server has such a field.
void client.servers.create({ nam: "a" });
// @ts-expect-error Nor has its resource.
export const server: Server = new Server("a", { nam: "a" });
export const address: Promise<string> = startEmulator().then((emulator) => emulator.baseUrl);
// @ts-expect-error It takes an object.
verifyWebhook("");
// @ts-expect-error It needs the time.
checkPlan("", {});
// @ts-expect-error It needs a scope.
export const construct: Construct = new Construct("a", "b", { name: "a" });
// @ts-expect-error It needs a scope.
export const successor: Successor = new Successor("a", "b", { name: "a" });
export const tested = (expected: StackExpectation): void => {
  expected.toDeclare(Construct, { name: "a" });
  // @ts-expect-error No server has such a prop.
  expected.not.toDeclare(Construct, { nam: "a" });
};
`;

/** Imports all of these by their names. */
const importing = (names: readonly string[]): string =>
  [
    ...names.map((name, index) => `import * as module${index} from "${name}";`),
    `export const all: readonly object[] = [${names.map((_, index) => `module${index}`).join()}];`,
  ].join("\n");

const PROGRAM = importing(ENTRIES) + USES;

/** What is wrong without our package. */
const CONTROL = importing(Object.keys(PEERS));

/** A package below a peer whose types have errors of their own, which a program without us has, too. */
const FAULTY = "node_modules/@grpc/grpc-js/";

/** `typescript@5.4.5` can be installed next to others under another name. */
const aliases = (name: string, versions: readonly string[]): Dependencies =>
  Object.fromEntries(versions.map((version) => [aliasOf(name, version), `npm:${name}@${version}`]));

const aliasOf = (name: string, version: string): string =>
  `${name.replace("@types/", "types-")}-${version.split(".").slice(0, 2).join("-")}`;

/** A project with these compilers and types of Node.js, and what faces build on. */
export const consumerProject = (
  archive: string,
  { compilers, nodeTypes }: Readonly<Record<"compilers" | "nodeTypes", readonly string[]>>,
): Promise<Project> =>
  Project.install(archive, {
    ...PEERS,
    ...aliases("typescript", compilers),
    ...aliases("@types/node", nodeTypes),
  });

/** @returns the cells with errors, a paragraph each, without those that peers have themselves */
async function compileCells(project: Project): Promise<string[]> {
  const wrong: string[] = [];
  for (const file of ["main.ts", "main.cts", "main.mts"]) project.write(file, PROGRAM);
  for (const file of ["control.ts", "control.cts", "control.mts"]) project.write(file, CONTROL);
  copyFileSync(join(PROGRAMS, "compile.cjs"), join(project.folder, "compile.cjs"));
  for (const nodeTypes of NODE_TYPES) {
    useNodeTypes(project, nodeTypes);
    const found = await Promise.all(
      COMPILERS.map((compiler) => compile(project, compiler, nodeTypes)),
    );
    wrong.push(...found.flat());
  }
  return wrong;
}

/** Packages look for them by one name. */
function useNodeTypes(project: Project, version: string): void {
  const link = join(project.folder, "node_modules/@types/node");
  rmSync(link, { recursive: true, force: true });
  symlinkSync(join(project.folder, "node_modules", aliasOf("@types/node", version)), link);
}

/** Cells of one compiler. */
async function compile(project: Project, compiler: string, nodeTypes: string): Promise<string[]> {
  const tried = Object.entries(RESOLUTIONS).flatMap(([resolution, { files, options }]) =>
    HABITS.map((habits) => ({ resolution, files, options, habits })),
  );
  const input = tried.map(({ files, options, habits }) => {
    return {
      files,
      control: files.map((file) => file.replace("main", "control")),
      options: { ...options, ...OPTIONS, ...habits, ...deprecations(compiler) },
    };
  });
  const words = ["compile.cjs", aliasOf("typescript", compiler), JSON.stringify(input)];
  const { code, stdout, output } = await project.run(process.execPath, words);
  if (code !== 0) throw new Error(`TypeScript ${compiler} failed:\n${output}`);
  // Of each cell, what the compiler says of our program, and of one that has only the peers.
  const answers = JSON.parse(stdout) as readonly Record<"errors" | "without", readonly string[]>[];
  return tried.flatMap(({ resolution, habits }, index) => {
    const { errors = [], without = [] } = answers[index] ?? {};
    const ours = errors.filter((line) => !without.includes(line) || !line.startsWith(FAULTY));
    const head = `TypeScript ${compiler}, ${resolution}, @types/node ${nodeTypes}, ${JSON.stringify(habits)}:`;
    return ours.length === 0 ? [] : [[head, ...ours].join("\n")];
  });
}

const OPTIONS = {
  strict: true,
  noEmit: true,
  // Those of TypeScript itself.
  skipDefaultLibCheck: true,
  types: ["node"],
};

/** What templates differ in: Pulumi's classic one has neither, the newer ones and cdktf's have both. */
const HABITS = [
  { skipLibCheck: false, esModuleInterop: false },
  { skipLibCheck: false, esModuleInterop: true },
  { skipLibCheck: true, esModuleInterop: true },
] as const;

/** TypeScript 6 announces that a later one will not have node10. */
const deprecations = (compiler: string) =>
  compiler.startsWith("6.") ? { ignoreDeprecations: "6.0" } : {};

/** The whole matrix, from the packed package. */
export async function checkConsumers(root: string): Promise<Finding> {
  const all = { compilers: COMPILERS, nodeTypes: NODE_TYPES };
  const project = await consumerProject(await packed(root), all);
  try {
    const wrong = await compileCells(project);
    return { ok: wrong.length === 0, output: wrong.join("\n\n") };
  } finally {
    project.remove();
  }
}
