/** A plugin as one file that loads as little as possible when it starts. */
import { join } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { oneLanguage } from "../bootstrap/bundles.cjs";
import { schemaAnswers } from "../../provider/terraform/server/schema-answers";
import { release } from "./project";

const root = join(__dirname, "..", "..");

/** What Pulumi's engine starts. */
export const PULUMI_ENTRY = "provider/pulumi/plugin/main.ts";
/** What Terraform and OpenTofu start. */
export const TERRAFORM_ENTRY = "provider/terraform/main.ts";

/** The schema never changes within a release, so the bundle holds its bytes. */
const fixedAnswers: Plugin = {
  name: "fixed-answers",
  setup(builder) {
    builder.onLoad({ filter: /terraform[\\/]server[\\/]schema-answers\.ts$/ }, () => {
      const members = Object.entries(schemaAnswers).map(([name, answer]) => {
        return `  ${name}: () => Buffer.from(${JSON.stringify(answer().toString("base64"))}, "base64"),\n`;
      });
      return { loader: "js", contents: `export const schemaAnswers = {\n${members.join("")}};` };
    });
  },
};

/**
 * JavaScript in ASCII for Node.js 22 and later that needs no other file.
 * @param entry PULUMI_ENTRY, TERRAFORM_ENTRY, or a program that stands in for one of them
 */
export async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build(optionsFor(entry));
  const [file] = outputFiles;
  if (!file) throw new Error("esbuild returned no file");
  return file.text;
}

/** Folders of the npm packages that are in a bundle, from the root of the checkout, sorted. */
export async function bundledPackages(entry: string): Promise<string[]> {
  const { metafile } = await build({ ...optionsFor(entry), metafile: true });
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /node_modules\/(?:@[^/]+\/)?[^/]+(?=\/(?!.*node_modules\/))/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)].sort();
}

const optionsFor = (entry: string) =>
  ({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    target: "node22",
    format: "cjs",
    charset: "ascii",
    minify: true,
    legalComments: "eof",
    logLevel: "warning",
    define: { ERPHOST_RELEASE: JSON.stringify(release) },
    plugins: [fixedAnswers, oneLanguage],
  }) satisfies BuildOptions;
