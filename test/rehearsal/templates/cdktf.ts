/**
 * The project that `cdktf init --template typescript` of cdktf 0.21 makes: its settings, as they are
 * in packages/@cdktf/cli-core/templates/typescript of github.com/hashicorp/terraform-cdk, and the
 * packages that its hook installs. The program is ours.
 */
export const cdktfTemplate = {
  "cdktf.json": `{
  "language": "typescript",
  "app": "npx ts-node main.ts",
  "projectId": "7f1c3c1e-0000-4000-8000-000000000000",
  "sendCrashReports": "false",
  "terraformProviders": [],
  "terraformModules": [],
  "context": {}
}
`,
  "package.json": `{
  "name": "shop",
  "version": "1.0.0",
  "main": "main.js",
  "types": "main.ts",
  "private": true,
  "scripts": { "build": "tsc", "compile": "tsc --pretty" },
  "engines": { "node": ">=20.9" }
}
`,
  "tsconfig.json": JSON.stringify(
    {
      compilerOptions: {
        alwaysStrict: true,
        declaration: true,
        experimentalDecorators: true,
        inlineSourceMap: true,
        inlineSources: true,
        lib: ["es2018"],
        module: "CommonJS",
        noEmitOnError: true,
        noFallthroughCasesInSwitch: true,
        noImplicitAny: true,
        noImplicitReturns: true,
        noImplicitThis: true,
        noUnusedLocals: true,
        noUnusedParameters: true,
        resolveJsonModule: true,
        strict: true,
        strictNullChecks: true,
        strictPropertyInitialization: true,
        stripInternal: true,
        target: "ES2018",
        incremental: true,
        skipLibCheck: true,
      },
      include: ["**/*.ts"],
      exclude: ["node_modules", "cdktf.out"],
    },
    undefined,
    2,
  ),
} as const;
