/** An npm registry: Verdaccio, which fetches what is not ours from the registry of this machine; and publishing to it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lastLines, runProgram, type Finished } from "../../../scripts/bootstrap/programs.cjs";
import { freePort, startServer } from "../../harness/servers";

const PROBE_MS_MAX = 20_000;
export const PUBLISH_MS_MAX = 5 * 60_000;

/** The registry that this machine is configured with. */
export async function outsideRegistry(): Promise<string> {
  const options = { env: process.env, timeoutMs: PROBE_MS_MAX };
  const { stdout } = await runProgram("npm", ["config", "get", "registry"], options);
  return stdout.trim().replace(/\/*$/, "/");
}

/** @throws Error in one sentence if the registry does not answer */
export async function expectReachable(registry: string): Promise<void> {
  try {
    const { ok, status } = await fetch(`${registry}constructs/latest`, {
      signal: AbortSignal.timeout(PROBE_MS_MAX),
    });
    if (!ok) throw new Error(`it answers ${status}`);
  } catch (error) {
    throw new Error(
      `The rehearsal needs the npm registry ${registry}, which cannot be reached: ${reason(error)}.`,
      { cause: error },
    );
  }
}

/** `fetch failed` says nothing; its cause does. */
function reason(error: unknown): string {
  const at = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(at instanceof Error)) return String(at);
  return at.message || ("code" in at ? String(at.code) : at.name);
}

/**
 * @param tools the folder with Verdaccio
 * @param folder an empty one of its own
 * @param outside where it fetches what is not ours
 */
export async function startNpmRegistry(tools: string, folder: string, outside: string) {
  const storage = join(folder, "storage");
  mkdirSync(storage, { recursive: true });
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/`;
  writeFileSync(join(folder, "config.yaml"), configuration(storage, outside));
  // For whoever looks at a rehearsal.
  writeFileSync(join(folder, "address"), address);
  const server = await startServer({
    name: "Verdaccio",
    program: process.execPath,
    words: [
      join(tools, "node_modules/verdaccio/bin/verdaccio"),
      ...["--config", join(folder, "config.yaml"), "--listen", `127.0.0.1:${port}`],
    ],
    folder,
    ready: `${address}-/ping`,
  });
  /** An .npmrc by which somebody may publish. */
  const login = join(folder, "publisher.npmrc");
  writeFileSync(login, `registry=${address}\n//127.0.0.1:${port}/:_authToken=rehearsal\n`);
  return { ...server, address, login };
}

/** Ours are never looked for outside: a package of that name there would be somebody else's. */
const configuration = (storage: string, outside: string): string => `storage: ${storage}
max_body_size: 500mb
web: { enable: false }
auth: { htpasswd: { file: ./htpasswd } }
uplinks:
  outside: { url: "${outside}", timeout: 120s, max_fails: 20, fail_timeout: 1s }
packages:
  "erphost": { access: $all, publish: $all }
  "@erphost/*": { access: $all, publish: $all }
  "**": { access: $all, proxy: outside }
log: { type: file, path: verdaccio.log, level: warn }
`;

/** `npm publish` of an archive, by somebody who may. A refusal is an answer. */
export function publishToNpm(
  { address, login }: Awaited<ReturnType<typeof startNpmRegistry>>,
  archive: string,
): Promise<Finished> {
  // A machine at home cannot attest where an archive was built.
  const words = ["--userconfig", login, "--no-provenance", "--loglevel=warn"];
  const env = { ...process.env, npm_config_registry: address };
  return runProgram("npm", ["publish", archive, ...words], { env, timeoutMs: PUBLISH_MS_MAX });
}

/** @throws Error where it was refused */
export function expectPublished(what: string, { code, output }: Finished): void {
  if (code !== 0) throw new Error(`${what} could not be published:\n${lastLines(output, 20)}`);
}
