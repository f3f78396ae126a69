import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { tarGz, zip } from "./support/archives";
import { certificateForLoopback } from "../harness/certificate";
import { startReleaseServer, type ReleaseServer } from "./support/release-server";
import { createSandbox, ROOT, run, type Outcome, type Sandbox } from "./support/run";

interface Engine {
  readonly version: string;
  readonly programs: readonly string[];
  readonly release: {
    readonly checksums: string;
    readonly archives: Readonly<Record<string, { readonly file: string }>>;
  };
}

// The pins change; what is tested is what is made of them, so they are read and not repeated.
const engines = JSON.parse(readFileSync(join(ROOT, "scripts/engines/manifest.json"), "utf8")) as {
  readonly [name in "pulumi" | "tofu" | "terraform"]: Engine;
};

const certificate = certificateForLoopback();
let server: ReleaseServer;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  server = await startReleaseServer(certificate);
});

afterAll(async () => {
  await server.close();
});

beforeEach(() => {
  sandbox = createSandbox();
  const authority = join(sandbox.folder, "authority.pem");
  writeFileSync(authority, certificate.cert);
  env = {
    ...sandbox.env,
    NODE_EXTRA_CA_CERTS: authority,
    ERPHOST_ENGINES_MIRROR: server.address,
  };
  server.files.clear();
  server.asked.length = 0;
});

afterEach(() => {
  sandbox.remove();
});

function saying(text: string): string {
  return `#!/bin/sh\necho "${text}"\n`;
}

/** Publishes an engine as its vendor would: an archive and, next to it, the checksums of all archives. */
function publish(name: keyof typeof engines, archive: Buffer, sum = sha256(archive)): string {
  const { version, release } = engines[name];
  const file = release.archives[`${process.platform}-${process.arch}`]?.file ?? "";
  const others = `${"0".repeat(64)}  another_${file}\n`;
  server.files.set(`/${name}/${version}/${file}`, archive);
  server.files.set(`/${name}/${version}/${release.checksums}`, `${others}${sum}  ${file}\n`);
  return file;
}

function publishTofu(): void {
  publish("tofu", tarGz({ tofu: saying(`OpenTofu v${engines.tofu.version}`) }));
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function folderOf(name: string, { stdout }: Outcome): string {
  return new RegExp(`^${name} \\(\\w+\\): (.+)$`, "m").exec(stdout)?.[1] ?? "";
}

/** Everything the cache holds; a refused download must leave no part of itself. */
function cacheFiles(): string[] {
  if (!existsSync(sandbox.cache)) return [];
  const entries = readdirSync(sandbox.cache, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe("engines that are downloaded", () => {
  test("an engine that is neither on PATH nor in the cache is downloaded where there is no Go, and runs", async () => {
    publishTofu();
    const outcome = await run(["engines", "tofu"], env);
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.stdout).toMatch(/^tofu \(downloaded\): /);
    const tofu = join(folderOf("tofu", outcome), "tofu");
    expect(execFileSync(tofu).toString()).toBe(`OpenTofu v${engines.tofu.version}\n`);
  });

  test("a downloaded engine is found in the cache, silently and without a request", async () => {
    publishTofu();
    await run(["engines", "tofu"], env);
    server.asked.length = 0;
    const second = await run(["engines", "tofu"], env);
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout).toMatch(/^tofu \(cache\): /);
    expect(server.asked).toEqual([]);
  });

  test("an engine whose file was truncated in the cache is downloaded again", async () => {
    publishTofu();
    const first = await run(["engines", "tofu"], env);
    writeFileSync(join(folderOf("tofu", first), "tofu"), "#!/bin/sh\n");
    const second = await run(["engines", "tofu"], env);
    expect(second.stdout).toMatch(/^tofu \(downloaded\): /);
    expect((await run(["engines", "tofu"], env)).stdout).toMatch(/^tofu \(cache\): /);
  });

  test("an engine can be unpacked from a zip archive", async () => {
    const { version } = engines.terraform;
    publish("terraform", zip({ LICENSE: "text", terraform: saying(`Terraform v${version}`) }));
    const outcome = await run(["engines", "terraform"], env);
    expect(outcome.stdout).toMatch(/^terraform \(downloaded\): /);
  });

  test("an engine can be in a folder of the same name in its archive", async () => {
    const { version, programs } = engines.pulumi;
    const members = programs.map((name) => [`pulumi/${name}`, saying(`v${version}`)] as const);
    publish("pulumi", tarGz(Object.fromEntries(members)));
    const outcome = await run(["engines", "pulumi"], env);
    expect(outcome.stdout).toMatch(/^pulumi \(downloaded\): /);
  });
});

describe("downloads that are refused and leave no trace", () => {
  async function refusal(...names: string[]): Promise<string> {
    const outcome = await run(["engines", ...names], env);
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(cacheFiles()).toEqual([]);
    return outcome.stderr;
  }

  test("an archive that is not what the vendor published is refused", async () => {
    const good = tarGz({ tofu: saying("OpenTofu v1.12.6") });
    const damaged = Buffer.from(good);
    damaged.writeUInt8(damaged.readUInt8(40) ^ 1, 40);
    publish("tofu", damaged, sha256(good));
    const message = await refusal("tofu");
    expect(message).toContain(`has SHA-256 ${sha256(damaged)}`);
    expect(message).toContain(`published ${sha256(good)}`);
    expect(message).toContain("damaged or was tampered with; it was deleted");
  });

  test("a release without a checksums file is refused before its archive is requested", async () => {
    publishTofu();
    const { version, release } = engines.tofu;
    server.files.delete(`/tofu/${version}/${release.checksums}`);
    expect(await refusal("tofu")).toContain(
      `${release.checksums} could not be downloaded: HTTP 404`,
    );
    expect(server.asked).toEqual([`/tofu/${version}/${release.checksums}`]);
  });

  test("an archive that the checksums do not list is refused", async () => {
    publishTofu();
    const { version, release } = engines.tofu;
    server.files.set(`/tofu/${version}/${release.checksums}`, `${"0".repeat(64)}  other\n`);
    expect(await refusal("tofu")).toMatch(/refused: .* has no SHA-256 for tofu_/);
  });

  test("an archive with a program of another version is refused", async () => {
    publish("tofu", tarGz({ tofu: saying("OpenTofu v1.2.3") }));
    expect(await refusal("tofu")).toContain("OpenTofu has version 1.2.3, which is not >=");
  });

  test("an archive with a link in place of the program is refused", async () => {
    const folder = join(sandbox.folder, "link");
    mkdirSync(folder);
    execFileSync("ln", ["-s", "/bin/sh", join(folder, "tofu")]);
    const archive = join(sandbox.folder, "link.tar.gz");
    execFileSync("tar", ["-czf", archive, "-C", folder, "tofu"]);
    publish("tofu", readFileSync(archive));
    expect(await refusal("tofu")).toContain("tofu in it is not a regular file");
  });

  test("a download from a server with an unknown certificate is refused", async () => {
    publishTofu();
    delete env.NODE_EXTRA_CA_CERTS;
    expect(await refusal("tofu")).toMatch(/could not be downloaded: .*self-signed certificate/);
  });

  test("a download over plain HTTP is refused", async () => {
    env.ERPHOST_ENGINES_MIRROR = server.address.replace("https:", "http:");
    expect(await refusal("tofu")).toMatch(/refused: http:\S+ is not an https URL/);
  });
});

describe("engines that are not available", () => {
  test("an engine that is not available is named, with everything that was tried and what to do", async () => {
    // Port 2 of the loopback address refuses at once, like a machine without a network.
    env.ERPHOST_ENGINES_MIRROR = "https://127.0.0.1:2";
    const { code, stderr } = await run(["engines", "tofu"], env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/OpenTofu >=\S+ <\S+ is needed and not available\./);
    expect(stderr).toContain("on PATH: no tofu");
    expect(stderr).toContain(`in the cache ${join(sandbox.cache, "engines")}: not there`);
    expect(stderr).toContain("built with Go: no `go` on PATH");
    expect(stderr).toMatch(/downloaded: https:\S+ could not be downloaded: .*ECONNREFUSED/);
    expect(stderr).toContain("https://opentofu.org/docs/intro/install/");
    expect(stderr).toContain("ERPHOST_ENGINES_MIRROR");
  });

  test("the message names the version on PATH that is not accepted", async () => {
    env.ERPHOST_ENGINES_MIRROR = "https://127.0.0.1:2";
    sandbox.addProgram("tofu", "echo OpenTofu v1.6.0");
    const { stderr } = await run(["engines", "tofu"], env);
    expect(stderr).toMatch(/on PATH: tofu has version 1\.6\.0, which is not >=/);
  });

  test("an unknown engine is an error that lists the known ones", async () => {
    const { code, stderr } = await run(["engines", "docker"], env);
    expect({ code, stderr }).toMatchObject({ code: 1 });
    expect(stderr).toMatch(/there is no engine "docker"; use pulumi, .*tofu/);
  });
});
