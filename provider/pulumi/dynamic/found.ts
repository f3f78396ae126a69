/**
 * How Pulumi's process finds this package. It looks from the program's folder, where a package that
 * has a copy of its own does not show it: pnpm's layout, or versions that differ.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { isRecord, type Values } from "../../contract";
import { message, sentence } from "../../messages";
import { dynamicVoice } from "../voice";

const HANDLER = "erphost/pulumi/handler";
let found: { readonly via: string | undefined } | undefined;

/**
 * The package of the program through which this one is found; undefined where the program has it.
 * An entry point: the process comes in here.
 * @throws RunError where Pulumi's process could not find it
 */
export function viaPackage(): string | undefined {
  // Tests with mocks and programs that run Pulumi themselves are started in other folders.
  const isProgram = /[\\/]cmd[\\/]run(?:[\\/]|$)/.test(process.argv[1] ?? "");
  found ??= { via: isProgram ? viaIn(process.cwd(), __filename) : undefined };
  return found.via;
}

/** @param folder of the program @param own a file of this package @throws RunError */
export function viaIn(folder: string, own: string): string | undefined {
  const program = join(folder, "program.js");
  if (resolved(HANDLER, program) !== undefined) return undefined;
  const wanted = resolved(HANDLER, own);
  const via = dependenciesOf(folder).find((name) => {
    const entry = resolved(name, program);
    const through = entry === undefined ? undefined : resolved(HANDLER, entry);
    return through !== undefined && through === wanted;
  });
  if (via !== undefined) return via;
  throw new pulumi.RunError(sentence(dynamicVoice, message("not_found_from_program", {})));
}

/** The file that a request leads to from a file; undefined where it leads nowhere. */
function resolved(request: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(request);
  } catch {
    return undefined;
  }
}

/** The names of the packages that a program asks for itself, in its package.json or one above. */
function dependenciesOf(folder: string): string[] {
  const manifest = manifestIn(folder);
  const above = dirname(folder);
  if (manifest === undefined) return above === folder ? [] : dependenciesOf(above);
  return ["dependencies", "devDependencies", "optionalDependencies"].flatMap((key) => {
    const named = manifest[key];
    return isRecord(named) ? Object.keys(named) : [];
  });
}

function manifestIn(folder: string): Values | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return isRecord(manifest) ? manifest : undefined;
  } catch {
    return undefined; // Only what an error advises is looked for here.
  }
}

/**
 * The program that Pulumi keeps in the state of each dynamic resource, in its inputs and again in its
 * outputs, and hands to the process that runs it: the text of a CommonJS module with a `handler`.
 * The SDK would write 2 KB from a closure. This line only names what is installed, and stays the same
 * in every release, so that an old state runs new code.
 * @param via the package of the program through which this one is found; default the program itself
 */
export const programOf = (title: string, via?: string): string =>
  via === undefined
    ? `exports.handler=()=>require("erphost/pulumi/handler").handler(${JSON.stringify(title)})`
    : programVia(title, via);

/** The state may outlive the package that brought the copy: without it, the program has to. */
const programVia = (title: string, via: string): string => {
  const fault = `erphost is found neither through ${via} nor from the program's folder. Add it to the program's own dependencies: npm install erphost`;
  return [
    `const find=(at)=>{try{return require.resolve("erphost/pulumi/handler",{paths:[at()]})}catch{}};`,
    `exports.handler=()=>{`,
    `const found=find(()=>require.resolve(${JSON.stringify(via)}))||find(()=>".");`,
    `if(!found)throw Object.assign(new Error(${JSON.stringify(fault)}),{stack:""});`,
    `return require(found).handler(${JSON.stringify(title)})}`,
  ].join("");
};
