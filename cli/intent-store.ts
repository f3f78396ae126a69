/** Intents that dead processes left, in all folders of this user. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { InvalidInput } from "../provider";
import { Intents, intentsRoot, type Intent } from "../provider/engine";
import type { World } from "./world";

/** An intent and the folder's keeper, which can mark and drop it. */
export interface Left {
  readonly intent: Intent;
  readonly keeper: Intents;
}

/** The fewest characters of an id that are taken for it. */
const PREFIX_LENGTH_MIN = 4;

/** Oldest first. Empty where no folder was ever made. */
export async function leftIntents(world: World): Promise<Left[]> {
  const root = intentsRoot(world);
  const folders = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  });
  const found = await Promise.all(
    folders
      .filter((folder) => folder.isDirectory())
      .map(async ({ name }) => {
        const keeper = new Intents(join(root, name), world.processes, world.tell, world.nowMs);
        return (await keeper.list()).map((intent) => ({ intent, keeper }));
      }),
  );
  return found.flat().sort((a, b) => a.intent.entry.time - b.intent.entry.time);
}

/** The one intent whose id begins so. @throws InvalidInput where there is none, or more */
export async function leftIntent(id: string, world: World): Promise<Left> {
  const fault = (message: string) =>
    new InvalidInput(
      "intents",
      [{ path: [id], message }],
      "See `erphost intents list` for their ids.",
    );
  if (id.length < PREFIX_LENGTH_MIN) {
    throw fault(`is too short: give at least ${PREFIX_LENGTH_MIN} characters of the id`);
  }
  const found = (await leftIntents(world)).filter(({ intent }) => intent.entry.id.startsWith(id));
  const [only, ...more] = found;
  if (!only) throw fault("is no intent that a dead process left");
  if (more.length > 0) throw fault(`begins ${found.length} ids: give more of it`);
  return only;
}
