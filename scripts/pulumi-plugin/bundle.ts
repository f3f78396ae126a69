/** The plugin as one file. */
import { build } from "esbuild";
import { lateHttp, oneLanguage } from "../support/bundle-plugins";

const PLUGIN = "provider/pulumi/plugin/main.ts";

/** JavaScript in ASCII, for Node.js 22 and later; needs no other file. */
export async function bundlePlugin(root: string, version: string, entry = PLUGIN): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    target: "node22",
    format: "cjs",
    charset: "ascii",
    minify: true,
    // Errors are told by their names.
    keepNames: true,
    legalComments: "none",
    logLevel: "warning",
    define: { ERPHOST_VERSION: JSON.stringify(version) },
    plugins: [oneLanguage, lateHttp(root)],
  });
  const [file] = outputFiles;
  if (!file) throw new Error("esbuild made no file");
  return file.text;
}
