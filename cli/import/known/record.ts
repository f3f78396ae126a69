/**
 * `erphost-import.json`: what earlier runs wrote into a folder, and under which name. It is kept with
 * the program, because `import` blocks and options are usually deleted after the apply.
 */
import * as z from "zod";
import { jsonOf, stated, type InvalidInput } from "../../../provider/contract";
import type { StateAccount } from "../../../provider/engine";
import type { DeclaredName, TakenObject } from "../program/model";
import type { KnownObjects } from "./known";

export const RECORD_FILE = "erphost-import.json";

const NOTE =
  "What `erphost import` wrote here, and under which names. Keep this file with the program: the next run leaves these objects alone.";

const schema = z.object({
  note: z.string().optional(),
  version: z.literal(1),
  account: z.object({
    baseUrl: z.string(),
    environment: z.string(),
    /** What the service calls the account, where it says anything. */
    id: z.string().optional(),
    /** Its objects are those of a twin, some of which the account never had. */
    twin: z.literal(true).optional(),
  }),
  format: z.string(),
  /** By kind, then by id: the name, or the name and the key. */
  objects: z.record(
    z.string(),
    z.record(z.string(), z.union([z.string(), z.tuple([z.string(), z.string()])])),
  ),
});

/** What earlier runs wrote. */
export type ImportRecord = z.output<typeof schema>;

/** @throws InvalidInput where the file is not one that this command wrote */
export function parseRecord(text: string): ImportRecord {
  const { data } = schema.safeParse(jsonOf(text));
  if (data) return data;
  throw fault(
    "is not what this command writes",
    "Restore it, or delete it: then only what the program itself shows is recognised.",
  );
}

/** Whose objects a folder holds. */
export type Owner = Readonly<ImportRecord["account"]>;

/** The account that a run is for; on a twin, the account that the twin stands for. */
export const ownerOf = (
  { baseUrl, environment, twinOf }: StateAccount,
  id: string | undefined,
): Owner => ({
  baseUrl: twinOf ?? baseUrl,
  environment,
  ...(id !== undefined && { id }),
  ...(twinOf !== undefined && { twin: true }),
});

/** What a run writes, and for whom. */
interface Run {
  readonly account: Owner;
  readonly format: string;
  /** The service's former address, where the run says so. */
  readonly former?: string | undefined;
}

/** @throws InvalidInput where the folder holds another account's objects, or another format */
export function assertSame(
  { account: theirs, format: written }: ImportRecord,
  { account: ours, format, former }: Run,
): void {
  const isHere = [ours.baseUrl, former].includes(theirs.baseUrl);
  if (!isHere || theirs.environment !== ours.environment) {
    throw fault(
      `says that the folder is for the ${theirs.environment} account at ${theirs.baseUrl}, but the configuration is for the ${ours.environment} account at ${ours.baseUrl}`,
      "Use another folder.",
    );
  }
  if (theirs.id !== undefined && ours.id !== undefined && theirs.id !== ours.id) {
    throw fault(
      `says that the folder is for the account ${theirs.id}, but the key is for ${ours.id}`,
      "Use another folder, or a key of that account.",
    );
  }
  if (theirs.twin !== ours.twin) {
    const [account, twin] = ["the account itself", "a twin of the account"];
    const [held, read] = theirs.twin ? [twin, account] : [account, twin];
    throw fault(
      `says that the folder is for ${held}, but this run reads ${read}`,
      "Use another folder: a twin has objects that the account never had.",
    );
  }
  if (written !== format) {
    throw fault(`says that the folder holds ${written}, not ${format}`, "Use another folder.");
  }
}

const fault = (text: string, remedy: string): InvalidInput =>
  stated("import", [RECORD_FILE], text, remedy);

/** Tells what the record says. */
export function addRecorded(known: KnownObjects, record: ImportRecord): void {
  for (const [kind, objects] of Object.entries(record.objects)) {
    for (const [id, at] of Object.entries(objects)) {
      const place: DeclaredName =
        typeof at === "string" ? { name: at } : { name: at[0], key: at[1] };
      known.add(kind, id, { in: "program", place });
    }
  }
}

/** The file after this run. */
export function recordText(
  before: ImportRecord | undefined,
  { account, format }: { readonly account: Owner; readonly format: string },
  added: readonly TakenObject[],
): string {
  const objects: Record<string, Record<string, string | [string, string]>> = {};
  for (const [kind, ids] of Object.entries(before?.objects ?? {})) objects[kind] = { ...ids };
  for (const { kind, id, place } of added) {
    const { name, key } = place;
    (objects[kind.name] ??= {})[id] = key === undefined ? name : [name, key];
  }
  const record: ImportRecord = { note: NOTE, version: 1, account, format, objects };
  return `${JSON.stringify(record, null, 2)}\n`;
}
