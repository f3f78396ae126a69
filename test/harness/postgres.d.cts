/** The type of postgres.cjs for TypeScript, which does not read those in its comments. */

export function findPostgres(searchPath: string): string | undefined;
