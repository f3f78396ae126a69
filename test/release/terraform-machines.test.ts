/** `npm run build:terraform` on the machines that developers have, with and without Go. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type * as Build from "../../scripts/release/terraform/build";
import { writeFolders, FOLDERS } from "../../scripts/release/terraform/build";
import { ERPHOST } from "../../scripts/release/terraform/layout";
import { folder as newFolder } from "../support/folder";

const real = { platform: process.platform, arch: process.arch, PATH: process.env["PATH"] };
const become = (platform: string, arch: string): void => {
  Object.defineProperty(process, "platform", { value: platform });
  Object.defineProperty(process, "arch", { value: arch });
};

let folder: string;
beforeEach(() => {
  folder = newFolder();
  // No program at all, and so no Go either.
  process.env["PATH"] = folder;
});
afterEach(() => {
  become(real.platform, real.arch);
  process.env["PATH"] = real.PATH;
});

/** What a machine makes; a module learns where it runs when it is loaded. */
async function madeOn(platform: string, arch: string, which: Build.Which) {
  become(platform, arch);
  jest.resetModules();
  // The bundler that is installed is this machine's own.
  const bundle = { TERRAFORM_ENTRY: "", PULUMI_ENTRY: "", bundledPackages: async () => [] };
  jest.doMock("../../scripts/release/bundle", () => bundle);
  const { packagesOf } = require("../../scripts/release/terraform/build") as typeof Build;
  return packagesOf("// the bundle", which);
}

test.each([
  ["darwin", "arm64"],
  ["linux", "arm64"],
  ["win32", "x64"],
  ["freebsd", "x64"],
])(
  "on %s %s without Go every build makes packages, and says why they are not executables",
  async (platform, arch) => {
    const posix = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"];
    const platforms = [...posix, "windows_amd64", "windows_arm64"];
    const builds = { own: "because", all: "because there is no `go` on PATH" } as const;
    for (const which of ["own", "all"] as const) {
      const made = await madeOn(platform, arch, which);
      const note = expect.stringContaining(builds[which]);
      const packages = platforms.map((each) => ({ platform: each, selfContained: false, note }));
      expect(made).toMatchObject(packages);
      writeFolders(folder, ERPHOST, made);
      const files = readdirSync(join(folder, FOLDERS.release));
      const zips = files.flatMap((file) => /[a-z]+_[a-z0-9]+(?=\.zip$)/.exec(file)?.[0] ?? []);
      expect(zips.sort()).toEqual(posix.toSorted());
    }
  },
);
