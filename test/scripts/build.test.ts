import { existsSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { writeFiles } from "../../scripts/bootstrap/files.cjs";
import { outcomeOf, until } from "../support/wait";
import { createSandbox, linesOf, run, startRun, type Sandbox } from "./support/run";

/** Replaces `go build`: records its calls, and writes a program that prints an accepted version. */
const GO = `
echo "$GOFLAGS cgo=$CGO_ENABLED target=$GOOS $*" >> "$HOME/calls"
while [ "$1" != -o ]; do shift; done
echo '#!/bin/sh' > "$2"
sleep "\${GO_SECONDS:-0}"
echo 'echo OpenTofu v1.12.6' >> "$2"
`;

/** No machine has this name, so its process ids cannot be looked up here. */
const ELSEWHERE = `${hostname()}-elsewhere.invalid`;

/** Higher than any id that a system assigns. */
const NO_PROCESS = 2 ** 30;

let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
let lock: string;

beforeEach(() => {
  sandbox = createSandbox();
  // A vendor that refuses at once, as on a machine without a network.
  env = { ...sandbox.env, ERPHOST_ENGINES_MIRROR: "https://127.0.0.1:2" };
  lock = join(sandbox.cache, "engines", "tofu.lock");
});

const engines = () => run(["engines", "tofu"], env);
const goCalls = (): string[] => linesOf(join(sandbox.folder, "calls"));

function cacheEntries(): string[] {
  const folder = join(sandbox.cache, "engines");
  return existsSync(folder) ? readdirSync(folder) : [];
}

function holdLock(pid: number, host: string): void {
  writeFiles(dirname(lock), { [basename(lock)]: JSON.stringify({ pid, host, id: "a-holder" }) });
}

describe("engines that Go can build", () => {
  test("an engine is built from the pins, whatever the environment says, after it is said why it is not downloaded", async () => {
    sandbox.addProgram("go", GO);
    Object.assign(env, { GOFLAGS: "-mod=mod", GOOS: "plan9", CGO_ENABLED: "1" });
    const { stdout, stderr } = await engines();
    expect(stdout).toMatch(/^tofu \(built\): /);
    expect(stderr).toMatch(
      /OpenTofu is not downloaded: https:\S+ cannot be reached: .*ECONNREFUSED/,
    );
    expect(stderr).toMatch(
      /building OpenTofu .* \(once; \d+ to \d+ minutes on two cores\) …\n.*done building OpenTofu/,
    );
    const call = /^-mod=readonly cgo=0 target= build -trimpath/;
    expect(goCalls()).toEqual([expect.stringMatching(call)]);
  });

  test("an engine is built once when two commands need it at the same time", async () => {
    sandbox.addProgram("go", GO);
    env.GO_SECONDS = "0.5";
    const outcomes = await Promise.all([engines(), engines()]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(goCalls()).toHaveLength(1);
    expect(outcomes.map(({ stderr }) => stderr).join("")).toContain("waiting for another process");
  });

  test("an engine that is neither downloaded nor built has both reasons in its message", async () => {
    sandbox.addProgram("go", 'echo "go: no such module" >&2; exit 1');
    const { code, stderr } = await engines();
    expect(code).toBe(1);
    expect(stderr).toContain("built with Go: go build for tofu failed: go: no such module");
    expect(stderr).toContain("downloaded: https://127.0.0.1:2 cannot be reached: ");
  });

  test("an engine is not built when an accepted version is on PATH", async () => {
    sandbox.addProgram("go", GO);
    sandbox.addProgram("tofu", "echo OpenTofu v1.12.1");
    const stdout = expect.stringMatching(/^tofu \(path\): /);
    expect(await engines()).toMatchObject({ code: 0, stderr: "", stdout });
    expect(goCalls()).toEqual([]);
  });

  test("who asks for Terraform gets the newest, with stand-ins for its remote backends, and an older one on PATH is good enough for a test", async () => {
    sandbox.addProgram(
      "go",
      `${GO} (cd stand-ins; printf "%s\\n" *) >> "$HOME/calls"; echo 'echo v1.15.0' >> "$2"`,
    );
    sandbox.addProgram("terraform", "echo Terraform v1.11.4");
    const older = await run(["engines", "terraform-oldest"], env);
    expect(older.stdout).toMatch(/^terraform-oldest \(path\): /);
    expect(goCalls()).toEqual([]);
    const { stdout } = await run(["engines", "terraform"], env);
    const [, folder = ""] = /^terraform \(built\): (.*)/.exec(stdout) ?? [];
    const standIns = "azure consul cos gcs kubernetes legacy oci oss pg s3";
    expect(goCalls().slice(1)).toEqual(standIns.split(" "));
    expect(readdirSync(folder).sort()).toEqual(["entry.json", "terraform"]);
    const again = await run(["engines", "terraform"], env);
    expect(again.stdout).toBe(`terraform (cache): ${folder}\n`);
  });
});

test("a build that gets SIGTERM leaves nothing in the cache", async () => {
  sandbox.addProgram("go", GO);
  const child = startRun(["engines", "tofu"], { ...env, GO_SECONDS: "20" });
  const ended = outcomeOf(child);
  await until(() => goCalls().length === 1);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 143 });
  expect(cacheEntries()).toEqual([]);
});

test("a build that is killed leaves no usable entry and no lasting lock", async () => {
  sandbox.addProgram("go", GO);
  const child = startRun(["engines", "tofu"], { ...env, GO_SECONDS: "1" });
  const ended = outcomeOf(child);
  await until(() => goCalls().length === 1);
  child.kill("SIGKILL");
  expect((await engines()).stdout).toMatch(/^tofu \(built\): /);
  expect(goCalls()).toHaveLength(2);
  expect(cacheEntries().filter((name) => !/^tofu-[\d.]+-\w+$/.test(name))).toEqual([]);
  await ended;
});

describe("locks", () => {
  beforeEach(() => sandbox.addProgram("go", GO));

  test("the lock of a dead process is taken over", async () => {
    holdLock(NO_PROCESS, hostname());
    expect(await engines()).toMatchObject({ code: 0 });
    expect(existsSync(lock)).toBe(false);
  });

  test("the lock of another machine is taken over after a minute without a sign of life", async () => {
    holdLock(1, ELSEWHERE);
    const before = new Date(Date.now() - 61_000);
    utimesSync(lock, before, before);
    expect(await engines()).toMatchObject({ code: 0 });
  });

  test("a command waits for the lock of a living process", async () => {
    holdLock(process.pid, hostname());
    const child = startRun(["engines", "tofu"], env);
    const ended = outcomeOf(child);
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await until(() => said.includes("waiting for another process that is preparing OpenTofu"));
    expect(goCalls()).toEqual([]);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 143 });
    expect(readFileSync(lock, "utf8")).toContain("a-holder");
  });
});
