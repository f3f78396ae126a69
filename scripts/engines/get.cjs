"use strict";

const path = require("node:path");
const { buildEngine, toolOf, whyNotBuilt } = require("./build.cjs");
const { downloadEngine, downloadFor, whyOutOfReach } = require("./download.cjs");
const { baseFolder, entryFolder, isWhole, makeEntry, readManifest } = require("./cache.cjs");
const { withLock } = require("../bootstrap/lock.cjs");
const { findProgram, lastLines, runProgram } = require("../bootstrap/programs.cjs");
const { say, step } = require("../bootstrap/progress.cjs");
const { versionIn, versionIsIn } = require("../bootstrap/version.cjs");

/**
 * @typedef {object} Found
 * @property {string} name
 * @property {'path' | 'cache' | 'built' | 'downloaded'} source
 * @property {string} folder holds the programs
 */

/**
 * @typedef {object} Context
 * @property {NodeJS.ProcessEnv} env PATH in it is where engines are looked for
 * @property {string} node a Node.js that supports proxies
 * @property {boolean} [insists] takes no older one on PATH than what would be got
 */

const PROBE_MS_MAX = 60_000;

/** Ends the name of an engine that comes last on PATH, behind a newer one of the same programs. */
const OLDEST = "-oldest";

/**
 * Makes every engine that is needed available: on PATH, in the cache, downloaded, or built where
 * its vendor cannot be reached, in this order.
 * @param {readonly (string | readonly string[])[]} needs engines; of several in a list one is
 *   enough, and the first that is there is taken
 * @param {readonly string[]} optional used where they are already there, never downloaded or built
 * @param {Context} context
 * @returns {Promise<{ found: Found[], searchPath: string }>} with the PATH that finds them
 */
async function ensureEngines(needs, optional, context) {
  const names = [];
  for (const need of needs) {
    names.push(typeof need === "string" ? need : await firstThere(need, context));
  }
  const found = [];
  let searchPath = context.env.PATH ?? "";
  for (const name of new Set([...names, ...optional])) {
    const wanted = new Wanted(name, context);
    const isNeeded = names.includes(name);
    const result = (await wanted.there()) ?? (isNeeded ? await wanted.prepare() : undefined);
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
 * @param {readonly string[]} names engines of which one is enough, in the order of preference
 * @param {Context} context @returns {Promise<string>} the first that is there, else the first
 */
async function firstThere(names, context) {
  const [preferred = ""] = names;
  for (const name of names) {
    const wanted = new Wanted(name, context);
    if ((await wanted.there()) === undefined) continue;
    if (name !== preferred) {
      const { title } = new Wanted(preferred, context).engine;
      say(
        `with ${wanted.engine.title}, which is here; \`npm run engines ${preferred}\` gets ${title} as well`,
      );
    }
    return name;
  }
  return preferred;
}

/** An engine of the manifest, and the ways to have it here. */
class Wanted {
  /** @param {string} name @param {Context} context @throws Error with the names that there are */
  constructor(name, context) {
    const manifest = readManifest();
    const engine = Object.hasOwn(manifest, name) ? manifest[name] : undefined;
    if (engine === undefined) {
      throw new Error(`there is no engine "${name}"; use ${Object.keys(manifest).join(", ")}`);
    }
    this.name = name;
    this.engine = engine;
    this.context = context;
    this.env = context.env;
    this.cache = path.join(baseFolder(context.env), "engines");
  }

  /** Of the cache. */
  get folder() {
    return entryFolder(this.cache, this.name, this.engine);
  }

  /** On PATH, unless the manifest gets a newer one that is in the cache or insisted on. */
  async there() {
    const { gets } = this.engine;
    const there = await this.onPath();
    if (there && !gets) return there;
    if (there && (await this.whyUnfit(gets)) === undefined) return there;
    return this.inCache() ?? (this.context.insists ? undefined : there);
  }

  /** @returns {Promise<Found | undefined>} */
  async onPath() {
    const files = this.engine.programs.map((program) => findProgram(program, this.env.PATH ?? ""));
    const [first] = files;
    if (first === undefined || files.includes(undefined)) return undefined;
    if ((await this.whyUnfit()) !== undefined) return undefined;
    return { name: this.name, source: "path", folder: path.dirname(first) };
  }

  /** @returns {Found | undefined} */
  inCache() {
    const { name, folder } = this;
    return isWhole(folder, this.engine) ? { name, source: "cache", folder } : undefined;
  }

  /**
   * @param {string | undefined} [range] of versions
   * @param {NodeJS.ProcessEnv} [env] whose PATH has the program
   * @returns {Promise<string | undefined>} why the program on PATH is not accepted
   */
  async whyUnfit(range = this.engine.accepted, env = this.env) {
    const [program, ...args] = this.engine.probe ?? [];
    if (program === undefined || range === undefined) return undefined;
    // Neither engine may look for a newer version of itself, which is slow without a network.
    const quiet = { CHECKPOINT_DISABLE: "1", PULUMI_SKIP_UPDATE_CHECK: "true" };
    const options = { env: { ...env, ...quiet }, timeoutMs: PROBE_MS_MAX };
    const result = await runProgram(program, args, options);
    if (result.code !== 0) return `does not run: ${lastLines(result.output, 2)}`;
    if (versionIsIn(result.stdout, range)) return undefined;
    return `has version ${versionIn(result.stdout) ?? "unknown"}, which is not ${range}`;
  }

  /** @returns {Promise<Found>} */
  async prepare() {
    const { name, engine, folder } = this;
    return withLock(path.join(this.cache, `${name}.lock`), engine.title, async () => {
      const cached = this.inCache();
      if (cached !== undefined) return cached;
      const notDownloaded = await this.download();
      if (notDownloaded === undefined) return { name, source: "downloaded", folder };
      const notBuilt = await this.build(notDownloaded);
      if (notBuilt === undefined) return { name, source: "built", folder };
      throw new Error(await this.sentence(notDownloaded, notBuilt));
    });
  }

  /** @returns {Promise<string | undefined>} why it was not downloaded */
  async download() {
    const { engine, env, context } = this;
    const release = downloadFor(this.name, engine, env);
    if (release === undefined) {
      return `no release for ${process.platform}-${process.arch} is pinned`;
    }
    const outOfReach = await whyOutOfReach(release, context);
    if (outOfReach !== undefined) return outOfReach;
    const label = `downloading ${engine.title} ${engine.version}`;
    return this.fill(label, release.archive, (draft) => downloadEngine(release, draft, context));
  }

  /**
   * @param {string} notDownloaded why
   * @returns {Promise<string | undefined>} why it was not built
   */
  async build(notDownloaded) {
    const { engine, env } = this;
    const reason = whyNotBuilt(engine, env);
    if (reason !== undefined) return reason;
    const [idle, busy] = engine.build.minutes;
    const { title } = toolOf(engine);
    say(`${engine.title} is not downloaded: ${notDownloaded}`);
    const label = `building ${engine.title} ${engine.version} with ${title} (once; ${idle} to ${busy} minutes on two cores)`;
    const source = `built with ${title} from what is pinned`;
    return this.fill(label, source, (draft) => buildEngine(engine, draft, env));
  }

  /**
   * Makes a cache entry, and checks that what is in it works.
   * @param {string} label @param {string} source
   * @param {(draft: string) => Promise<readonly string[]>} work
   * @returns {Promise<string | undefined>} why it failed
   */
  async fill(label, source, work) {
    const workAndTry = async (/** @type {string} */ draft) => {
      const programs = await work(draft);
      const searchPath = draft + path.delimiter + (this.env.PATH ?? "");
      const reason = await this.whyUnfit(undefined, { ...this.env, PATH: searchPath });
      if (reason !== undefined) throw new Error(`${this.engine.title} ${reason}`);
      return programs;
    };
    try {
      await step(label, () => makeEntry(this.folder, workAndTry, source));
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async whyNotOnPath() {
    const { programs, gets } = this.engine;
    const missing = programs.filter((program) => !findProgram(program, this.env.PATH ?? ""));
    if (missing.length > 0) return `no ${missing.join(", ")}`;
    return `${programs[0]} ${await this.whyUnfit(gets)}`;
  }

  /** @param {string} notDownloaded @param {string} notBuilt */
  async sentence(notDownloaded, notBuilt) {
    const { name, engine } = this;
    const source = downloadFor(name, engine, this.env);
    const tool = toolOf(engine);
    const ways = [
      `install it (${engine.help}) so that it is on PATH`,
      `install ${tool.title} (${tool.help}), which is used to build it here`,
    ];
    if (source !== undefined) {
      const { origin } = new URL(source.archive);
      ways.push(
        `let this machine reach ${origin}, or name a mirror in ERPHOST_ENGINES_MIRROR that has ` +
          `<mirror>/${name}/${engine.version}/${source.file}`,
      );
    }
    return [
      `${engine.title} ${engine.accepted ?? engine.version} is needed and not available.`,
      `  on PATH: ${await this.whyNotOnPath()}`,
      `  in the cache ${this.cache}: not there`,
      `  downloaded: ${notDownloaded}`,
      `  built with ${tool.title}: ${notBuilt}`,
      "Do one of these, then run the command again:",
      ...ways.map((way) => `  - ${way}`),
    ].join("\n");
  }
}

module.exports = { ensureEngines };
