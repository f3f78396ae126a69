import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { createServer as createSecure } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { filesBelow, writeFiles } from "../../scripts/bootstrap/files.cjs";
import { readManifest } from "../../scripts/engines/cache.cjs";
import { zip as zipOf } from "../../scripts/release/archive";
import { makeCertificate, type Certificate } from "../../provider/terraform/host/certificate";
import { listening } from "../harness/servers";
import { addressOf, atEndOfFile, folder, sharedFolder } from "../support/folder";
import type { Outcome } from "../support/wait";
import { copyPrepared, createSandbox, ROOT, run, type Sandbox } from "./support/run";

const MANIFEST = "scripts/engines/manifest.json";

// The pins change; what is tested is what is made of them, so they are read and not repeated.
const engines = readManifest();

/**
 * A stand-in for a vendor's release page, at the address that ERPHOST_ENGINES_MIRROR is set to, on a
 * free port of the loopback address, until all tests of the file are over.
 */
async function startReleaseServer({ certificatePem: cert, keyPem: key }: Certificate) {
  /** What it serves, by path; everything else is a 404. */
  const files = new Map<string, Buffer | string>();
  /** The requests in their order: `GET /tofu/1.12.6/tofu.zip`. */
  const asked: string[] = [];
  const server = createSecure({ key, cert }, (request, response) => {
    const path = request.url ?? "";
    asked.push(`${request.method} ${path}`);
    const content = files.get(path);
    const body = content ?? "not found";
    // As file servers do; Pulumi refuses an archive of unknown length.
    const headers = { "content-length": Buffer.byteLength(body) };
    response.writeHead(content === undefined ? 404 : 200, headers).end(body);
  });
  const address = await addressOf(server, atEndOfFile);
  return { address: address.replace("http://127.0.0.1", "https://localhost"), files, asked };
}

const certificate = makeCertificate(Date.now(), Buffer.from([1]));
let server: Awaited<ReturnType<typeof startReleaseServer>>;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
/** A checkout whose pins are those of what the test publishes. */
const root = sharedFolder();

beforeAll(async () => {
  server = await startReleaseServer(certificate);
  copyPrepared(root);
});

beforeEach(() => {
  sandbox = createSandbox();
  cpSync(join(ROOT, MANIFEST), join(root, MANIFEST));
  const authority = join(sandbox.folder, "authority.pem");
  writeFileSync(authority, certificate.certificatePem);
  const own = { NODE_EXTRA_CA_CERTS: authority, ERPHOST_ENGINES_MIRROR: server.address };
  env = { ...sandbox.env, ...own };
  server.files.clear();
  server.asked.length = 0;
});

const saying = (text: string): string => `#!/bin/sh\necho "${text}"\n`;
const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

/** Programs by their path in an archive. */
type Members = Readonly<Record<string, string>>;

function tarGz(members: Members): Buffer {
  const at = folder();
  writeFiles(at, members, 0o755);
  const archive = join(at, ".archive");
  execFileSync("tar", ["-czf", archive, "-C", at, ...Object.keys(members)]);
  return readFileSync(archive);
}

const zip = (members: Members): Buffer =>
  zipOf(
    Object.entries(members).map(([name, content]) => ({
      name,
      content: Buffer.from(content),
      executable: true,
    })),
  );

/** Publishes an archive as an engine's vendor would, and pins it. */
function publish(name: string, archive: Buffer, pinned = sha256(archive)): string {
  // The part of the file that a test changes.
  type Manifest = Record<
    string,
    { readonly release?: { readonly sha256: Record<string, string> } }
  >;
  const manifest = JSON.parse(readFileSync(join(root, MANIFEST), "utf8")) as Manifest;
  const platform = `${process.platform}-${process.arch}`;
  const pins = manifest[name]?.release?.sha256;
  if (pins?.[platform] === undefined) throw new Error(`${name} has no release here`);
  pins[platform] = pinned;
  writeFileSync(join(root, MANIFEST), JSON.stringify(manifest));
  const { version, release } = engines[name] ?? {};
  const path = `/${name}/${version}/${release?.archives[platform]?.file}`;
  server.files.set(path, archive);
  return path;
}

const get = (...names: string[]): Promise<Outcome> => run(["engines", ...names], env, root);

const publishTofu = (): string =>
  publish("tofu", zip({ tofu: saying(`OpenTofu v${engines["tofu"]?.version}`) }));

test("an engine that is neither on PATH nor in the cache is downloaded rather than built, runs, and is found in the cache until it is damaged", async () => {
  sandbox.addProgram("go", 'echo called >> "$HOME/go-calls"; exit 1');
  const path = publishTofu();
  const first = await get("tofu");
  expect(first.stdout).toMatch(/^tofu \(downloaded\): .+\n$/);
  expect(server.asked).toEqual([`HEAD ${path}`, `GET ${path}`]);
  expect(existsSync(join(sandbox.folder, "go-calls"))).toBe(false);
  const tofu = join(first.stdout.trim().replace(/^.*?: /, ""), "tofu");
  expect(execFileSync(tofu).toString()).toBe(`OpenTofu v${engines["tofu"]?.version}\n`);
  server.asked.length = 0;
  const cached = { code: 0, stderr: "", stdout: expect.stringMatching(/^tofu \(cache\): /) };
  expect(await get("tofu")).toMatchObject(cached);
  expect(server.asked).toEqual([]);
  writeFileSync(tofu, "#!/bin/sh\n");
  expect((await get("tofu")).stdout).toMatch(/^tofu \(downloaded\): /);
  expect(await get("tofu")).toMatchObject(cached);
});

test("where there is no Go engines are downloaded from zip and tar archives, and their vendor is asked once", async () => {
  const { version, programs = [] } = engines["pulumi"] ?? {};
  const members = programs.map((name) => [`pulumi/${name}`, saying(`v${version}`)] as const);
  publish("pulumi", tarGz(Object.fromEntries(members)));
  publish("terraform", zip({ terraform: saying(`Terraform v${engines["terraform"]?.version}`) }));
  const { code, stdout } = await get("pulumi", "terraform");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^pulumi \(downloaded\): .*\nterraform \(downloaded\): /);
  expect(server.asked.filter((one) => one.startsWith("HEAD "))).toHaveLength(1);
});

describe("downloads that are refused and leave no trace", () => {
  async function refusal(...names: string[]): Promise<string> {
    const outcome = await get(...names);
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    // No part of itself is left.
    expect(filesBelow(sandbox.cache)).toEqual([]);
    return outcome.stderr;
  }

  test("an archive that is not the pinned one is refused", async () => {
    const good = zip({ tofu: saying("OpenTofu v1.12.6") });
    const damaged = Buffer.from(good);
    damaged.writeUInt8(damaged.readUInt8(40) ^ 1, 40);
    publish("tofu", damaged, sha256(good));
    const message = await refusal("tofu");
    expect(message).toContain(`has SHA-256 ${sha256(damaged)}`);
    expect(message).toContain(`pins ${sha256(good)}`);
    expect(message).toContain("damaged or was tampered with; it was deleted");
  });

  test("an archive that the vendor no longer has is an error that names it", async () => {
    const path = publishTofu();
    server.files.delete(path);
    expect(await refusal("tofu")).toContain(`${path} could not be downloaded: HTTP 404`);
  });

  test("an archive with a program of another version is refused", async () => {
    publish("tofu", zip({ tofu: saying("OpenTofu v1.2.3") }));
    expect(await refusal("tofu")).toContain("OpenTofu has version 1.2.3, which is not >=");
  });

  test("an archive with a link in place of the program is refused", async () => {
    const { programs = [] } = engines["pulumi"] ?? {};
    const links = join(sandbox.folder, "link");
    mkdirSync(join(links, "pulumi"), { recursive: true });
    for (const name of programs) symlinkSync("/bin/sh", join(links, "pulumi", name));
    const archive = join(sandbox.folder, "link.tar.gz");
    execFileSync("tar", ["-czf", archive, "-C", links, "pulumi"]);
    publish("pulumi", readFileSync(archive));
    expect(await refusal("pulumi")).toContain("pulumi in it is not a regular file");
  });

  test("a download from a server with an unknown certificate is refused", async () => {
    publishTofu();
    delete env.NODE_EXTRA_CA_CERTS;
    expect(await refusal("tofu")).toMatch(/cannot be reached: .*self-signed certificate/);
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
    const { code, stderr } = await get("tofu");
    expect(code).toBe(1);
    expect(stderr).toMatch(/OpenTofu >=\S+ <\S+ is needed and not available\./);
    expect(stderr).toContain("on PATH: no tofu");
    expect(stderr).toContain(`in the cache ${join(sandbox.cache, "engines")}: not there`);
    expect(stderr).toContain("built with Go: no `go` on PATH");
    expect(stderr).toMatch(/downloaded: https:\S+ cannot be reached: .*ECONNREFUSED/);
    expect(stderr).toContain("https://opentofu.org/docs/intro/install/");
    expect(stderr).toContain("ERPHOST_ENGINES_MIRROR");
  });

  test("a vendor that takes the connection and never answers counts as out of reach", async () => {
    const silent = createServer();
    const { port } = await listening(silent);
    env.ERPHOST_ENGINES_MIRROR = `https://127.0.0.1:${port}`;
    const { code, stderr } = await get("tofu");
    silent.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/downloaded: https:\S+ cannot be reached: .*timeout/);
  });

  test("the message names the version on PATH that is not accepted", async () => {
    env.ERPHOST_ENGINES_MIRROR = "https://127.0.0.1:2";
    sandbox.addProgram("tofu", "echo OpenTofu v1.6.0");
    const { stderr } = await get("tofu");
    expect(stderr).toMatch(/on PATH: tofu has version 1\.6\.0, which is not >=/);
  });

  test("an unknown engine is an error that lists the known ones", async () => {
    const { code, stderr } = await get("docker");
    expect(code).toBe(1);
    expect(stderr).toMatch(/there is no engine "docker"; use pulumi, .*tofu/);
  });
});

test("every archive of every engine is pinned by its checksum", () => {
  const sums = Object.values(engines)
    .flatMap(({ release }) => Object.values(release?.archives ?? {}))
    .map((archive) => archive.sha256);
  expect(sums.length).toBeGreaterThan(10);
  for (const sum of sums) expect(sum).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(sums).size).toBe(sums.length);
});

test("the files below a folder are found once, though a link in it leads back to it", () => {
  const place = folder();
  writeFiles(place, { "in/text": "" });
  symlinkSync(place, join(place, "in", "around"));
  expect(filesBelow(place)).toEqual([join(place, "in", "text")]);
});
