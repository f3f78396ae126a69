/** What an engine is made of. */
import type { Clock, Core } from "../client";
import type { Message } from "../messages";
import type { Places } from "./service/account-guard";
import type { Processes } from "./journal/processes";
import { Intents } from "./journal/journal";
import type { EngineOptions } from "./types";

export interface EngineParts {
  readonly core: Core;
  readonly clock: Clock;
  /** The key in use; intents are sealed under it and signed with it. */
  readonly apiKey: string;
  /** This user's own key on this machine, with which intents are signed too; undefined for none. */
  readonly userKey: () => Promise<Buffer | undefined>;
  readonly options?: Partial<EngineOptions>;
  /** Other places whose states it takes; default none. */
  readonly places?: Places;
  /** Folder of this account's and working folder's intents. */
  readonly intentsFolder: string;
  /** The same at the former address. */
  readonly formerIntentsFolder?: string | undefined;
  readonly processes: Processes;
  /** The host's own process, where it plans and applies in different ones of its children. */
  readonly host?: string | undefined;
  readonly uuid: () => string;
  readonly nonce: () => Buffer;
  /** Called where something about the engine itself is worth a warning. */
  readonly warn: (message: Message) => void;
}

export const engineDefaults: EngineOptions = {
  resume: false,
  sameName: "warn",
  allowMassGone: false,
  allowDelete: [],
  preflight: "warn",
  readMaxAgeMs: 10 * 60_000,
  timeoutMs: 20 * 60_000,
};

/** What interrupted runs left unfinished at the former address, where only they can be followed. */
export async function unfinishedAtFormer(
  { formerIntentsFolder: folder, places, core, processes, clock, warn }: EngineParts,
  secrets: ConstructorParameters<typeof Intents>[0]["secrets"],
): Promise<{ readonly count: number; readonly folder: string }> {
  const former = places?.formerBaseUrl;
  if (folder === undefined || former === undefined) return { count: 0, folder: "" };
  const account = { ...core.account, baseUrl: former };
  const journal = new Intents({ folder, processes, account, clock, secrets }, warn);
  const { intents, unread } = await journal.list();
  return { count: intents.length + unread.length, folder };
}
