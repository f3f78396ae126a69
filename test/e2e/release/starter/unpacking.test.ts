import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { hasGo } from "../../../../scripts/release/runtime/starter";
import { opened } from "../../support/opened";
import { outcomeOf } from "../../../support/wait";
import { Bench, contents, packedAs } from "./package";

const isRoot = process.geteuid?.() === 0;
const describeWithGo = hasGo() && process.platform !== "win32" ? describe : describe.skip;
const testAsRoot = isRoot && process.platform === "linux" ? test : test.skip;
const OTHER_USER = 12_345;
const COMPILED = /\.compiled$/;

describeWithGo("an executable", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = opened(await Bench.with());
  }, 180_000);
  beforeEach(() => bench.fresh());

  const compiled = (): string =>
    Object.values(bench.files()).find((path) => COMPILED.test(path)) ?? "";
  const inodes = (): Record<string, number> =>
    Object.fromEntries(
      Object.entries(bench.files()).map(([name, path]) => [name, statSync(path).ino]),
    );

  test("its first start unpacks into a folder of this user alone, and later starts use that", async () => {
    expect((await bench.report(["a", "b c"])).words).toEqual([compiled(), "a", "b c"]);
    expect(readFileSync(compiled(), "utf8")).toBe("compiled");
    expect(Object.keys(bench.files()).sort()).toEqual(
      [expect.stringMatching(COMPILED), "lock", "node", "start.cjs"].sort(),
    );
    expect(statSync(join(bench.cache, "runtime")).mode & 0o777).toBe(0o700);
    expect(statSync(bench.files()["node"] ?? "").mode & 0o777).toBe(0o500);
    const before = inodes();
    await bench.report();
    expect(inodes()).toEqual(before);
  });

  test("the process stays the same: its id, its input, its exit code", async () => {
    const child = bench.start(["read"], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin?.end("hello");
    const { stdout } = await outcomeOf(child);
    expect(JSON.parse(stdout)).toMatchObject({ pid: child.pid, input: "hello" });
    expect(await bench.run(["exit", "7"])).toMatchObject({ code: 7 });
  });

  test("options for other programs of Node.js do not reach it", async () => {
    const report = await bench.report([], { NODE_OPTIONS: "--throw-deprecation" });
    expect(report).not.toHaveProperty("options");
  });

  test("ten first starts at once all work, and unpack once", async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => bench.report()));
    expect(new Set(all.map(({ folder }) => folder)).size).toBe(1);
    expect(Object.keys(bench.files()).filter((name) => name.startsWith(".draft-"))).toEqual([]);
  });

  test("first starts that are killed leave nothing that a later one would use", async () => {
    for (const ms of [1, 5, 10, 20, 40, 80]) {
      const child = bench.start([], { stdio: "ignore" });
      await pause(ms);
      child.kill("SIGKILL");
    }
    expect((await bench.report()).words[0]).toBe(compiled());
  });

  test.each([
    ["altered", (path: string) => appendFileSync(path, "\nexit 1\n")],
    ["cut short", (path: string) => truncateSync(path, 3)],
    ["replaced by a link", (path: string) => (rmSync(path), symlinkSync("/bin/false", path))],
    ["open to other users", (path: string) => chmodSync(path, 0o777)],
    ["removed", (path: string) => rmSync(path)],
  ])("a file that was %s is unpacked again", async (_, harm) => {
    await bench.report();
    const node = bench.files()["node"] ?? "";
    const content = readFileSync(node);
    chmodSync(node, 0o700);
    harm(node);
    expect((await bench.report()).words[0]).toBe(compiled());
    expect(readFileSync(node).equals(content)).toBe(true);
    expect(statSync(node).mode & 0o777).toBe(0o500);
  });

  test.each(["ERPHOST_CACHE_DIR", "CI"])(
    "where %s is set, nothing runs that another job planted, with every mark of a file of ours",
    async (variable) => {
      const kept = { [variable]: bench.cache };
      const first = await bench.report([], kept);
      expect(first.words[0]).toBe("source");
      for (const path of Object.values(bench.files())) {
        if (!/node$|start\.cjs$|\.compiled$/.test(path)) continue;
        const { mode, size, mtime } = statSync(path);
        chmodSync(path, 0o700);
        writeFileSync(path, "#!/bin/sh\nexit 66 #".padEnd(size, "x"));
        chmodSync(path, mode);
        utimesSync(path, mtime, mtime);
      }
      expect((await bench.report([], kept)).words).toEqual(first.words);
    },
  );

  testAsRoot("root leaves no folder of its own in the home of another user", async () => {
    const home = join(bench.folder, "home");
    mkdirSync(home);
    chownSync(home, OTHER_USER, OTHER_USER);
    const { words } = await bench.report([], { XDG_CACHE_HOME: "", HOME: home });
    expect(words).toEqual(["remove"]);
    expect(readdirSync(home)).toEqual([]);
  });

  test("what killed starts and old releases left is removed when a release starts for the first time", async () => {
    const runtime = join(bench.cache, "runtime");
    const old = new Date(Date.now() - 100 * 86_400_000);
    for (const name of [".draft-1", "node-1.0.0-0123456789abcdef", "photos"]) {
      mkdirSync(join(runtime, name), { recursive: true });
      utimesSync(join(runtime, name), old, old);
    }
    mkdirSync(join(runtime, "node-2.0.0-y"));
    await bench.report();
    const left = readdirSync(runtime);
    expect(left).toEqual(expect.arrayContaining(["node-2.0.0-y", "photos"]));
    expect(left.filter((name) => /^\.draft|1\.0\.0/.test(name))).toEqual([]);
  });

  test("where no cache can be made, it runs from a private folder that is gone at once", async () => {
    const none = { ERPHOST_CACHE_DIR: "/dev/null/cache" };
    const { stderr, folder, words } = await bench.report([], none);
    expect(words).toEqual(["remove"]);
    expect(stderr).toMatch(
      /^terraform-provider-erphost: nothing is kept in the cache, so every start takes longer: .*\/dev\/null.*\. Name a folder of your own in ERPHOST_CACHE_DIR\.\n$/,
    );
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(bench.folder).join()).not.toContain("erphost-start-");
  });

  test("where it can write nowhere, one sentence says so", async () => {
    const nowhere = { ERPHOST_CACHE_DIR: "/dev/null/cache", TMPDIR: "/dev/null/tmp" };
    const { code, stdout } = await bench.run([], nowhere);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^terraform-provider-erphost cannot start: there is no folder to unpack it to: .*\/dev\/null.*; .*\/dev\/null\/tmp.*\. Name a folder of your own with 200 MB of space in ERPHOST_CACHE_DIR\.\n$/,
    );
  });

  testAsRoot("nothing runs from a folder of another user, who could have planted it", async () => {
    await bench.report();
    const runtime = join(bench.cache, "runtime");
    for (const path of Object.values(bench.files())) chownSync(path, OTHER_USER, OTHER_USER);
    expect((await bench.report()).words[0]).toBe(compiled());
    chownSync(runtime, OTHER_USER, OTHER_USER);
    const { stderr, words } = await bench.report();
    expect(words).toEqual(["remove"]);
    expect(stderr).toContain(`${runtime} belongs to another user`);
  });

  test("a cache that another user could put another in the place of is not used", async () => {
    const open = join(bench.folder, "open");
    mkdirSync(join(open, "mine"), { recursive: true });
    const inside = { ERPHOST_CACHE_DIR: join(open, "mine") };
    symlinkSync(inside.ERPHOST_CACHE_DIR, join(bench.folder, "link"));
    chmodSync(open, 0o777);
    for (const env of [inside, { ERPHOST_CACHE_DIR: join(bench.folder, "link") }]) {
      const { stderr, words } = await bench.report([], env);
      expect(words).toEqual(["remove"]);
      expect(stderr).toContain(`: other users can change ${open}, and so what is in it. `);
    }
    const { code, stdout } = await bench.run([], { ...inside, TMPDIR: open });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(open) });
    expect(readdirSync(open)).toEqual(["mine"]);
    chmodSync(open, 0o1777);
    expect((await bench.report([], inside)).words).not.toEqual(["remove"]);
  });

  testAsRoot.each([
    ["of another user", OTHER_USER, 0, 0o755],
    ["that another group can write to", 0, OTHER_USER, 0o775],
  ])("a cache in a folder %s is not used", async (_, user, group, mode) => {
    const outer = join(bench.cache, "outer");
    mkdirSync(outer);
    chownSync(outer, user, group);
    chmodSync(outer, mode);
    const { stderr, words } = await bench.report([], { ERPHOST_CACHE_DIR: join(outer, "cache") });
    expect(words).toEqual(["remove"]);
    expect(stderr).toContain(`: other users can change ${outer}, `);
  });

  test("private folders of starts that were killed are removed an hour later", async () => {
    const [old, young, other] = ["old", "young", "other"].map((name) =>
      join(bench.cache, name === "other" ? name : `erphost-start-${name}`),
    ) as [string, string, string]; // three names give three paths
    for (const each of [old, young, other]) mkdirSync(join(each, "node"), { recursive: true });
    symlinkSync(other, join(bench.cache, "erphost-start-link"));
    const before = new Date(Date.now() - 2 * 3_600_000);
    for (const each of [old, other]) utimesSync(each, before, before);
    await bench.report([], { ERPHOST_CACHE_DIR: "/dev/null/cache", TMPDIR: bench.cache });
    expect(readdirSync(bench.cache).sort()).toEqual(
      ["erphost-start-link", "erphost-start-young", "other"].sort(),
    );
    expect(readdirSync(other)).toEqual(["node"]);
  });

  test("a start that waits for another one says so", async () => {
    await bench.report();
    const lock = bench.files()["lock"] ?? "";
    const holder = spawn("flock", [lock, "cat"], { stdio: ["pipe", "pipe", "inherit"] });
    holder.stdin.write("held");
    await once(holder.stdout, "data");
    const child = bench.start([], { stdio: ["ignore", "pipe", "pipe"] });
    const end = outcomeOf(child);
    child.stderr?.once("data", () => holder.stdin.end());
    expect(await end).toMatchObject({
      code: 0,
      stderr: `terraform-provider-erphost: waits for another start, which is unpacking into ${join(bench.cache, "runtime")}.\n`,
    });
  });

  testAsRoot(
    "on a full disk, it runs from the temporary folder, and leaves nothing on the disk",
    () => {
      const mounted = 'mount -t tmpfs -o size=4k,nr_inodes=20 none "$XDG_CACHE_HOME" && "$0"';
      const script = `${mounted}; find "$XDG_CACHE_HOME" -name '.draft-*' | wc -l`;
      const words = ["-m", "sh", "-c", script, bench.program];
      const ended = spawnSync("unshare", words, { env: bench.env(), encoding: "utf8" });
      expect(ended).toMatchObject({ status: 0, stderr: expect.stringContaining("no space left") });
      expect(ended.stdout).toMatch(/"remove"[^]*\n0\n$/);
    },
  );
});

describeWithGo("a Node.js", () => {
  let bench: Bench;
  beforeAll(async () => {
    const missing = "#!/bin/sh\necho 'libstdc++.so.6: not found' >&2\nexit 127\n";
    bench = opened(await Bench.with({ node: packedAs(Buffer.from(missing)) }));
    for (const [name, script] of [
      ["node", `exec ${process.execPath} "$@"`],
      ["old", "echo 'it is Node.js v20.11.0' >&2\nexit 1"],
      ["slow", "sleep 60"],
    ] as const) {
      writeFileSync(join(bench.folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
  }, 180_000);
  beforeEach(() => bench.fresh());

  const expectRefused = async (sentence: string, env = {}): Promise<void> => {
    const { code, stdout } = await bench.run([], env);
    const said = `terraform-provider-erphost cannot start: ${sentence}.\n`;
    expect({ code, stdout }).toEqual({ code: 1, stdout: said });
  };

  test("that is packed and cannot run here is replaced by the one on PATH", async () => {
    expect((await bench.report(["x"], { PATH: bench.folder })).words[1]).toBe("x");
  });

  test.each([
    [
      "none is on PATH",
      { PATH: "/nowhere" },
      "it needs Node.js 22.19.0 or later: the packed one cannot run here (libstdc++.so.6: not found), and there is no node on PATH. Install one, or name one in ERPHOST_NODE",
    ],
    [
      "ERPHOST_NODE names none",
      { ERPHOST_NODE: "no-such" },
      "it needs Node.js 22.19.0 or later, and ERPHOST_NODE names no-such, which is not a program",
    ],
  ])("that is needed is named in one sentence where %s", async (_, env, sentence) => {
    await expectRefused(sentence, env);
  });

  test("that is too old is named with its version", async () => {
    const old = join(bench.folder, "old");
    await expectRefused(
      `it needs Node.js 22.19.0 or later, and ${old}, which ERPHOST_NODE names, cannot be used (it is Node.js v20.11.0)`,
      { ERPHOST_NODE: old },
    );
  });

  testAsRoot("is asked for by the name of its package on a system without glibc", () => {
    const root = join(bench.folder, "alpine");
    mkdirSync(join(root, "tmp"), { recursive: true });
    spawnSync("cp", [bench.program, join(root, "program")]);
    const { stdout, status } = spawnSync("chroot", [root, "/program"], {
      env: { PATH: "/usr/sbin:/usr/bin", HOME: "/" },
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout:
        "terraform-provider-erphost cannot start: it needs Node.js 22.19.0 or later: the packed one runs with glibc, which this system does not have, and there is no node on PATH. Install one (on Alpine: apk add nodejs), or name one in ERPHOST_NODE.\n",
    });
  });

  describe("of a package that is damaged, and that waits a second at most,", () => {
    beforeAll(async () => {
      const other = packedAs(Buffer.from("other"));
      const { sha256 = "" } = contents.node ?? {};
      await bench.make({ patience: 1, node: { ...other, sha256 } });
    }, 180_000);

    test("that hangs is not called unfit: it took too long", async () => {
      const slow = join(bench.folder, "slow");
      await expectRefused(
        `the first run of ${slow} took longer than 1 s. Try again when this machine has less to do`,
        { ERPHOST_NODE: slow },
      );
    });

    test("that differs from what was packed is refused: the package is damaged", async () => {
      await expectRefused("its package is damaged (node: its checksum differs): install it again");
      expect(Object.keys(bench.files())).not.toContain("node");
    });
  });
});
