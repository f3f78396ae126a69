/** The types of progress.cjs for TypeScript, which does not read those in its comments. */

/** Prints a line about what is being done, on stderr. */
export function say(line: string): void;
/** Reports when a long step begins, that it is still running, and how long it took. */
export function step<T>(label: string, work: () => Promise<T>): Promise<T>;
