/** The type of lock.cjs for TypeScript, which does not read those in its comments. */

export function withLock<T>(file: string, what: string, work: () => Promise<T>): Promise<T>;
