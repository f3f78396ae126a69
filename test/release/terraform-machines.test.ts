/** `npm run build:terraform`, and `build:pulumi`, on the machines that developers have, with and without Go. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type * as Pulumi from "../../scripts/release/pulumi";
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

/** A module learns where it runs when it is loaded. */
function loadOn(platform: string, arch: string): void {
  become(platform, arch);
  jest.resetModules();
  // The bundler that is installed is this machine's own.
  const entries = { TERRAFORM_ENTRY: "", PULUMI_ENTRY: "" };
  const bundle = { ...entries, bundle: async () => "", bundledPackages: async () => [] };
  jest.doMock("../../scripts/release/bundle", () => bundle);
}

/** What a machine makes. */
async function madeOn(platform: string, arch: string, which: Build.Which) {
  loadOn(platform, arch);
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

test.each([
  ["--all", 1],
  ["", 0],
])(
  "a build of Pulumi's plugin with %j and without executables ends with %s",
  async (word, code) => {
    loadOn("linux", "x64");
    jest.doMock("../../scripts/release/sdks/generate", () => ({ writeSdks: async () => [] }));
    const log = jest.spyOn(console, "log").mockReturnValue();
    const { main } = require("../../scripts/release/pulumi") as typeof Pulumi;
    expect(await main([word].filter(Boolean), folder)).toBe(code);
    log.mockRestore();
    expect(readdirSync(folder).filter((file) => file.endsWith(".tar.gz"))).toHaveLength(6);
  },
);
