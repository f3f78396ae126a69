/** `--from`, `--save` and `--snapshot`: where a twin comes from, and what is kept of it. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InvalidInput, isRecord } from "../../provider/contract";
import { visible } from "../../provider/messages";
import { assertFolder, readJson, wrongCall } from "../files";
import type { Twin, TwinKey } from "./schema";

/** Holds the key that `--from` reads with. */
const FROM_VARIABLE = "ERPHOST_FROM_API_KEY";

/** Where an account is read. */
export interface AccountSource {
  readonly baseUrl: string;
  /** Undefined where the variable is not set. */
  readonly apiKey: string | undefined;
  /** Contract profile, as JSON. */
  readonly profile: unknown;
}

/** An account as its lists show it. */
export interface AccountCopy {
  readonly twin: Twin;
  /** The same without anything that looks like a secret: what may be in a file. */
  readonly forFile: Twin;
}

/** Reads an account with GETs alone; fails where it cannot have all of it. */
export type AccountReader = (source: AccountSource) => Promise<AccountCopy>;

export interface TwinOptions {
  readonly from?: string;
  readonly snapshot?: string;
  readonly save?: string;
}

export interface TwinContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly report: (line: string) => void;
  /** Reads an account for `--from`, with GETs alone. Left out where an account cannot be read. */
  readonly readAccount?: AccountReader | undefined;
}

/** The account to be a twin of: as it is now, or as a file has it. Whole or not at all. */
export async function twinFor(
  { from, snapshot, save }: TwinOptions,
  profile: unknown,
  context: TwinContext,
): Promise<Twin | undefined> {
  if (save !== undefined && from === undefined) throw wrongCall("--save", "needs --from");
  if (snapshot !== undefined) {
    const { readTwinCopy } = require("./plant") as typeof import("./plant");
    const twin = inFile(snapshot, () => readTwinCopy(readJson("--snapshot", snapshot)));
    for (const line of leftOutLines(twin)) context.report(line);
    return twin;
  }
  if (from === undefined) return undefined;
  if (!context.readAccount) throw new Error("--from is a part of the erphost command.");
  if (save !== undefined) saving(save, () => assertFolder(save));
  const apiKey = context.environment[FROM_VARIABLE]?.trim() || undefined;
  const { twin, forFile } = await context.readAccount({ baseUrl: from, apiKey, profile });
  if (save !== undefined) keep(save, forFile);
  return twin;
}

/** A fault of the file in the file's own names, which settings have as well. */
function inFile(path: string, work: () => Twin): Twin {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof InvalidInput) || error.subject !== "twin") throw error;
    const issues = error.issues.map((issue) => ({ ...issue, path: ["file", ...issue.path] }));
    throw new InvalidInput(`--snapshot ${path}`, issues);
  }
}

/** Whole or not at all, and for its owner alone: names and addresses are nobody else's business. */
function keep(path: string, twin: Twin): void {
  saving(path, () => {
    // What a killed process left has another name, whatever its number was.
    const folder = mkdtempSync(`${path}.`);
    const draft = join(folder, "twin.json");
    try {
      writeFileSync(draft, `${JSON.stringify(twin, null, 1)}\n`, { mode: 0o600 });
      renameSync(draft, path);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

function saving(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const reason = isRecord(error) ? String(error["code"]) : "unknown error";
    throw new Error(`--save ${path}: cannot be written (${reason}).`, { cause: error });
  }
}

const LEFT_OUT_SHOWN_MAX = 3;

/** What a file does not hold shows as a change where a program declares it. */
function leftOutLines({ leftOut = [] }: Twin): string[] {
  if (leftOut.length === 0) return [];
  const named = leftOut.slice(0, LEFT_OUT_SHOWN_MAX).map(({ id, field }) => `${id} ${field}`);
  const more = leftOut.length > named.length ? " and more" : "";
  return [
    `warning: the file has no secrets: ${leftOut.length} free fields are missing (${named.join(", ")}${more}). ` +
      "Where a program sets them, its plan shows a change.",
  ];
}

/** Shown this once: an emulator keeps hashes. */
export const keyLines = (keys: readonly TwinKey[]): string[] =>
  keys.length === 0
    ? []
    : [
        "  keys        the account's, each with a new value that works here alone; shown once:",
        ...keys.map(({ id, name, value }) => `    ${visible(id)}  ${value}  ${visible(name)}`),
      ];
