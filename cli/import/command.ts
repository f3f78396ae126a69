/** `erphost import`: reads a whole account and writes a program that takes it over. */
import { basename, dirname, join } from "node:path";
import { Command, Option } from "commander";
import type { Engine } from "../../provider/engine";
import { engineSettings, readSettings } from "../../provider/settings";
import { calling, withAccount, withEngine } from "../account";
import type { World } from "../world";
import { KeptPages } from "./account/kept-pages";
import { readAccount } from "./account/read";
import { Folder } from "./folder";
import { alone, PrivateFolder } from "./private-folder";
import { assertSame, ownerOf, recordText, RECORD_FILE, type Owner } from "./known/record";
import { buildProgram } from "./program/build";
import { inventoryOf } from "./program/inventory";
import type { Program } from "./program/model";
import { markdown, reportOf, warningsOf, type Report } from "./report";
import { importableKinds, readAgain, readRequest } from "./request";
import type { ImportOptions, Request } from "./request";
import { writers } from "./write";

/** Longer than other commands: a starter plan may let this wait for its next hour. */
const WAIT_S = 3_600;
const KEPT_FOLDER = ".erphost-import";

const HELP = `
Reads each list of the account once and writes a program whose plan imports everything and changes
nothing. Objects that the program in DIR or a state has already are left out; files that are there
are added to, and nothing in them is changed. An interrupted reading continues where it ended, for
an hour.

What looks like a secret is not written: the service shows the secret of a key only once, and free
fields with such a name or such a text in them are named in a comment. A secret that looks like any
other word is not noticed: read what --property '*' writes.`;

/** An option that may be given several times. */
const list = (flags: string, doc: string): Option =>
  new Option(flags, doc)
    .default([])
    .argParser<readonly string[]>((value, before) => [...before, value]);

/** @public The command, loaded by name. */
export const importCommand = (world: World): Command =>
  withAccount(new Command("import"), WAIT_S)
    .description("Write a program that takes over the objects of the account.")
    .option("--to <format>", `What to write: ${Object.keys(writers).join(", ")}.`)
    .option("--out <dir>", "Folder of the program, new or not.")
    .addOption(
      list(
        "--kind <kind>",
        `Only this kind (repeatable): ${importableKinds.map(({ name }) => name).join(", ")}.`,
      ),
    )
    .addOption(list("--name <glob>", "Only objects with such a name, as in 'erp-*' (repeatable)."))
    .addOption(list("--status <status>", "Only objects in this state (repeatable)."))
    .addOption(
      list(
        "--property <glob>",
        "Write free fields with such a name as properties (repeatable); default: none.",
      ),
    )
    .addOption(
      list(
        "--state <file>",
        "Leave out what this state has: `terraform show -json`, `pulumi stack export` (repeatable).",
      ),
    )
    .option(
      "--for-each",
      "Write one resource for all objects that are alike (Terraform or OpenTofu 1.7).",
    )
    .option(
      "--report [file]",
      "Say what is unmanaged and what could not be had: Markdown, or JSON for FILE.json.",
    )
    .addHelpText("after", HELP)
    .action((options: ImportOptions) => takeOver(options, world));

async function takeOver(options: ImportOptions, world: World): Promise<void> {
  const request = readRequest(options, world);
  const folder = request.target?.folder;
  const isNew = folder?.isThere() === false;
  const pages = folder && new PrivateFolder(join(folder.path, KEPT_FOLDER));
  const kept = new KeptPages(pages, world.nowMs);
  kept.assertOurs();
  await withEngine(options, world, async (engine) => {
    assertOwner(request, ownerOf(engine.account, undefined), world);
    try {
      const run = { engine, options, world, kept };
      await alone(pages, world.processes, () => readAndWrite(request, run));
    } finally {
      if (isNew) folder.removeEmpty();
    }
  });
}

interface Run {
  readonly engine: Engine;
  readonly options: ImportOptions;
  readonly world: World;
  readonly kept: KeptPages;
}

async function readAndWrite(begun: Request, { engine, options, world, kept }: Run): Promise<void> {
  const { kinds, asked, selection } = begun;
  const { account, contract } = engine;
  const calls = calling(options, world);
  const auth = await engine.lookups.auth(calls);
  const owner = ownerOf(account, auth.accountId);
  assertOwner(begun, owner, world);
  kept.open({ account, keyId: auth.keyId, profile: contract.hash });
  const reader = { engine, calls, kept, report: world.report };
  const lists = await readAccount(reader, kinds, asked);
  const request = readAgain(begun);
  const { target } = request;
  assertOwner(request, owner, world);
  const { known, inGroups } = request;
  const inventories = lists.map((list) => inventoryOf(list, { contract, selection, known }));
  const declared = target?.survey.declared ?? [];
  const program = target && buildProgram(inventories, { account, known, declared, inGroups });
  if (program) publish(request, owner, program, world);
  for (const line of warningsOf(inventories, request.report !== undefined)) {
    world.report(`warning: ${line}`);
  }
  sayReport(request, reportOf(account, inventories, program), world);
  kept.drop();
}

/** @throws InvalidInput where the folder holds another account's objects */
function assertOwner({ target }: Request, owner: Owner, { env }: World): void {
  if (!target?.record) return;
  const { formerBaseUrl } = readSettings(engineSettings, { env }).values;
  assertSame(target.record, { account: owner, format: target.format, former: formerBaseUrl });
}

/** Prints the report, or writes it to a file. */
function sayReport({ report: place }: Request, report: Report, world: World): void {
  if (place === undefined) return;
  if (place === true) return world.print(markdown(report).trimEnd());
  const text = place.endsWith(".json") ? `${JSON.stringify(report, null, 2)}\n` : markdown(report);
  new Folder(dirname(place)).publish(new Map([[basename(place), text]]));
  world.report(`The report is in ${place}.`);
}

/** Writes the program, all files at once. */
function publish({ target }: Request, account: Owner, program: Program, world: World): void {
  if (!target) return;
  const { writer, folder, existing, recorded, record, format } = target;
  if (program.objects.length === 0) return world.print("There is nothing to take over.");
  const options = { version: world.version, folder: basename(folder.path) };
  const files = writer.render(program, existing, options);
  const kept = recordText(record, { account, format }, program.objects);
  const before = new Map(existing);
  if (recorded !== undefined) before.set(RECORD_FILE, recorded);
  folder.publish(new Map([...files, [RECORD_FILE, kept]]), before);
  const count = program.objects.length;
  const objects = `${count.toLocaleString("en")} ${count === 1 ? "object" : "objects"}`;
  world.print(`Wrote ${objects} to ${folder.path}:`);
  for (const name of files.keys()) world.print(`  ${name}`);
  world.print("Next:");
  for (const line of writer.next(existing, options)) world.print(`  ${line}`);
}
