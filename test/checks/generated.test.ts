import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { copyCheckout } from "../../scripts/check/tracked";
import { Formatted, SETTINGS } from "../../scripts/generate/formatted";

const root = join(__dirname, "../..");

const TIMEOUT_MS = 120_000;
const EDITED = "docs/reference/contract.md";
const read = (checkout: string): string => readFileSync(join(checkout, EDITED), "utf8");

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
    "generated files are what the generator writes, and the one that somebody edited is named by the check, which does not repair it",
    async () => {
      appendFileSync(join(copy, EDITED), "\nAn edit.\n");
      const { code, said } = await generate("--check");
      expect(code).toBe(1);
      expect(said).toMatch(/^stale: docs\/reference\/contract\.md\nGenerated files are stale\. [^\n]*\n$/);
      expect(read(copy)).toMatch(/\nAn edit\.\n$/);
    },
    TIMEOUT_MS,
  );

  test(
    "generating repairs the file that somebody edited, and touches no other",
    async () => {
      expect(await generate()).toEqual({ code: 0, said: `wrote ${EDITED}\n` });
      expect(read(copy)).toBe(read(root));
    },
    TIMEOUT_MS,
  );
});

test("a text that was formatted counts for its path and for these settings alone", () => {
  const folder = mkdtempSync(join(tmpdir(), "erphost-formatted-"));
  try {
    for (const name of SETTINGS) writeFileSync(join(folder, name), "");
    const first = new Formatted(folder);
    first.add("a.md", "raw", "formatted");
    first.save();
    const later = new Formatted(folder);
    expect(later.has("a.md", "raw", "formatted")).toBe(true);
    expect(later.has("a.md", "raw", "edited")).toBe(false);
    expect(later.has("a.md", "other", "formatted")).toBe(false);
    expect(later.has("a.ts", "raw", "formatted")).toBe(false);
    writeFileSync(join(folder, ".prettierrc.json"), "{}");
    expect(new Formatted(folder).has("a.md", "raw", "formatted")).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
