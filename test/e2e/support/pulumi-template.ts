/** The compiler options of projects that `pulumi new typescript` makes (https://github.com/pulumi/templates). */
const COMMON = {
  strict: true,
  outDir: "bin",
  target: "es2020",
  sourceMap: true,
  experimentalDecorators: true,
  pretty: true,
  noFallthroughCasesInSwitch: true,
  noImplicitReturns: true,
  forceConsistentCasingInFileNames: true,
};

/** What changed on 2026-03-25. */
const BY_YEAR = {
  "2025": { module: "commonjs", moduleResolution: "node" },
  "2026": { module: "nodenext", moduleResolution: "nodenext" },
} as const;

export const compilerOptions = (year: keyof typeof BY_YEAR) => ({ ...COMMON, ...BY_YEAR[year] });
