/** What the bundles of both plugins leave out or put off, so that they start quickly. */
import { join } from "node:path";
import type { Plugin } from "esbuild";

/** The HTTP library is loaded with the first call: planning and checking make none. */
export const lateHttp = (root: string): Plugin => ({
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
export const oneLanguage: Plugin = {
  name: "one-language",
  setup(builder) {
    builder.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      loader: "js",
      resolveDir: join(path, ".."),
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};
