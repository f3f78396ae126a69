/** The languages of the SDKs, and what writes them. */

/** Which engine (`npm run engines -- NAME`) writes which SDKs. */
export const generators = {
  "pulumi-sdk-gen": ["nodejs", "python", "go"],
  "pulumi-sdk-gen-csharp-java": ["csharp", "java"],
} as const;
export type Generator = keyof typeof generators;
export type SdkLanguage = (typeof generators)[Generator][number];
