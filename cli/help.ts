/** What help says of every command besides its options: examples, variables and exit codes. */
import type { Command } from "commander";
import { describeSetting, settings, variableOf, type Setting } from "../provider/settings";

/** The one meaning of each exit code, whatever the command is. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, "done, or there was nothing to do"],
  [1, "refused or failed: by the service, a check, an engine or a forge"],
  [2, "invalid input: nothing was done"],
  [3, "done, and there are changes or drift; with --detailed-exitcode only"],
];

/** By the words of each command. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  emulator: ["erphost emulator --plan starter --limit 100/2s", "erphost emulator --data state.db"],
  whoami: ["erphost whoami", "erphost whoami --json"],
  import: [
    "erphost import --to terraform --out infrastructure",
    "erphost import --to terraform --out infra --kind server --name 'erp-*'",
    "erphost import --state state.json --report",
  ],
  "plan-summary": [
    "erphost plan-summary plan.json --format markdown",
    "terraform show -json plan.bin | erphost plan-summary - --check-key",
  ],
  listen: [
    'erphost listen --on "server.*" -- ./plan.sh',
    "erphost listen --queue /var/lib/erphost/events --retry 5 -- ./plan.sh",
    "erphost listen --on server.deleted --dispatch acme/infra",
  ],
  trigger: ["erphost trigger server.deleted --to http://127.0.0.1:4020/", 'erphost trigger "*"'],
  pipeline: ["erphost pipeline plan --tool terraform --dir infra --stack prod"],
  "pipeline plan": ["erphost pipeline plan --tool terraform --dir infra --stack prod"],
  "pipeline apply": ["erphost pipeline apply --tool terraform --dir infra --stack prod"],
  "pipeline drift": ["erphost pipeline drift --tool tofu --stack prod --detailed-exitcode"],
  "pipeline secret": [
    "erphost pipeline secret --tool pulumi --stack prod --output key --name ERP_KEY",
  ],
  intents: ["erphost intents list", "erphost intents resolve 3f2a"],
  "intents list": ["erphost intents list --json"],
  "intents drop": ["erphost intents drop 3f2a"],
  "intents resolve": [
    "erphost intents resolve 3f2a",
    "erphost intents resolve 3f2a --object srv_1",
  ],
  completion: [
    'eval "$(erphost completion bash)"',
    "erphost completion zsh > ~/.zfunc/_erphost",
    "erphost completion fish > ~/.config/fish/completions/erphost.fish",
  ],
};

/** Variables that are not settings, with the commands that read them; none: all of them. */
const VARIABLES: Readonly<Record<string, readonly [doc: string, ...commands: string[]]>> = {
  ERPHOST_ACCOUNT_NAME_SETTING: [
    "Setting of an account that a program calls by that name, such as ERPHOST_ACCOUNT_EU_API_KEY.",
    "pipeline",
  ],
  ERPHOST_EMULATOR_KEY: ["Value of the first admin key.", "emulator", "trigger"],
  ERPHOST_FROM_API_KEY: ["Key that --from reads the account with.", "emulator"],
  ERPHOST_WEBHOOK_SECRET: ["Secret of the webhooks.", "listen", "trigger"],
  ERPHOST_FORGE_TOKEN: ["Token of the forge; on GitHub, GITHUB_TOKEN takes its place.", "pipeline"],
  ERPHOST_PLAN_PASSPHRASE: ["Encrypts saved plans: at least 20 characters.", "pipeline"],
  ERPHOST_HIDDEN_VARIABLES: [
    "Names of more variables whose values neither comments nor logs may hold, separated by spaces.",
    "pipeline",
  ],
  ERPHOST_IDENTITY: ["The age identity that opens a rotated key.", "pipeline secret"],
  ERPHOST_VARIABLES_TOKEN: ["Token that stores a variable on GitLab.", "pipeline secret"],
  GITHUB_TOKEN: ["Token of GitHub.", "listen", "pipeline"],
  ERPHOST_CACHE_DIR: ["Folder that executables unpack to (default: the user's cache)."],
  ERPHOST_DEBUG: ["Shows the stack of an error. Must be 1 or nothing."],
};

/** All variables, with what they mean, as the top of the command line and its page list them. */
export const allVariables = (): [string, string][] => [
  ...Object.entries<Setting>(settings).map(([name, setting]): [string, string] => [
    variableOf(name),
    describeSetting(setting),
  ]),
  ...Object.entries(VARIABLES).map(([name, [doc]]): [string, string] => [name, doc]),
];

/** The words that a command is called by, without those of the program. */
export function pathOf(command: Command): string {
  if (command.parent === null) return "";
  return `${pathOf(command.parent)} ${command.name()}`.trim();
}

/** Of a command, those of it that no option names. */
function variablesOf(command: Command): [string, string][] {
  const path = pathOf(command);
  if (path === "") return allVariables();
  const reads = (name: string): boolean => path === name || path.startsWith(`${name} `);
  const own = Object.entries(VARIABLES).filter(
    ([, [, ...readers]]) => readers.length === 0 || readers.some(reads),
  );
  const hasAccount = command.options.some(({ long }) => long === "--base-url");
  const ofAccount = allVariables().filter(([name]) => name === "ERPHOST_API_KEY" && hasAccount);
  const ofIntents = allVariables().filter(
    ([name]) => name === "ERPHOST_INTENTS_DIR" && reads("intents"),
  );
  return [...ofAccount, ...ofIntents, ...own.map(([name, [doc]]): [string, string] => [name, doc])];
}

/** @public What a command is called with, as its example lines. */
export const examplesOf = (path: string): readonly string[] =>
  path === ""
    ? [...new Set(Object.values(EXAMPLES).map(([first = ""]) => first))]
    : (EXAMPLES[path] ?? []);

/** @public Loaded by name, where help is asked for. */
export function helpOf(command: Command): string {
  const variables = variablesOf(command);
  const widest = Math.max(...variables.map(([name]) => name.length));
  const isPipeline = pathOf(command).startsWith("pipeline");
  return [
    ["", "Examples:", ...examplesOf(pathOf(command)).map((line) => `  ${line}`)],
    ["", "Environment:", ...variables.map(([name, doc]) => `  ${name.padEnd(widest)}  ${doc}`)],
    isPipeline ? ["  Engines get all settings, which `erphost --help` lists."] : [],
    ["", "Exit codes:", ...exitCodes.map(([code, meaning]) => `  ${code}  ${meaning}`)],
  ]
    .flat()
    .join("\n");
}

const COLUMN = /^( *\S+(?: \S+)* {2,})\S/;

/**
 * Text for a terminal of this width: lines of a paragraph are filled again; others are folded, below
 * their second column where they have one that leaves room. Words are never broken.
 */
export function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const isText = /^[^\s-]/.test(line);
    const before = lines.at(-1);
    if (isText && before !== undefined && /^[^\s-]/.test(before)) {
      lines[lines.length - 1] = `${before} ${line}`;
    } else lines.push(line);
  }
  return lines.flatMap((line) => folded(line, width)).join("\n");
}

function folded(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const own = /^ */.exec(line)?.[0].length ?? 0;
  const column = COLUMN.exec(line)?.[1]?.length ?? 0;
  const indent = " ".repeat(column > 0 && column <= width / 2 ? column : own && own + 2);
  const folds: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const least = folds.length === 0 ? Math.max(own, 1) : indent.length;
    const space = rest.lastIndexOf(" ", width);
    const at = space > least ? space : rest.indexOf(" ", Math.max(width, least));
    if (at === -1) break;
    folds.push(rest.slice(0, at).trimEnd());
    rest = `${indent}${rest.slice(at).trimStart()}`;
  }
  return [...folds, rest];
}
