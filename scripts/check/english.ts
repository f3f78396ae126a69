/** Phrases that read like a translation, and plain English for each, in all that a person reads. */
import type { TrackedFile } from "./tracked";

/** After these, "is no" is English: is no longer, is no more than. */
const COMPARED =
  "longer|more|less|fewer|later|older|newer|larger|smaller|faster|slower|better|worse";

/** Each with what to write, or what to think of. */
const phrases: readonly (readonly [pattern: RegExp, better: string])[] = [
  [
    new RegExp(
      `(?<!\\b(?:there|where|when) )\\b(?:is|are|was|were) no (?!(?:${COMPARED})\\b)[a-z]`,
      "i",
    ),
    'write "is not a …"',
  ],
  [/\b(?:has|have|had) not (?:the|a|an|any)\b/, 'write "does not have"'],
  [/\b(?:has|have) no such\b/, 'write "does not have that …"'],
  [/\banew\b/i, 'write "again", "new", or "forces replacement"'],
  [/\bgo(?:es)? on\b(?! to\b)/i, 'write "continues" or "keeps …ing"'],
  [/\bso many\b/i, 'give the number, or write "that many"'],
  [/(?<!-)\btold\b/i, 'write "reported", "shown" or "given"'],
  [/\bbeside\b/i, 'write "next to", "besides" or "with"'],
  [/\blives? on\b/i, 'write "remains in the service"'],
  [/\bwanted otherwise\b|\bas it is wanted\b/i, 'write "as configured"'],
  [
    /\bends? in order\b|\bended in order\b|\bin order\b(?! (?:to|of|that|in)\b)[,.;]/i,
    'write "exits cleanly"',
  ],
  [/\bmanieth\b/i, 'write "n-th"'],
  [
    /\b[Aa] (?:instance|API|api_key|API key|ID|IPv|emulator|engine|object|update|error|unmanaged)\b/,
    'write "an"',
  ],
  [/\b[Aa]llow(?:s|ed)? to\b/, 'write "allows …ing" or "lets you …"'],
  [
    /, for (?:it|they|there|that|this|he|we|the [a-z]+|a [a-z]+|what) (?:is|are|was|were|has|have|had|may|might|can|could|would|will|does|do|looks?|needs?|must)\b/i,
    'write "because" or "since"',
  ],
  [/\bis (?:held|measured) against\b/i, 'write "is compared with"'],
  [/\b(?:let|lets) go\b/i, 'write "drops" or "releases"'],
  [/\bcan't be had\b|\bto be had\b|\bcan be had\b/i, 'write "is not available"'],
  [/\bgives? up living\b/i, "say it plainly"],
  [/\bhas (?:it|them|him) in hand\b|\bin the hands of\b/i, 'write "is working on it"'],
  [/\bby (?:its|their) hand\b/i, "say it plainly"],
  [/\bwhat is (?:given|wanted|meant) (?:for|by)\b.*\bother\b/i, "say it plainly"],
  [
    /Too (?:small|big): expected|Invalid input: expected/,
    "use the messages room, not the schema library's own words",
  ],
  [/Assumed: the contract does not show/, "say what the field is, not how it is known"],
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
        phrases.flatMap(([pattern, better]) => {
          const phrase = pattern.exec(line)?.[0];
          return phrase === undefined ? [] : [`${path}:${index + 1} "${phrase}": ${better}.`];
        }),
      ),
    );
