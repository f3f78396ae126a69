/** The provider as one file, loaded as little as possible when it starts. */
import { build, type Plugin } from "esbuild";
import { lateHttp, oneLanguage } from "../support/bundle-plugins";
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

/** JavaScript in ASCII, for Node.js 22 and later; needs no other file. */
export async function bundleProvider(root: string, more: readonly Plugin[] = []): Promise<string> {
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
    plugins: [...more, fixedAnswers, lateHttp(root), oneLanguage],
  });
  const [file] = outputFiles;
  if (!file) throw new Error("the bundler wrote nothing");
  return file.text;
}
