/** Code that stands twice: runs of ten lines or more, outside tests and generated files. */
import { relative } from "node:path";
import type { Finding } from "./run-all";

const LINES_MIN = 10;
/** Shorter runs of short lines are punctuation and imports. */
const TOKENS_MIN = 50;
const ROOMS = ["provider", "emulator", "cli", "cdktf-bindings", "scripts", "demo"];
const GENERATED = /\/generated\/|\.gen\.ts$/;

/** @public Every pair of places, as `a.ts:1-10 ~ b.ts:5-14`. */
export async function findDuplicates(root: string, rooms: readonly string[]): Promise<string[]> {
  // Loaded here, so that the other checks run where it is not installed yet.
  const { detectClones } = require("jscpd") as typeof import("jscpd");
  const clones = await detectClones({
    path: rooms.map((room) => `${root}/${room}`),
    format: ["typescript", "javascript"],
    minLines: LINES_MIN,
    minTokens: TOKENS_MIN,
    silent: true,
    reporters: [],
  });
  const written = clones
    .map(({ duplicationA, duplicationB }) => [duplicationA, duplicationB])
    .filter((places) => !places.some(({ sourceId }) => GENERATED.test(sourceId)));
  return written.map((places) =>
    places
      .map(({ sourceId, start, end }) => `${relative(root, sourceId)}:${start.line}-${end.line}`)
      .join(" ~ "),
  );
}

/** The check: none may be found. */
export async function duplicates(root: string): Promise<Finding> {
  const found = await findDuplicates(root, ROOMS);
  return { ok: found.length === 0, output: found.join("\n") };
}
