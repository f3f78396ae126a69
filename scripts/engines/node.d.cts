/** The types of node.cjs for TypeScript, which does not read those in its comments. */

export function ensureNodeRelease(
  root: string,
  env: NodeJS.ProcessEnv,
  version: string,
): Promise<string>;

export function minimumNode(root: string): string;
