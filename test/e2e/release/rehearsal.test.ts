/** The rehearsal itself, where it cannot begin and where somebody ends it. */
import { once } from "node:events";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { sharedFolder } from "../../support/folder";

const root = join(__dirname, "../../..");
const folder = sharedFolder();

/** The rehearsal as a person starts it. */
function start(own: string, env: NodeJS.ProcessEnv) {
  const words = ["-r", "ts-node/register", "test/rehearsal/main.ts", "--only", "cli"];
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, TMPDIR: own, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
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
  await until("the registry has stopped", async () => !(await answers(address)));
});

/** @throws Error that says so where it does not hold in a minute */
async function until(otherwise: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries > 600) throw new Error(otherwise);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const answers = (address: string): Promise<boolean> =>
  fetch(address).then(
    () => true,
    () => false,
  );

/** The address of the registry that a rehearsal has started, as soon as it answers. */
async function registryOf(own: string): Promise<string> {
  let address = "";
  await until("the rehearsal starts no registry", async () => {
    const [place = ""] = readdirSync(own).filter((name) => name.startsWith("erphost-rehearsal-"));
    const file = join(own, place, "verdaccio", "address");
    if (place !== "" && existsSync(file)) address = readFileSync(file, "utf8");
    return address !== "" && (await answers(address));
  });
  return address;
}
