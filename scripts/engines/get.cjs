"use strict";

const path = require("node:path");
const { buildEngine, toolOf, whyNotBuilt } = require("./build.cjs");
const { downloadEngine, downloadFor, whyOutOfReach } = require("./download.cjs");
const { cacheFolder, entryFolder, isWhole, makeEntry, readManifest } = require("./cache.cjs");
const { withLock } = require("../bootstrap/lock.cjs");
const { findProgram, lastLines, runProgram } = require("../bootstrap/programs.cjs");
const { say, step } = require("../bootstrap/progress.cjs");
const { parseVersion, versionIsIn } = require("../bootstrap/version.cjs");

/** @typedef {import('./cache.cjs').Engine} Engine */

/**
 * @typedef {object} Found
 * @property {string} name
 * @property {'path' | 'cache' | 'built' | 'downloaded'} source
 * @property {string} folder holds the programs
 */

/**
 * @typedef {object} Context
 * @property {NodeJS.ProcessEnv} env PATH in it is where engines are looked for
 * @property {string} node
 * @property {boolean} [insists] takes no older one on PATH than what would be got
 */

const PROBE_MS_MAX = 60_000;

/** Ends the name of an engine that comes last on PATH, behind a newer one of the same programs. */
const OLDEST = "-oldest";

/**
 * Makes every engine that is needed available: on PATH, in the cache, downloaded, or built where
 * its vendor cannot be reached, in this order.
 *
 * @param {readonly (string | readonly string[])[]} needs engines; of several in a list one is
 *   enough, and the first that is there is taken
 * @param {readonly string[]} optional used where they are already there, never downloaded or built
 * @param {Context} context
 * @returns {Promise<{ found: Found[], searchPath: string }>} with the PATH that finds them
 */
async function ensureEngines(needs, optional, context) {
  const manifest = readManifest();
  const names = [];
  for (const need of needs) {
    names.push(typeof need === "string" ? need : await firstThere(need, manifest, context));
  }
  const found = [];
  let searchPath = context.env.PATH ?? "";
  for (const name of new Set([...names, ...optional])) {
    const engine = engineOf(name, manifest);
    const result =
      (await alreadyThere(name, engine, context)) ??
      (names.includes(name) ? await prepare(name, engine, context) : undefined);
    if (result === undefined) continue;
    found.push(result);
    if (result.source === "path") continue;
    const folders = name.endsWith(OLDEST)
      ? [searchPath, result.folder]
      : [result.folder, searchPath];
    searchPath = folders.join(path.delimiter);
  }
  return { found, searchPath };
}

/**
 * @param {string} name
 * @param {Record<string, Engine>} manifest
 */
function engineOf(name, manifest) {
  const engine = Object.hasOwn(manifest, name) ? manifest[name] : undefined;
  if (engine !== undefined) return engine;
  throw new Error(`there is no engine "${name}"; use ${Object.keys(manifest).join(", ")}`);
}

/**
 * @param {readonly string[]} names engines of which one is enough, in the order of preference
 * @param {Record<string, Engine>} manifest
 * @param {Context} context
 * @returns {Promise<string>} the first that is there, else the first
 */
async function firstThere(names, manifest, context) {
  const [preferred = ""] = names;
  for (const name of names) {
    const engine = engineOf(name, manifest);
    if ((await alreadyThere(name, engine, context)) === undefined) continue;
    if (name !== preferred) {
      const { title } = engineOf(preferred, manifest);
      say(
        `with ${engine.title}, which is here; \`npm run engines ${preferred}\` gets ${title} as well`,
      );
    }
    return name;
  }
  return preferred;
}

/**
 * What is on PATH, unless it is older than what the manifest gets and that is in the cache, or is
 * insisted on.
 *
 * @param {string} name
 * @param {Engine} engine
 * @param {Context} context
 */
async function alreadyThere(name, engine, { env, insists }) {
  const there = await onPath(name, engine, env);
  if (there && !engine.gets) return there;
  if (there && (await whyUnfit(engine, env, engine.gets)) === undefined) return there;
  return inCache(name, engine, env) ?? (insists ? undefined : there);
}

/**
 * @param {string} name
 * @param {Engine} engine
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Found | undefined>}
 */
async function onPath(name, engine, env) {
  const files = engine.programs.map((program) => findProgram(program, env.PATH ?? ""));
  const [first] = files;
  if (first === undefined || files.includes(undefined)) return undefined;
  if ((await whyUnfit(engine, env)) !== undefined) return undefined;
  return { name, source: "path", folder: path.dirname(first) };
}

/**
 * @param {string} name
 * @param {Engine} engine
 * @param {NodeJS.ProcessEnv} env
 * @returns {Found | undefined}
 */
function inCache(name, engine, env) {
  const folder = entryFolder(cacheFolder(env), name, engine);
  return isWhole(folder, engine) ? { name, source: "cache", folder } : undefined;
}

/**
 * @param {Engine} engine
 * @param {NodeJS.ProcessEnv} env
 * @param {string | undefined} range of versions
 * @returns {Promise<string | undefined>} why the program on PATH is not accepted
 */
async function whyUnfit(engine, env, range = engine.accepted) {
  const [program, ...args] = engine.probe ?? [];
  if (program === undefined || range === undefined) return undefined;
  // Neither engine may look for a newer version of itself, which is slow without a network.
  const quiet = { CHECKPOINT_DISABLE: "1", PULUMI_SKIP_UPDATE_CHECK: "true" };
  const result = await runProgram(program, args, {
    env: { ...env, ...quiet },
    timeoutMs: PROBE_MS_MAX,
  });
  if (result.code !== 0) return `does not run: ${lastLines(result.output, 2)}`;
  if (versionIsIn(result.stdout, range)) return undefined;
  const version = parseVersion(result.stdout)?.join(".") ?? "unknown";
  return `has version ${version}, which is not ${range}`;
}

/**
 * @param {string} name
 * @param {Engine} engine
 * @param {Context} context
 * @returns {Promise<Found>}
 */
async function prepare(name, engine, context) {
  const { env } = context;
  const cache = cacheFolder(env);
  const folder = entryFolder(cache, name, engine);
  return withLock(path.join(cache, `${name}.lock`), engine.title, async () => {
    const cached = inCache(name, engine, env);
    if (cached !== undefined) return cached;
    const notDownloaded = await download(name, engine, folder, context);
    if (notDownloaded === undefined) return { name, source: "downloaded", folder };
    const notBuilt = await build(engine, folder, { notDownloaded, env });
    if (notBuilt === undefined) return { name, source: "built", folder };
    const notOnPath = await whyNotOnPath(engine, env);
    throw new Error(sentence(name, engine, env, { notOnPath, notBuilt, notDownloaded }));
  });
}

/**
 * @param {string} name
 * @param {Engine} engine
 * @param {string} folder
 * @param {Context} context
 * @returns {Promise<string | undefined>} why it was not downloaded
 */
async function download(name, engine, folder, context) {
  const release = downloadFor(name, engine, context.env);
  if (release === undefined) {
    return `no release for ${process.platform}-${process.arch} is pinned`;
  }
  const outOfReach = await whyOutOfReach(release, context);
  if (outOfReach !== undefined) return outOfReach;
  return fill(engine, folder, context.env, {
    label: `downloading ${engine.title} ${engine.version}`,
    source: release.archive,
    work: (draft) => downloadEngine(release, draft, context),
  });
}

/**
 * @param {Engine} engine
 * @param {string} folder
 * @param {{ notDownloaded: string, env: NodeJS.ProcessEnv }} context
 * @returns {Promise<string | undefined>} why it was not built
 */
async function build(engine, folder, { notDownloaded, env }) {
  const reason = whyNotBuilt(engine, env);
  if (reason !== undefined || engine.build === undefined) return reason;
  const [idle, busy] = engine.build.minutes;
  const { title } = toolOf(engine);
  say(`${engine.title} is not downloaded: ${notDownloaded}`);
  return fill(engine, folder, env, {
    label: `building ${engine.title} ${engine.version} with ${title} (once; ${idle} to ${busy} minutes on two cores)`,
    source: `built with ${title} from what is pinned`,
    work: (draft) => buildEngine(engine, draft, env),
  });
}

/**
 * Makes a cache entry, and checks that what is in it works.
 *
 * @param {Engine} engine
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @param {{ label: string, source: string, work: (draft: string) => Promise<readonly string[]> }} way
 * @returns {Promise<string | undefined>} why it failed
 */
async function fill(engine, folder, env, { label, source, work }) {
  const workAndTry = async (/** @type {string} */ draft) => {
    const programs = await work(draft);
    const searchPath = draft + path.delimiter + (env.PATH ?? "");
    const reason = await whyUnfit(engine, { ...env, PATH: searchPath });
    if (reason !== undefined) throw new Error(`${engine.title} ${reason}`);
    return programs;
  };
  try {
    await step(label, () => makeEntry(folder, workAndTry, source));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * @param {Engine} engine
 * @param {NodeJS.ProcessEnv} env
 */
async function whyNotOnPath(engine, env) {
  const missing = engine.programs.filter((program) => !findProgram(program, env.PATH ?? ""));
  if (missing.length > 0) return `no ${missing.join(", ")}`;
  return `${engine.programs[0]} ${await whyUnfit(engine, env, engine.gets)}`;
}

/**
 * @param {string} name
 * @param {Engine} engine
 * @param {NodeJS.ProcessEnv} env
 * @param {{ notOnPath: string, notBuilt: string, notDownloaded: string }} reasons
 */
function sentence(name, engine, env, { notOnPath, notBuilt, notDownloaded }) {
  const source = downloadFor(name, engine, env);
  const tool = toolOf(engine);
  const ways = [`install it (${engine.help}) so that it is on PATH`];
  if (engine.build !== undefined)
    ways.push(`install ${tool.title} (${tool.help}), which is used to build it here`);
  if (source !== undefined) {
    const { origin } = new URL(source.archive);
    ways.push(
      `let this machine reach ${origin}, or name a mirror in ERPHOST_ENGINES_MIRROR that has ` +
        `<mirror>/${name}/${engine.version}/${source.file}`,
    );
  }
  return [
    `${engine.title} ${engine.accepted ?? engine.version} is needed and not available.`,
    `  on PATH: ${notOnPath}`,
    `  in the cache ${cacheFolder(env)}: not there`,
    `  downloaded: ${notDownloaded}`,
    `  built with ${tool.title}: ${notBuilt}`,
    "Do one of these, then run the command again:",
    ...ways.map((way) => `  - ${way}`),
  ].join("\n");
}

module.exports = { ensureEngines };
