/** The one comment of a pull request: a section for each program, which its own jobs alone write. */
import { createHash } from "node:crypto";
import { code } from "../../plan-summary/markdown";
import { ForgeError, type Program, slugOf } from "../forge/forge";
import type { Job } from "../job";

/** Parts of a section, in their order. */
const PARTS = ["head", "applied", "failed", "plan", "cut", "picture", "engine", "older"] as const;
type Part = (typeof PARTS)[number];
/** Markdown of each part that a section has. Without a `head` it gets the program's heading. */
export type Section = Readonly<Partial<Record<Part, string>>>;

/** What a comment loses first where it is too long, and what that is called. */
const LOSSES = [
  ["engine", "the engine's own plan"],
  ["older", "the older plan"],
  ["picture", "the picture"],
  ["plan", "what is planned"],
  ["failed", "why the plan failed"],
  ["applied", "what became of the apply"],
] as const satisfies readonly (readonly [Part, string])[];

const MARK = "<!-- erphost:plans -->";
/** By line breaks alone: others are characters of somebody's text. */
const LINE = new RegExp(
  `(?<![^\\n])<!-- erphost:([a-z0-9-]+):(${PARTS.join("|")})(?::([0-9a-f]+))? -->(?![^\\n])`,
);
const LOOKS_MAX = 5;
/** A job that has read the comment writes it within this time. */
export const SETTLING_MS = 3_000;

interface Kept {
  readonly parts: Section;
  /** Of all that its job wrote, before anything was cut. */
  readonly hash: string;
}

/**
 * Changes the section of a job's program. Jobs of other stacks write the same comment, and no forge
 * says whether somebody else did meanwhile: so it is looked at again after a moment.
 */
export async function changeSection(job: Job, pull: number, change: (old: Section) => Section) {
  const { forge, world } = job;
  let made: Kept | undefined;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const found = { isThere: false };
    await forge.editComment(pull, MARK, (body) => {
      const sections = sectionsOf(body);
      const old = sections.get(slugOf(job));
      made ??= keptOf({ head: headingOf(job), ...change(old?.parts ?? {}) });
      found.isThere = old?.hash === made.hash;
      if (found.isThere) return body;
      return fitting(sections.set(slugOf(job), made), forge.bodyLengthMax);
    });
    if (found.isThere) return;
    await new Promise<void>((resolve) => world.after(SETTLING_MS, resolve));
  }
  throw new ForgeError(
    `${forge.name}: the comment is written by others all the time, so that what this job says was lost. Run the job again.`,
    undefined,
  );
}

const keptOf = (parts: Section): Kept => ({
  parts,
  hash: createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12),
});

/** `### infra/ · prod · terraform`. */
export const headingOf = ({ dir, stack, toolName }: Program & Pick<Job, "toolName">): string =>
  `### ${code(dir === "" ? "./" : dir)} · ${code(stack)} · ${toolName}`;

function sectionsOf(body: string): Map<string, Kept> {
  const found = new Map<string, Kept>();
  // Each mark leaves three words and the text behind it.
  const [, ...pieces] = body.split(LINE);
  for (let at = 0; at < pieces.length; at += 4) {
    const [slug = "", part = "", hash, text = ""] = pieces.slice(at, at + 4);
    const kept = found.get(slug);
    const parts = { ...kept?.parts, [part]: text.trim() };
    found.set(slug, { parts, hash: hash ?? kept?.hash ?? "" });
  }
  return found;
}

function written(sections: ReadonlyMap<string, Kept>): string {
  const lines = [...sections].flatMap(([slug, { parts, hash }]) =>
    PARTS.flatMap((part) => {
      const text = parts[part] ?? "";
      const mark = `<!-- erphost:${slug}:${part}${part === "head" ? `:${hash}` : ""} -->`;
      return text === "" ? [] : [`${mark}\n${text}\n`];
    }),
  );
  return lines.join("\n");
}

/** The longest lose first, until the whole is as short as the forge wants it. */
function fitting(given: ReadonlyMap<string, Kept>, lengthMax: number): string {
  const sections = new Map(given);
  const lengthOf = (slug: string, part: Part): number =>
    sections.get(slug)?.parts[part]?.length ?? 0;
  for (const [part, what] of LOSSES) {
    const longest = [...sections.keys()].toSorted((a, b) => lengthOf(b, part) - lengthOf(a, part));
    for (const slug of longest) {
      const over = written(sections).length - lengthMax;
      const kept = sections.get(slug);
      const text = kept?.parts[part];
      if (over <= 0) return written(sections);
      if (kept === undefined || text === undefined) continue;
      const { cut = "" } = kept.parts;
      const shorter = shortened(part, text, text.length - over - MARGIN);
      if (shorter === text) continue;
      const lost = shorter === "" ? what : `the end of ${what}`;
      const notice = `Left out for the length of a comment: ${lost}. The run has all of it.`;
      const notices = cut.includes(notice) ? cut : `${cut}\n\n${notice}`.trim();
      sections.set(slug, { ...kept, parts: { ...kept.parts, [part]: shorter, cut: notices } });
    }
  }
  const text = written(sections);
  if (text.length <= lengthMax) return text;
  throw new ForgeError(
    `A comment cannot hold what has to be said of ${sections.size} stacks. Plan fewer of them at once.`,
    undefined,
  );
}

/** For what is said of that which is left out. */
const MARGIN = 200;
/** Lines at the end of a block that is folded, its fence and its tag, and of one that has a fence alone. */
const END_LINES: Readonly<Partial<Record<Part, number>>> = { engine: 3, failed: 1, applied: 1 };

/** Whole lines from the begin on; nothing where hardly any would be left. */
function shortened(part: Part, text: string, lengthMax: number): string {
  if (part === "older" || part === "picture") return "";
  const lines = text.split("\n");
  const end = lines.splice(lines.length - (END_LINES[part] ?? 0));
  let left = lengthMax - end.join("\n").length - 1;
  const kept = lines.filter((line) => (left -= line.length + 1) >= 0);
  // What failed, and that it did, is said in any case.
  if (kept.length <= 3) return part === "failed" || part === "applied" ? (lines[0] ?? text) : "";
  return [...kept, ...end].join("\n");
}
