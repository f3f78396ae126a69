/** The registries of a rehearsal. Each is opened, and what it needs is built, when it is first asked for. */
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { say, step } from "../../../scripts/bootstrap/progress.cjs";
import { ensureNodeRelease, minimumNode } from "../../../scripts/engines/node.cjs";
import { packed } from "../../../scripts/release/pack";
import { PULUMI, ROOT, runTask } from "../artifacts";
import { startGitHub, startProviderHosts } from "./hosts";
import {
  expectPublished,
  expectReachable,
  outsideRegistry,
  publishToNpm,
  startNpmRegistry,
} from "./npm";
import { publishToPython, startPythonIndex } from "./python";
import { folderSite } from "../../harness/release/sites";
import { listening, type RunningServer } from "../../harness/servers";
import { cachedTools, must } from "../../harness/cached-tools";
import { findProgram } from "../../../scripts/bootstrap/programs.cjs";

/** A Node.js with the npm that it comes with. */
export interface NodeRelease {
  readonly version: string;
  readonly node: string;
  /** The npm package's folder. */
  readonly npm: string;
}

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

export class Registries {
  readonly #servers: RunningServer[] = [];
  readonly #folder: string;

  /** @param folder everything that they write is below it */
  constructor(folder: string) {
    this.#folder = folder;
  }

  readonly #tools = once(() =>
    step("getting Verdaccio and npm (kept in the cache)", () => npmTools()),
  );

  /** The oldest that is supported, where it is on PATH or pinned; and the one that this runs on. */
  readonly nodes = once(async (): Promise<readonly NodeRelease[]> => {
    const tools = join(await this.#tools(), "node_modules");
    const current = {
      version: process.version.slice(1),
      node: process.execPath,
      npm: join(tools, "npm-of-24"),
    };
    const version = minimumNode(ROOT);
    try {
      const node = await ensureNodeRelease(ROOT, process.env, version);
      return [{ version, node, npm: join(tools, "npm-of-22") }, current];
    } catch (error) {
      say(`left out: the oldest Node.js, because ${String(error)}`);
      return [current];
    }
  });

  async newest(): Promise<NodeRelease> {
    const newest = (await this.nodes()).at(-1);
    if (newest === undefined) throw new Error("there is no Node.js");
    return newest;
  }

  /** With our package in it. */
  readonly npm = once(async () => {
    const outside = await outsideRegistry();
    await expectReachable(outside);
    const tools = await this.#tools();
    const registry = await startNpmRegistry(tools, join(this.#folder, "verdaccio"), outside);
    this.#servers.push(registry);
    const archive = await step("packing the npm package", () => packed(ROOT));
    expectPublished("erphost", await publishToNpm(registry, archive));
    return registry;
  });

  /** The archives of the Pulumi plugin. Its Node.js SDK is published to npm. */
  readonly pulumi = once(async () => {
    const registry = await this.npm();
    await step("building the Pulumi plugin and its SDKs", () => runTask("build:pulumi"));
    expectPublished("the Node.js SDK", await publishToNpm(registry, built(".tgz")));
    const server = await serveFolder(PULUMI);
    this.#servers.push(server);
    return server;
  });

  /** With the Python SDK in it. */
  readonly python = once(async () => {
    await this.pulumi();
    const tools = await step("getting pypiserver (kept in the cache)", () => pythonTools());
    const index = await startPythonIndex(tools, join(this.#folder, "pypiserver"));
    this.#servers.push(index);
    expectPublished("the Python SDK", await publishToPython(index, tools, built(".whl")));
    return index;
  });

  /** Where Pulumi gets the plugin from that a package of ours names. */
  readonly github = once(async () => {
    await this.pulumi();
    const hosts = await startGitHub(join(this.#folder, "github"));
    this.#servers.push(hosts);
    return hosts;
  });

  readonly terraform = once(async () => {
    const hosts = await startProviderHosts(join(this.#folder, "providers"));
    this.#servers.push(hosts);
    return hosts;
  });

  /** Ends every server that was started. */
  async stop(): Promise<void> {
    for (const server of this.#servers.splice(0)) await server.stop();
  }
}

/** The one file of that kind that build:pulumi wrote. */
function built(ending: string): string {
  const files = readdirSync(PULUMI, { recursive: true, encoding: "utf8" });
  const found = files.filter((file) => file.endsWith(ending) && !file.includes("node_modules"));
  const [only] = found;
  if (only !== undefined && found.length === 1) return join(PULUMI, only);
  throw new Error(`build:pulumi writes ${found.length} files that end in ${ending}, not one.`);
}

/** A plain web server of the files of a folder, in this process. */
async function serveFolder(folder: string) {
  const site = folderSite(folder);
  const server = createServer((request, response) => {
    const content = site(request.url ?? "");
    const body = content ?? "not found";
    // Pulumi takes no archive of an unknown length.
    const headers = { "content-length": Buffer.byteLength(body) };
    response.writeHead(content === undefined ? 404 : 200, headers).end(body);
  });
  const served = await listening(server);
  // Without a slash at its end.
  return { ...served, address: `http://127.0.0.1:${served.port}` };
}

/** Programs are pinned here, and kept in the user's cache. */
const PINS = join(__dirname, "..", "tools");

/** Verdaccio, and the npm that each Node.js comes with. @returns their folder */
const npmTools = (): Promise<string> =>
  cachedTools({
    name: "npm",
    from: PINS,
    pins: ["package.json", "package-lock.json"],
    install: (folder) => must("npm", ["ci", "--ignore-scripts", "--loglevel=error"], folder),
  });

/**
 * pypiserver and twine. They are run by `python -m`: scripts of an environment that was moved no
 * longer find it.
 * @returns the folder of their Python @throws Error where the machine has none
 */
async function pythonTools(): Promise<string> {
  const python = findProgram("python3", process.env["PATH"] ?? "");
  if (python === undefined) throw new Error("The Python SDK needs python3 on PATH.");
  const folder = await cachedTools({
    name: "python",
    from: PINS,
    pins: ["requirements.txt"],
    install: async (draft) => {
      await must(python, ["-m", "venv", "venv"], draft);
      const pip = ["-m", "pip", "install", "-q", "--require-hashes", "--only-binary=:all:"];
      await must(join(draft, "venv/bin/python"), [...pip, "-r", "requirements.txt"], draft);
    },
  });
  return join(folder, "venv", "bin");
}
