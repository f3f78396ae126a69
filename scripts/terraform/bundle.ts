/** The provider as one file, loaded as little as possible when it starts. */
import { build, type Plugin } from "esbuild";
import { join } from "node:path";
import * as answers from "../../provider/terraform/server/schema-answers";

/** The schema never changes while a release lives, so the bundle holds its bytes. */
const fixedAnswers: Plugin = {
  name: "fixed-answers",
  setup(builder) {
    builder.onLoad({ filter: /terraform[\\/]server[\\/]schema-answers\.ts$/ }, () => ({
      loader: "js",
      contents: Object.entries(answers)
        .map(([name, answer]) => {
          const bytes = JSON.stringify(answer().toString("base64"));
          return `export const ${name} = () => Buffer.from(${bytes}, "base64");`;
        })
        .join("\n"),
    }));
  },
};

/** The HTTP library is loaded with the first call: planning creates and checking makes none. */
const lateHttp = (root: string): Plugin => ({
  name: "late-http",
  setup(builder) {
    const path = join(root, "node_modules/undici/index.js");
    builder.onResolve({ filter: /^undici$/ }, () => ({ path, namespace: "late" }));
    builder.onLoad({ filter: /.*/, namespace: "late" }, () => ({
      loader: "js",
      resolveDir: root,
      contents: `for (const name of ["Agent", "ProxyAgent"]) {
  Object.defineProperty(exports, name, {
    enumerable: true,
    get: () => require(${JSON.stringify(path)})[name],
  });
}`,
    }));
  },
});

/** Messages of the validator in other languages are never shown. */
const oneLanguage: Plugin = {
  name: "one-language",
  setup(builder) {
    builder.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      loader: "js",
      resolveDir: join(path, ".."),
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/** JavaScript in ASCII, for Node.js 22 and later; needs no other file. */
export async function bundleProvider(root: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["provider/terraform/main.ts"],
    bundle: true,
    write: false,
    platform: "node",
    target: "node22",
    format: "cjs",
    charset: "ascii",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "eof",
    logLevel: "warning",
    plugins: [fixedAnswers, lateHttp(root), oneLanguage],
  });
  const [file] = outputFiles;
  if (!file) throw new Error("the bundler wrote nothing");
  return file.text;
}
