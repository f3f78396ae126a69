import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { transformSync } from "@swc/core";
import { folder, given } from "../../support/given";
import { complaint, erphost, type Surroundings } from "../support";

/** What `run` does where everything is taken over already. */
export const NOTHING = { code: 0, out: ["There is nothing to take over."] };
export const SERVERS = ["--kind", "server"];

/** A run of `erphost import`, and the folder that it writes to. */
export type Importing = Awaited<ReturnType<typeof importing>>;

/** A service with an account, and a command line for it. */
export async function importing(options: Parameters<typeof given>[0] = {}, format = "terraform") {
  const service = await given(options);
  const { emulator } = service;
  /** Folder of the program. */
  const out = join(folder(), "program");
  const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
  /** `erphost import --to terraform --out OUT …` */
  const run = (words: readonly string[] = [], { env: more, ...rest }: Surroundings = {}) =>
    erphost(["import", "--to", format, "--out", out, ...words], {
      env: { ...env, ...more },
      readFile: (path) => readFileSync(path, "utf8"),
      ...rest,
    });
  return {
    ...{ service, emulator, out, run },
    /** The same, which fails with this code, by default that of invalid input. @returns what it said */
    refused: (
      words: readonly string[] = [],
      { code = 2, ...more }: Surroundings & { readonly code?: number } = {},
    ) => complaint(code, run(words, more)),
    /** Text of a file of the program; empty where there is none. */
    file: (name: string) => {
      const path = join(out, name);
      return existsSync(path) && statSync(path).isFile() ? readFileSync(path, "utf8") : "";
    },
    names: () => (existsSync(out) ? readdirSync(out).sort() : []),
    /** `GET /servers` and so on, in their order, since the service began or was asked last. */
    calls: () => {
      const calls = emulator.journal().map(({ method, path }) => `${method} ${path}`);
      emulator.clearJournal();
      return calls;
    },
  };
}

/** What modules of a program export, by their paths. @param packages what is from elsewhere */
export function running({ file }: Importing, packages: Readonly<Record<string, object>>) {
  const modules = new Map<string, object>(Object.entries(packages));
  const load = (path: string): object => {
    const known = modules.get(path);
    if (known) return known;
    const { code } = transformSync(file(`${path.replace("./", "")}.ts`), {
      jsc: { parser: { syntax: "typescript" } },
      module: { type: "commonjs" },
    });
    const exports = {};
    modules.set(path, exports);
    runInNewContext(code, { exports, require: load });
    return exports;
  };
  return load;
}
