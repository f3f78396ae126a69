/** `npm run build:terraform` on the machines that developers have, with and without Go. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type * as Packages from "../../scripts/release/terraform/packages";
import { writeFolders, FOLDERS } from "../../scripts/release/terraform/build";
import { ERPHOST } from "../../scripts/release/terraform/layout";

const real = { platform: process.platform, arch: process.arch, PATH: process.env["PATH"] };
const become = (platform: string, arch: string): void => {
  Object.defineProperty(process, "platform", { value: platform });
  Object.defineProperty(process, "arch", { value: arch });
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "erphost-machines-"));
  // No program at all, and so no Go either.
  process.env["PATH"] = folder;
});
afterEach(() => {
  become(real.platform, real.arch);
  process.env["PATH"] = real.PATH;
  rmSync(folder, { recursive: true, force: true });
});

/** What a machine makes; a module learns where it runs when it is loaded. */
async function madeOn(platform: string, arch: string, which: Packages.Which) {
  become(platform, arch);
  jest.resetModules();
  // The bundler that is installed is this machine's own.
  const bundle = { TERRAFORM_ENTRY: "", PULUMI_ENTRY: "", bundledPackages: async () => [] };
  jest.doMock("../../scripts/release/bundle", () => bundle);
  const { packagesOf } = require("../../scripts/release/terraform/packages") as typeof Packages;
  return packagesOf("// the bundle", which);
}

describe.each([
  ["darwin", "arm64"],
  ["linux", "arm64"],
  ["win32", "x64"],
  ["freebsd", "x64"],
])("on %s %s without Go", (platform, arch) => {
  test.each(["own", "all"] as const)(
    "a build of %s makes packages, and says why",
    async (which) => {
      const made = await madeOn(platform, arch, which);
      expect(made.map((each) => each.platform)).toEqual([
        "linux_amd64",
        "linux_arm64",
        "darwin_amd64",
        "darwin_arm64",
        "windows_amd64",
        "windows_arm64",
      ]);
      for (const each of made) {
        expect(each).toMatchObject({
          selfContained: false,
          note: expect.stringContaining("because"),
        });
      }
      writeFolders(folder, ERPHOST, made);
      const zips = readdirSync(join(folder, FOLDERS.release)).filter((file) =>
        file.endsWith(".zip"),
      );
      expect(zips.map((file) => file.split("_").slice(2).join("_"))).toEqual([
        "darwin_amd64.zip",
        "darwin_arm64.zip",
        "linux_amd64.zip",
        "linux_arm64.zip",
      ]);
    },
  );

  test("the package of that machine itself says that Go is missing", async () => {
    const made = await madeOn(platform, arch, "all");
    for (const { note } of made) expect(note).toContain("there is no `go` on PATH");
  });
});
