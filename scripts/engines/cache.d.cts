/** The types of cache.cjs for TypeScript, which does not read those in its comments. */

/** Where erphost keeps what every checkout of this user shares; ERPHOST_CACHE_DIR names another place. */
export function baseFolder(env: NodeJS.ProcessEnv): string;
