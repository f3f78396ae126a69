/**
 * A small part of `npm run release:rehearse`: the package from a real registry, the provider from
 * one too, and what both must refuse. `npm run test:release` is the whole of it.
 */
import { once } from "node:events";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { packBuilt } from "../rehearsal/artifacts";
import { rehearseCommand } from "../rehearsal/faces/npm";
import { npmIncomplete, npmTampered, npmTwice, zipTampered } from "../rehearsal/faces/refusals";
import { rehearseRegistry } from "../rehearsal/faces/terraform";
import { Registries } from "../rehearsal/registries/all";
import type { Row } from "../rehearsal/rows";
import { Stage } from "../rehearsal/stage";
import { onPath } from "../harness/terraform-workspace";

const MAIN = join(__dirname, "../rehearsal/main.ts");
const testWithGpg = onPath("gpg") === undefined ? test.skip : test;

let folder: string;
let registries: Registries;
let stage: Stage;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "erphost-rehearsal-"));
  registries = new Registries(folder, packBuilt);
  stage = new Stage(folder, registries);
});
afterAll(async () => {
  await registries.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What came of the attempt that was made last. */
const last = (): Pick<Row, "outcome" | "seen"> | undefined => {
  const row = stage.rows.at(-1);
  return row && { outcome: row.outcome, seen: row.seen };
};

test("the command of the package from a registry works on the oldest Node.js, without a warning", async () => {
  const [oldest] = await registries.nodes();
  if (!oldest) throw new Error("there is no Node.js");
  await rehearseCommand(stage, oldest);
  expect(last()).toEqual({
    outcome: "works",
    seen: "--version, emulator, whoami, without a warning",
  });
});

test("npm refuses to publish a version again", async () => {
  await npmTwice(stage);
  expect(last()).toMatchObject({ outcome: "works" });
});

test("npm refuses an archive of which one bit was changed", async () => {
  await npmTampered(stage);
  expect(last()).toMatchObject({ outcome: "works", seen: expect.stringContaining("EINTEGRITY") });
});

test("a package that needs what it lists for development alone fails the rehearsal", async () => {
  await npmIncomplete(stage);
  expect(last()).toMatchObject({ outcome: "works", seen: expect.stringContaining("commander") });
});

testWithGpg("init without flags installs the provider from a registry, and it works", async () => {
  await rehearseRegistry(stage);
  expect(last()).toEqual({ outcome: "works", seen: "apply, no changes, destroy" });
});

testWithGpg("init refuses a zip of which one bit was changed", async () => {
  await zipTampered(stage);
  expect(last()).toMatchObject({ outcome: "works", seen: expect.stringContaining("checksum") });
});

/** The rehearsal as a person starts it. */
function start(own: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ["-r", "ts-node/register", MAIN, "--only", "cli"], {
    cwd: join(__dirname, "../.."),
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
