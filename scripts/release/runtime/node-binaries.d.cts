/** The types of node-binaries.cjs for TypeScript, which does not read those in its comments. */

/** A Node.js as a package holds it. */
export interface PackedNode {
  readonly version: string;
  /** Of the program itself, in bytes. */
  readonly size: number;
  /** Of the program itself. */
  readonly sha256: string;
  /** The program, compressed with zstd. */
  readonly content: Buffer;
  /** Its licence, and those of what is in it. */
  readonly licence: string;
}

export function packedNode(
  platform: string,
  env: NodeJS.ProcessEnv,
  effort: "best" | "quick",
): Promise<PackedNode>;
