import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { ask } from "../support/ask";
import { type Emulator, type Seed } from "../../emulator";
import { newEmulator } from "../emulator/support";
import { emulatorCommand } from "../../emulator/command";
import { controlCalls } from "../../emulator/control/schema";
import { emulatorDocs } from "../../scripts/generate/pages/emulator";
import { folder as newFolder } from "../support/folder";
import { pathOf, pictures } from "../../scripts/generate/screenshots";

const page = emulatorDocs()["docs/reference/emulator.md"] ?? "";
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^\`]+)\`\`\``, "g"))].map(([, text = ""]) =>
    text.trim(),
  );
/** Lines of its blocks for a shell that begin so. */
const linesWith = (start: string): string[] =>
  blocks("sh").flatMap((text) => text.split("\n").filter((line) => line.startsWith(start)));
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.slice(2, -2).split(" | "));

/** The words of a line for a shell, of which these pages use single quotes only. */
const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

let folder: string;
beforeEach(() => void (folder = newFolder()));

/** What a command is given that ends at once. */
const worldOf = (printed: string[]) => ({
  environment: {},
  print: (text: string) => void printed.push(text),
  report: (text: string) => void printed.push(text),
  stopped: AbortSignal.abort(),
});

/** What curl does with a line, against another port and in a folder for the files. */
async function run(line: string, emulator: Emulator): Promise<number> {
  const [program, ...rest] = words(line);
  expect(program).toBe("curl");
  const after = (flag: string): string | undefined =>
    rest.includes(flag) ? rest[rest.indexOf(flag) + 1] : undefined;
  const url = rest.find((word) => word.startsWith("http://127.0.0.1:4010/")) ?? "";
  const given = after("-d");
  const body = given?.startsWith("@") ? readFileSync(join(folder, given.slice(1)), "utf8") : given;
  const response = await fetch(url.replace("http://127.0.0.1:4010", emulator.url), {
    method: after("-X") ?? "GET",
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const file = after(">");
  if (file !== undefined) writeFileSync(join(folder, file), text);
  return response.ok ? 200 : response.status;
}

describe("docs/reference/emulator.md", () => {
  test("the page of the emulator has every call of /_emulator and what it does", () => {
    for (const [call, { doc }] of Object.entries(controlCalls)) {
      const shown = `\`${call.replace(" ", " /_emulator")}\``;
      expect(rows.filter(([first]) => first?.trim() === shown)).toEqual([
        [expect.anything(), expect.stringContaining(doc)],
      ]);
    }
  });

  test("the page of the emulator says what every member of a body and every effect means", () => {
    const start = page.indexOf("### PUT /_emulator/clock");
    const tables = page.slice(start, page.indexOf("## Examples"));
    const members = tables.split("\n").filter((line) => line.startsWith("| `"));
    expect(members.length).toBeGreaterThan(30);
    const mute = members.filter((line) => {
      const cells = line.slice(2, -2).split(" | ");
      return (cells.length === 3 ? cells[1] : cells.at(-1))?.trim() === "";
    });
    expect(mute).toEqual([]);
    for (const effect of ["reset-after", "list-lag", "replay-500", "provision"]) {
      expect(tables).toContain(`| \`${effect}\``);
    }
  });

  test("the page of the emulator has every option of the command, and its environment variable", () => {
    for (const { flags } of emulatorCommand(worldOf([])).options) {
      expect(page).toContain(`| \`${flags}\` |`);
    }
    expect(page).toContain("| `ERPHOST_EMULATOR_KEY` |");
  });

  test("every curl line of the page of the emulator runs, in its order", async () => {
    const emulator = await newEmulator();
    const lines = linesWith("curl ");
    expect(lines.length).toBeGreaterThan(15);
    for (const line of lines) expect([line, await run(line, emulator)]).toEqual([line, 200]);
  });

  test("the seed of the page of the emulator gives an emulator its objects and keys", async () => {
    const [seed = ""] = blocks("json");
    const { objects, keys: [key] = [] } = JSON.parse(seed) as Seed;
    const value = "erp_test_0123456789abcdef";
    const emulator = await newEmulator({ seed: { objects, keys: [{ ...key, value }] } });
    expect(emulator.counts()).toMatchObject({ server: 1, instance: 1, api_key: 2 });
    const get = async (list: string) => (await ask(emulator, `GET ${list}`, { key: value })).status;
    expect([await get("/servers"), await get("/teams")]).toEqual([200, 403]);
  });

  test("every command line of the page of the emulator starts one", async () => {
    const lines = linesWith("npx erphost emulator");
    expect(lines).toHaveLength(4);
    const of = { baseUrl: "https://erp.example.com/v1", environment: "live" } as const;
    const readAt = "2026-11-22T12:00:00Z";
    const twin = { version: 1, of, readAt, limits: [], objects: {} } as const;
    const account = { twin: { ...twin, limits: [] }, forFile: { ...twin, limits: [] } };
    writeFileSync(join(folder, "seed.json"), blocks("json")[0] ?? "");
    for (const line of lines) {
      const printed: string[] = [];
      const command = emulatorCommand({ ...worldOf(printed), readAccount: async () => account });
      const inFolder = line.replace(/\b(?:seed|twin)\.json/, (file) => join(folder, file));
      await command.parseAsync([...words(inFolder).slice(3), "--port", "0"], { from: "user" });
      expect(printed.join("\n")).toContain("export ERPHOST_BASE_URL=http://127.0.0.1:");
    }
  });
});

test.each(pictures)("the page shows %s with %j, at that width and not too large", (view, look) => {
  const root = join(__dirname, "../..");
  const path = pathOf(view, look);
  const picture = readFileSync(join(root, path));
  const text = readFileSync(join(root, "docs/emulator.md"), "utf8");
  expect(text).toContain(path.replace("docs/", ""));
  // Width and height come after the signature and the head of the first chunk.
  expect(picture.readUInt32BE(16)).toBe(look.width);
  expect(picture.readUInt32BE(20)).toBeGreaterThan(600);
  expect(picture.length).toBeLessThan(200_000);
});
