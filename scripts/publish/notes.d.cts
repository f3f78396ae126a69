/** The types of notes.cjs for TypeScript, which does not read those in its comments. */

/** The part of a changelog about one version; undefined where there is none. */
export function notes(changelog: string, version: string): string | undefined;
