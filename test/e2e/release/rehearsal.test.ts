/** The rehearsal itself, where it cannot begin and where somebody ends it. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { startProgram, type Running } from "../../../scripts/bootstrap/programs.cjs";
import { answers, untilReady } from "../../harness/servers";
import { sharedFolder } from "../../support/folder";
import { until } from "../../support/wait";

const root = join(__dirname, "../../..");
const folder = sharedFolder();

/** The rehearsal as a person starts it. */
function start(own: string, env: NodeJS.ProcessEnv = {}): Running {
  return startProgram(
    process.execPath,
    ["-r", "ts-node/register", "test/rehearsal/main.ts", "--only", "yaml"],
    { cwd: root, env: { ...process.env, TMPDIR: own, ...env }, timeoutMs: 5 * 60_000 },
  );
}

test("a rehearsal that cannot reach the npm registry says so in one sentence", async () => {
  const running = start(folder, { npm_config_registry: "http://127.0.0.1:9/" });
  const { code, output } = await running.finished;
  expect(code).toBe(1);
  expect(output).toMatch(
    /^The rehearsal needs the npm registry http:\/\/127\.0\.0\.1:9\/, which cannot be reached: .+\.\n$/,
  );
});

test("Ctrl-C ends a rehearsal with every server that it started, and leaves nothing", async () => {
  const own = mkdtempSync(join(folder, "interrupted-"));
  const running = start(own);
  const address = await registryOf(own, running);
  running.signal("SIGINT");
  expect((await running.finished).code).toBe(130);
  expect(readdirSync(own).filter((name) => name.startsWith("erphost-rehearsal-"))).toEqual([]);
  await until(async () => !(await answers(address)));
});

/** The address of the registry that a rehearsal has started, as soon as it answers. */
async function registryOf(own: string, running: Running): Promise<string> {
  let address = "";
  await untilReady("a registry", running, async () => {
    const [place = ""] = readdirSync(own).filter((name) => name.startsWith("erphost-rehearsal-"));
    const file = join(own, place, "verdaccio", "address");
    if (place !== "" && existsSync(file)) address = `${readFileSync(file, "utf8")}-/ping`;
    return address !== "" && (await answers(address));
  });
  return address;
}
