/** Phrases that read like a translation, and plain English for each, in all that a person reads. */
import type { TrackedFile } from "./tracked";

interface Phrase {
  readonly pattern: RegExp;
  /** What to write, or what to think of. */
  readonly better: string;
}

/** After these, "is no" is English: is no longer, is no more than. */
const COMPARED =
  "longer|more|less|fewer|later|older|newer|larger|smaller|faster|slower|better|worse";

const phrases: readonly Phrase[] = [
  {
    pattern: new RegExp(
      `(?<!\\b(?:there|where|when) )\\b(?:is|are|was|were) no (?!(?:${COMPARED})\\b)[a-z]`,
      "i",
    ),
    better: 'write "is not a …"',
  },
  { pattern: /\b(?:has|have|had) not (?:the|a|an|any)\b/, better: 'write "does not have"' },
  { pattern: /\b(?:has|have) no such\b/, better: 'write "does not have that …"' },
  { pattern: /\banew\b/i, better: 'write "again", "new", or "forces replacement"' },
  { pattern: /\bgo(?:es)? on\b(?! to\b)/i, better: 'write "continues" or "keeps …ing"' },
  { pattern: /\bso many\b/i, better: 'give the number, or write "that many"' },
  { pattern: /(?<!-)\btold\b/i, better: 'write "reported", "shown" or "given"' },
  { pattern: /\bbeside\b/i, better: 'write "next to", "besides" or "with"' },
  { pattern: /\blives? on\b/i, better: 'write "remains in the service"' },
  { pattern: /\bwanted otherwise\b|\bas it is wanted\b/i, better: 'write "as configured"' },
  {
    pattern: /\bends? in order\b|\bended in order\b|\bin order\b(?! (?:to|of|that|in)\b)[,.;]/i,
    better: 'write "exits cleanly"',
  },
  { pattern: /\bmanieth\b/i, better: 'write "n-th"' },
  {
    pattern:
      /\b[Aa] (?:instance|API|api_key|API key|ID|IPv|emulator|engine|object|update|error|unmanaged)\b/,
    better: 'write "an"',
  },
  { pattern: /\b[Aa]llow(?:s|ed)? to\b/, better: 'write "allows …ing" or "lets you …"' },
  {
    pattern:
      /, for (?:it|they|there|that|this|he|we|the [a-z]+|a [a-z]+|what) (?:is|are|was|were|has|have|had|may|might|can|could|would|will|does|do|looks?|needs?|must)\b/i,
    better: 'write "because" or "since"',
  },
  { pattern: /\bis (?:held|measured) against\b/i, better: 'write "is compared with"' },
  { pattern: /\b(?:let|lets) go\b/i, better: 'write "drops" or "releases"' },
  { pattern: /\bcan't be had\b|\bto be had\b|\bcan be had\b/i, better: 'write "is not available"' },
  { pattern: /\bgives? up living\b/i, better: "say it plainly" },
  {
    pattern: /\bhas (?:it|them|him) in hand\b|\bin the hands of\b/i,
    better: 'write "is working on it"',
  },
  { pattern: /\bby (?:its|their) hand\b/i, better: "say it plainly" },
  {
    pattern: /\bwhat is (?:given|wanted|meant) (?:for|by)\b.*\bother\b/i,
    better: "say it plainly",
  },
  {
    pattern: /Too (?:small|big): expected|Invalid input: expected/,
    better: "use the messages room, not the schema library's own words",
  },
  {
    pattern: /Assumed: the contract does not show/,
    better: "say what the field is, not how it is known",
  },
];

/** Files that hold the phrases because they are about them. */
const EXCEPT =
  /^scripts\/check\/english\.ts$|^test\/checks\/texts\.test\.ts$|^LICENSE$|^package-lock\.json$|\.(?:sum|mod)$|^cdktf-bindings\/generated\/|CHANGELOG\.md$/;

/** One sentence per finding: where, what, and what to write instead. */
export const calques = (files: readonly TrackedFile[]): string[] =>
  files
    .filter(
      ({ path }) => !EXCEPT.test(path) && /\.(?:ts|mjs|cjs|md|json|sh|ya?ml|tf|py)$/.test(path),
    )
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) =>
        phrases.flatMap(({ pattern, better }) => {
          const phrase = pattern.exec(line)?.[0];
          return phrase === undefined ? [] : [`${path}:${index + 1} "${phrase}": ${better}.`];
        }),
      ),
    );
