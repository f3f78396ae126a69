/**
 * The projects that `pulumi new` makes: the settings of the templates typescript, yaml and python of
 * github.com/pulumi/templates. `${PROJECT}` is filled in by Pulumi. The programs are replaced by ours.
 */
import { compilerOptions } from "../../e2e/support/pulumi-template";

/** A folder that `pulumi new` takes. */
export interface Template {
  /** As it is called in the rehearsal's table. */
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
}

const project = (runtime: string): string => `name: \${PROJECT}
description: \${DESCRIPTION}
runtime: ${runtime}
template:
  description: A minimal program
`;

const typescript = (year: "2025" | "2026"): Template => ({
  name: `typescript of ${year}`,
  files: {
    "Pulumi.yaml": project("nodejs"),
    "index.ts": 'import * as pulumi from "@pulumi/pulumi";\n',
    "package.json": JSON.stringify({
      name: "${PROJECT}",
      main: "index.ts",
      devDependencies: { "@types/node": "^18", typescript: "^5.0.0" },
      dependencies: { "@pulumi/pulumi": "^3.113.0" },
    }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: compilerOptions(year),
      files: ["index.ts"],
    }),
  },
});

export const pulumiTemplates = {
  /** From May 2024 (commit ed5812e3). */
  typescript2025: typescript("2025"),
  /** From March 2026 on (commit 81e65225). */
  typescript2026: typescript("2026"),
  yaml: { name: "yaml", files: { "Pulumi.yaml": project("yaml") } },
  python: {
    name: "python",
    files: {
      // The folder is named by the host that asks, and kept here for hosts that do not ask.
      "Pulumi.yaml": project("{ name: python, options: { virtualenv: venv } }"),
      "__main__.py": "import pulumi\n",
      "requirements.txt": "pulumi>=3.0.0,<4.0.0\n",
    },
  },
} as const satisfies Record<string, Template>;
