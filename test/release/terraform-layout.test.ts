/** What a release of the Terraform provider consists of, with packages of a few bytes. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { engines } from "../../package.json";
import { FOLDERS, writeFolders, writePages } from "../../scripts/release/terraform/build";
import { platformOf, type Package } from "../../scripts/release/terraform/layout";
import { signFile, signingKey } from "../../scripts/release/terraform/sign";
import { onPath } from "../harness/terraform-workspace";
import { makeSigningKey, type SigningKey } from "../harness/release/signing-key";
import { folder, sharedFolder } from "../support/folder";

const PROVIDER = { source: "example/thing", program: "terraform-provider-thing", version: "1.2.3" };
const program = (content: string): Package["entries"][number] => ({
  name: "terraform-provider-thing_v1.2.3",
  content: Buffer.from(content),
  executable: true,
});
const PACKAGES: readonly Package[] = [
  { platform: "windows_amd64", entries: [program("windows")] },
  { platform: "linux_amd64", entries: [program("linux")] },
  { platform: "linux_arm64", entries: [] },
];

const RELEASE = "terraform-provider-thing_1.2.3";
const SUMMED = ["linux_amd64.zip", "manifest.json", "windows_amd64.zip"].map(
  (name) => `${RELEASE}_${name}`,
);

let dist: string;
beforeEach(() => {
  dist = folder();
  writeFolders(dist, PROVIDER, PACKAGES);
});

const read = (part: keyof typeof FOLDERS, ...path: string[]): Buffer =>
  readFileSync(join(dist, FOLDERS[part], ...path));
const json = (part: keyof typeof FOLDERS, ...path: string[]): unknown =>
  JSON.parse(read(part, ...path).toString());
const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

describe("a release", () => {
  test("a release holds what a registry reads, and nothing for a platform without a package", () => {
    const files = readdirSync(join(dist, FOLDERS.release)).sort();
    expect(files).toEqual([`${RELEASE}_SHA256SUMS`, ...SUMMED]);
  });

  test("the manifest names protocol 6, and is among the checksums with every zip", () => {
    const manifest = { version: 1, metadata: { protocol_versions: ["6.0"] } };
    expect(json("release", `${RELEASE}_manifest.json`)).toEqual(manifest);
    const listed = read("release", `${RELEASE}_SHA256SUMS`).toString().trimEnd().split("\n");
    expect(listed.map((line) => line.split("  ")[1])).toEqual(SUMMED);
    for (const line of listed) {
      const [sum, file = ""] = line.split("  ");
      expect(sha256(read("release", file))).toBe(sum);
    }
  });

  test("the same packages make the same bytes, whatever the time and the umask", () => {
    const all = (): Record<string, string> => {
      const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
      const plain = files.filter((file) => statSync(join(dist, file)).isFile());
      const sum = (file: string) => sha256(readFileSync(join(dist, file)));
      return Object.fromEntries(plain.map((file) => [file, sum(file)]));
    };
    const first = all();
    const before = process.umask(0o077);
    try {
      writeFolders(dist, PROVIDER, PACKAGES);
    } finally {
      process.umask(before);
    }
    expect(Object.keys(first).length).toBeGreaterThan(8);
    expect(all()).toEqual(first);
  });

  test("a release that was there before leaves nothing behind", () => {
    writeFolders(dist, { ...PROVIDER, version: "1.2.2" }, PACKAGES);
    writeFolders(dist, PROVIDER, PACKAGES);
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => file.includes("1.2.2"))).toEqual([]);
  });
});

describe("the mirrors", () => {
  test("the network mirror lists each platform's zip with its hashes, for both registries", () => {
    for (const host of ["registry.terraform.io", "registry.opentofu.org"]) {
      const index = json("network", host, "example/thing/index.json");
      expect(index).toEqual({ versions: { "1.2.3": {} } });
      const zip = `${RELEASE}_linux_amd64.zip`;
      const packed = read("network", host, "example/thing", zip);
      // The hash of a package's content is that of a list, as `sha256sum` writes it.
      const list = `${sha256(Buffer.from("linux"))}  terraform-provider-thing_v1.2.3\n`;
      const content = createHash("sha256").update(list).digest("base64");
      const linux_amd64 = { url: zip, hashes: [`h1:${content}`, `zh:${sha256(packed)}`] };
      const archives = { linux_amd64, windows_amd64: {} };
      expect(json("network", host, "example/thing/1.2.3.json")).toMatchObject({ archives });
    }
  });

  test("the filesystem mirror holds each platform's program, ready to run", () => {
    const path = "registry.opentofu.org/example/thing/1.2.3/linux_amd64";
    const file = join(dist, FOLDERS.mirror, path, "terraform-provider-thing_v1.2.3");
    expect(readFileSync(file, "utf8")).toBe("linux");
    expect(statSync(file).mode & 0o111).toBe(0o111);
  });
});

test("machines are called as the registries call them", () => {
  expect(platformOf("win32", "x64")).toBe("windows_amd64");
  expect(platformOf("darwin", "arm64")).toBe("darwin_arm64");
  expect(platformOf("freebsd", "x64")).toBe("freebsd_amd64");
});

describe("the signature", () => {
  const withGpg = onPath("gpg") === undefined ? test.skip : test;
  let key: SigningKey | undefined;
  beforeAll(() => {
    if (onPath("gpg") !== undefined) key = makeSigningKey();
  });
  afterAll(() => key?.remove());
  const sums = (): string => {
    const file = join(dist, "SHA256SUMS");
    writeFileSync(file, "sums\n");
    return file;
  };

  withGpg("the signature is a binary detached one, and gpg verifies it", () => {
    const env = key?.env ?? {};
    const file = sums();
    const fingerprint = signingKey("release@example.com", env);
    signFile(file, fingerprint, env);
    expect(fingerprint).toMatch(/^[0-9A-F]{40}$/);
    expect(readFileSync(`${file}.sig`).toString("latin1")).not.toContain("BEGIN PGP");
    const verify = () => spawnSync("gpg", ["--verify", `${file}.sig`, file], { env }).status;
    expect(verify()).toBe(0);
    writeFileSync(file, "other sums\n");
    expect(verify()).not.toBe(0);
    // A second release is signed again.
    signFile(file, fingerprint, env);
    expect(verify()).toBe(0);
  });

  withGpg(
    "a key that gpg does not have is refused by its name, and an empty name never means whichever key there is",
    () => {
      const env = key?.env ?? {};
      const unknown = () => signingKey("nobody@example.com", env);
      expect(unknown).toThrow("gpg has no secret key nobody@example.com.");
      expect(() => signingKey("", env)).toThrow("--sign names no key.");
    },
  );

  withGpg("a key on an elliptic curve is refused, because the registries refuse it", () => {
    const curve = makeSigningKey("ed25519");
    const sign = () => signingKey("release@example.com", curve.env);
    try {
      expect(sign).toThrow("release@example.com is neither an RSA nor a DSA key");
    } finally {
      curve.remove();
    }
  });

  test("where there is no gpg, the refusal says that signing needs it", () => {
    const sign = () => signingKey("release@example.com", { PATH: dist });
    expect(sign).toThrow("--sign needs gpg, and there is none on PATH.");
  });
});

const root = join(__dirname, "../..");
const AT = "https://example.com/blob/v1.2.3";
/** A registry cuts off what is longer. */
const PAGE_BYTES_MAX = 500_000;

describe("the registry's pages", () => {
  const target = sharedFolder();
  let pages: string[];
  beforeAll(() => {
    const count = writePages(root, target, AT);
    const files = readdirSync(join(target, "docs"), { recursive: true, encoding: "utf8" });
    pages = files.filter((file) => file.endsWith(".md"));
    expect(pages.length).toBe(count);
  });
  const read = (page: string): string => readFileSync(join(target, "docs", page), "utf8");

  test("there is a page for everything that the provider has, and none about other products", () => {
    expect([...new Set(pages.map((page) => page.split("/")[0]))].sort()).toEqual([
      ...["actions", "data-sources", "ephemeral-resources", "functions", "guides", "index.md"],
      ...["list-resources", "resources"],
    ]);
    expect(pages).toContain("guides/install.md");
    expect(existsSync(join(target, "LICENSE"))).toBe(true);
  });

  test("each page has a title and is no longer than a registry shows", () => {
    for (const page of pages) {
      const head = /^---\npage_title: "[^"]+"\ndescription: "[^"]+"\n---\n/;
      expect({ page, text: read(page) }).toEqual({ page, text: expect.stringMatching(head) });
      expect(statSync(join(target, "docs", page)).size).toBeLessThan(PAGE_BYTES_MAX);
    }
  });

  test("each link leads somewhere: to the web, or to a file of the tagged commit", () => {
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => ({ page, link })),
    );
    const ours = links.filter(({ link }) => link.startsWith(`${AT}/`));
    expect(ours.length).toBeGreaterThan(3);
    expect(links.filter(({ link }) => !/^(?:https?:|#)/.test(link))).toEqual([]);
    const missing = ours.filter(({ link }) => {
      const [file = ""] = link.slice(AT.length).split("#");
      return !existsSync(join(root, file));
    });
    expect(missing).toEqual([]);
  });
});

test("the image for Alpine and the guide ask for the Node.js that package.json asks for", () => {
  const [, minimum = "none"] = /^>=(\d+\.\d+\.\d+)/.exec(engines.node) ?? [];
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  expect(read("examples/terraform/Dockerfile")).toContain(`'nodejs>=${minimum}'`);
  expect(read("docs/guides/install.md")).toContain(`Node.js ${minimum} or later`);
});
