/** The rehearsal itself, where it cannot begin and where somebody ends it. */
import { once } from "node:events";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const root = join(__dirname, "../../..");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "erphost-rehearsal-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The rehearsal as a person starts it. */
function start(own: string, env: NodeJS.ProcessEnv) {
  const child = spawn(
    process.execPath,
    ["-r", "ts-node/register", "test/rehearsal/main.ts", "--only", "cli"],
    {
      cwd: root,
      env: { ...process.env, TMPDIR: own, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  return { child, ended: once(child, "exit"), printed: () => printed };
}

test("a rehearsal that cannot reach the npm registry says so in one sentence", async () => {
  const { child, ended, printed } = start(folder, { npm_config_registry: "http://127.0.0.1:9/" });
  await ended;
  expect(child.exitCode).toBe(1);
  expect(printed()).toMatch(
    /^The rehearsal needs the npm registry http:\/\/127\.0\.0\.1:9\/, which cannot be reached: .+\.\n$/,
  );
});

test("Ctrl-C ends a rehearsal with every server that it started, and leaves nothing", async () => {
  const own = mkdtempSync(join(folder, "interrupted-"));
  const { child, ended } = start(own, {});
  const address = await registryOf(own);
  child.kill("SIGINT");
  await ended;
  expect(child.exitCode).toBe(130);
  expect(readdirSync(own).filter((name) => name.startsWith("erphost-rehearsal-"))).toEqual([]);
  await expect(stopped(address)).resolves.toBe(true);
});

const TRIES_MAX = 600;
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));
const answers = (address: string): Promise<boolean> =>
  fetch(address).then(
    () => true,
    () => false,
  );

/** The address of the registry that a rehearsal has started, as soon as it answers. */
async function registryOf(own: string): Promise<string> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const [place = ""] = readdirSync(own).filter((name) => name.startsWith("erphost-rehearsal-"));
    const file = join(own, place, "verdaccio", "address");
    if (place !== "" && existsSync(file)) {
      const address = readFileSync(file, "utf8");
      if (await answers(address)) return address;
    }
    await later();
  }
  throw new Error("the rehearsal starts no registry");
}

async function stopped(address: string): Promise<boolean> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    if (!(await answers(address))) return true;
    await later();
  }
  return false;
}
