/** The dynamic classes and the plugin, in projects that `pulumi new` makes. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "../../../package.json";
import type { NodeRelease } from "../registries/all";
import { SYSTEM, type Stage } from "../stage";
import type { Program, Stranger } from "../stranger";
import { machine, onNode, python, reachOutside, type Face } from "./face";

const EXAMPLES = join(__dirname, "../../../examples");
const example = (file: string): string => readFileSync(join(EXAMPLES, file), "utf8");

const PROGRAMS = ["pulumi", "pulumi-language-nodejs", "pulumi-language-yaml"];
/** Shares its folder with the rest of Pulumi. */
const PYTHON_PROGRAMS = ["pulumi-language-python", "pulumi-language-python-exec"];
const DYNAMIC = "pulumi-resource-pulumi-nodejs";

/**
 * A folder that `pulumi new` takes: the settings of the templates typescript, yaml and python of
 * github.com/pulumi/templates. `${PROJECT}` is filled in by Pulumi. The programs are replaced by ours.
 */
interface Template {
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

const typescript = (year: keyof typeof BY_YEAR): Template => ({
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
      compilerOptions: { ...COMMON, ...BY_YEAR[year] },
      files: ["index.ts"],
    }),
  },
});

const pulumiTemplates = {
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

/** Somebody with Pulumi, whose stacks are in a folder of theirs. */
async function pulumiUser(
  stage: Stage,
  release: NodeRelease,
  programs: Readonly<Record<string, Program>> = {},
): Promise<Stranger> {
  const stranger = await stage.stranger(release, {
    programs: { ...machine(...PROGRAMS, DYNAMIC), ...programs },
    env: { PULUMI_CONFIG_PASSPHRASE: "rehearsal", PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  stranger.env["PULUMI_HOME"] = join(stranger.home, ".pulumi");
  stranger.env["PULUMI_BACKEND_URL"] = `file://${stranger.home}?metadata=skip`;
  return stranger;
}

/** `pulumi new`, with a template that is kept here; it installs what the template needs. */
async function pulumiNew(stranger: Stranger, template: Template): Promise<void> {
  const kept = join(stranger.home, "template");
  stranger.write(template.files, kept);
  const names = ["--name", "shop", "--description", "A shop", "--stack", "dev"];
  await stranger.run("pulumi", "new", kept, "--yes", "--non-interactive", "--force", ...names);
}

/** Makes, previews nothing, and destroys. */
function livesAndDies(stage: Stage, stranger: Stranger): Promise<string> {
  const pulumi = (command: string, ...words: readonly string[]) =>
    stranger.run("pulumi", command, "--non-interactive", ...words);
  return stage.withEmulator(stranger, async (emulator) => {
    await pulumi("preview");
    await pulumi("up", "--yes", "--skip-preview");
    await pulumi("preview", "--expect-no-changes");
    await pulumi("destroy", "--yes", "--skip-preview");
    await emulator.expectEmpty();
    return "preview, up, no changes, destroy";
  });
}

/** The classes of `erphost/pulumi`. */
export const dynamic: Face = {
  name: "pulumi",
  about: "the dynamic classes in projects by `pulumi new typescript` of 2025 and 2026",
  rehearse: (stage) =>
    rehearseTemplates(stage, {
      face: "Pulumi, dynamic",
      command: "npm install erphost",
      program: example("pulumi/index.ts"),
      env: {},
    }),
};

export const nodeSdk: Face = {
  name: "node-sdk",
  about: "the Node.js SDK in projects by `pulumi new typescript` of 2025 and 2026",
  rehearse: async (stage) =>
    rehearseTemplates(stage, {
      face: "Pulumi, Node.js SDK",
      command: "npm install @erphost/pulumi-native",
      program: example("pulumi-sdk/index.ts"),
      env: (await stage.registries.github()).env,
    }),
};

interface NodeProject {
  readonly face: string;
  readonly command: string;
  readonly program: string;
  /** By which Pulumi reaches the plugin's releases. */
  readonly env: Readonly<Record<string, string>>;
}

/** A project of each template, with another Node.js where there is one. */
async function rehearseTemplates(stage: Stage, project: NodeProject): Promise<void> {
  const { face, command, program, env } = project;
  const [oldest, newest = oldest] = await stage.registries.nodes();
  if (!oldest || !newest) return;
  const { typescript2025, typescript2026 } = pulumiTemplates;
  const projects = [
    [oldest, typescript2025],
    [newest, typescript2026],
  ] as const;
  for (const [release, template] of projects) {
    const stranger = await pulumiUser(stage, release);
    await stage.attempt({
      face,
      platform: `${onNode(release)}, pulumi new ${template.name}`,
      command,
      install: async () => {
        await pulumiNew(stranger, template);
        const [npm = "", ...words] = command.split(" ");
        await stranger.run(npm, ...words);
        return join(stranger.folder, "node_modules");
      },
      use: () => {
        stranger.write({ "index.ts": program });
        Object.assign(stranger.env, env);
        return livesAndDies(stage, stranger);
      },
    });
  }
}

const install = (address: string): readonly string[] => [
  ...["plugin", "install", "resource", "erphost", version],
  ...["--server", address],
];

const pluginsOf = (stranger: Stranger): string => join(stranger.home, ".pulumi", "plugins");

/** The plugin by a program in YAML, which needs no SDK. */
export const yaml: Face = {
  name: "yaml",
  about: "the Pulumi plugin, installed by its address, in `pulumi new yaml`",
  rehearse: async (stage) => {
    const { address } = await stage.registries.pulumi();
    const stranger = await pulumiUser(stage, await stage.registries.newest());
    await stage.attempt({
      face: "Pulumi, YAML",
      platform: `${SYSTEM}, pulumi new yaml`,
      command: "pulumi plugin install resource erphost --server",
      install: async () => {
        await stranger.run("pulumi", ...install(address));
        return pluginsOf(stranger);
      },
      use: async () => {
        await pulumiNew(stranger, pulumiTemplates.yaml);
        // The stack belongs to the project of that name.
        const program = example("pulumi-yaml/Pulumi.yaml").replace(/^name: .*$/m, "name: shop");
        stranger.write({ "Pulumi.yaml": program });
        return livesAndDies(stage, stranger);
      },
    });
  },
};

export const pythonSdk: Face = {
  name: "python-sdk",
  about: "the Python SDK in a project by `pulumi new python`",
  rehearse: async (stage) => {
    const { env } = await stage.registries.github();
    const { index } = await stage.registries.python();
    const programs = { ...machine(...PYTHON_PROGRAMS), ...(await python()) };
    const stranger = await pulumiUser(stage, await stage.registries.newest(), programs);
    Object.assign(stranger.env, reachOutside(), { PIP_INDEX_URL: index });
    const pip = join(stranger.folder, "venv", "bin", "python");
    await stage.attempt({
      face: "Pulumi, Python SDK",
      platform: `${SYSTEM}, pulumi new python`,
      command: "pip install pulumi_erphost",
      install: async () => {
        const kept = join(stranger.home, "template");
        stranger.write(pulumiTemplates.python.files, kept);
        const names = ["--name", "shop", "--description", "A shop", "--generate-only"];
        await stranger.run("pulumi", "new", kept, "--yes", "--force", ...names);
        await stranger.run("pulumi", "stack", "init", "dev", "--non-interactive");
        // By hand, and activated: what hosts for Python make of it differs between their releases.
        await stranger.run("python3", "-m", "venv", "venv");
        const words = ["-m", "pip", "install", "-r", "requirements.txt", "pulumi_erphost"];
        await stranger.run(pip, ...words);
        stranger.env["PATH"] = `${dirname(pip)}:${stranger.env["PATH"] ?? ""}`;
        return join(stranger.folder, "venv");
      },
      use: async () => {
        stranger.write({ "__main__.py": example("pulumi-python/__main__.py") });
        Object.assign(stranger.env, env);
        return livesAndDies(stage, stranger);
      },
    });
  },
};
