/**
 * Runs rules in a process of their own, which may read them and this package and do little else.
 * It imports nothing of ours, so that it is the same whether it was compiled or not.
 */
// A script, since Node.js takes it as it is here too: with `import` it would be another kind of module.
const runRules = async ([own = "", entry = ""]: readonly string[]): Promise<void> => {
  const { createRequire, isBuiltin, registerHooks } =
    require("node:module") as typeof import("node:module");
  const { text } = require("node:stream/consumers") as typeof import("node:stream/consumers");
  const { pathToFileURL } = require("node:url") as typeof import("node:url");
  const mayImport = "erphost/policies";
  const plan: unknown = JSON.parse(await text(process.stdin));
  // What rules print is for people; the answer alone is on stdout.
  const { Console } = require("node:console") as typeof import("node:console");
  globalThis.console = new Console(process.stderr);
  const here = pathToFileURL(own).href;
  // Loaded first: what it needs of Node.js is out of reach afterwards.
  try {
    createRequire(own)(mayImport);
  } catch {
    // Rules that import it fail with the reason.
  }
  const isOwn = (url: string): boolean => url.startsWith(new URL(".", pathToFileURL(entry)).href);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      // CommonJS has what hooks are made with, and could add some before these.
      if (!isOwn(url) || /^(?:module|json)/.test(loaded.format ?? "")) return loaded;
      throw new Error(`${url} is not an ES module, which rules must be`);
    },
    resolve(specifier, context, next) {
      const { parentURL = "" } = context;
      const isOfRules = isOwn(parentURL);
      if (specifier === mayImport) return next(specifier, { ...context, parentURL: here });
      const isAllowed = isOfRules ? /^\.\.?\//.test(specifier) : !isBuiltin(specifier);
      if (isAllowed) return next(specifier, context);
      throw new Error(`rules may import ${mayImport} and files next to them, not ${specifier}`);
    },
  });
  // Node.js 22 and 24 have no permission for the network; what is not there cannot be called.
  const { stdout } = process;
  const globals: Record<string, unknown> = globalThis;
  for (const name of ["fetch", "WebSocket", "EventSource", "process"]) delete globals[name];
  // Whatever it exports, its answer is checked by whoever asked.
  const { rules } = (await import(pathToFileURL(entry).href)) as {
    rules: Record<string, { level: unknown; check: (plan: unknown) => unknown }>;
  };
  const answers = [];
  for (const [name, rule] of Object.entries(rules)) {
    answers.push({ name, level: rule.level, found: await rule.check(structuredClone(plan)) });
  }
  stdout.write(JSON.stringify(answers));
};

const host = process;
void runRules(host.argv.slice(1)).catch((error: unknown) => {
  host.stderr.write(String(error));
  host.exitCode = 1;
});
