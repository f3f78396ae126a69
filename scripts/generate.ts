/**
 * Writes every generated file; `--check` writes nothing and fails when one is stale. The tables of
 * definitions and messages come first: everything else is made from what they list. The reference of
 * the constructs comes last: it reads the classes that are generated. `screenshots` takes the pictures
 * of the emulator's page instead, which needs a browser: `npm run engines chromium`.
 */
import { join } from "node:path";
import { emit, reported } from "./generate/files";
import { tables } from "./generate/tables";
import { wireMessages } from "./generate/wire/messages";

const root = join(__dirname, "..");

async function main(write: boolean): Promise<void> {
  const stale = await emit(root, { ...tables(root), ...wireMessages() }, write);
  const { derived } = require("./generate/derived") as typeof import("./generate/derived");
  stale.push(...(await emit(root, await derived(), write)));
  const { cdktfReference } =
    require("./generate/cdktf/reference") as typeof import("./generate/cdktf/reference");
  stale.push(...(await emit(root, cdktfReference(), write)));
  const { lines, code } = reported(stale, write);
  for (const line of lines) console.log(line);
  process.exitCode = code;
}

async function takePictures(): Promise<void> {
  const { screenshots } =
    require("./generate/screenshots") as typeof import("./generate/screenshots");
  await screenshots(root);
}

void (process.argv.includes("screenshots")
  ? takePictures()
  : main(!process.argv.includes("--check")));
