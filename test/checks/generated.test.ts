import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { copyCheckout } from "../../scripts/check/tracked";

const root = join(__dirname, "../..");

const TIMEOUT_MS = 120_000;

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "erphost-generated-"));
  copyCheckout(root, copy);
});

afterAll(() => {
  rmSync(copy, { recursive: true });
});

interface Ended {
  readonly code: number;
  readonly said: string;
}

const generate = (...words: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const command = ["-r", "ts-node/register", "scripts/generate.ts", ...words];
    const child = execFile(process.execPath, command, { cwd: copy }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, said: `${stdout}${stderr}` });
    });
  });

describe("generated files", () => {
  test(
    "generated files are what the generator writes",
    async () => {
      expect(await generate("--check")).toEqual({ code: 0, said: "" });
    },
    TIMEOUT_MS,
  );

  test(
    "a generated file that somebody edited is named by the check, which does not repair it",
    async () => {
      appendFileSync(join(copy, "docs/contract.md"), "\nAn edit.\n");
      for (const _ of ["first", "second"]) {
        const { code, said } = await generate("--check");
        expect(code).toBe(1);
        expect(said).toContain("stale: docs/contract.md");
      }
      expect((await generate()).said).toBe("wrote docs/contract.md\n");
      expect(await generate("--check")).toMatchObject({ code: 0 });
    },
    TIMEOUT_MS,
  );

  test(
    "a new contract file reaches every generated file without another edit",
    async () => {
      writeFileSync(join(copy, "provider/contract/resources/volume.ts"), VOLUME);
      const { code, said } = await generate();
      expect(code).toBe(0);
      for (const path of [
        "provider/contract/all.gen.ts",
        "provider/pulumi/resources.gen.ts",
        "docs/contract.md",
        "docs/openapi.json",
        "docs/reference/index.md",
        "docs/reference/lookups.md",
        "docs/reference/volume.md",
      ]) {
        expect(said).toContain(`wrote ${path}`);
      }
    },
    TIMEOUT_MS,
  );
});

const VOLUME = `import { z } from "zod";
import { record } from "../definition/common";
import { required, resource } from "../definition/define";

export const volume = resource({
  name: "volume",
  plural: "volumes",
  path: "/volumes",
  doc: "A disk.",
  idPrefix: "vol",
  operations: { create: "assumed", list: "assumed", update: "assumed", delete: "assumed" },
  scopes: { list: { scope: "servers:read", source: "assumed" } },
  fields: {
    ...record,
    size_gb: required("assumed", z.int().min(1), "Size, in GB.", { example: 10 }),
  },
});
`;
