/** Pages, and parts of pages that people write, that hold tables. */
import type { Command } from "commander";
import { allVariables, examplesOf, exitCodes, pathOf } from "../../../cli/help";
import { program } from "../../../cli/run";
import { capital, catalogue, plainVoice, say, type Definition } from "../../../provider/messages";
import { resources, type OperationName, type Resource } from "../../../provider/contract";
import { kinds } from "../../../provider/resources";
import { describeSetting, settings, variableOf, type Setting } from "../../../provider/settings";
import { worldOf } from "../../../test/cli/support";
import { FEATURES } from "../../../test/e2e/support/features";
import { blocksOf } from "../../../test/e2e/support/guide";
import { elsewhere, GUIDES } from "../../../test/e2e/support/guides/table";
import { readManifest } from "../../engines/cache.cjs";
import type { Generated } from "../files";
import { between, code, fenced, header, page, table } from "../markdown";

/** `docs/reference/settings.md`: every setting, in the names of each face. */
export const settingsDocs = (): Generated => ({
  "docs/reference/settings.md": page(
    header("provider/settings/"),
    "# Settings",
    "Every setting has one name in every face: `erphost:timeout` in a Pulumi stack, `timeout` in a provider block (`base_url` for `baseUrl`), `timeout` in CDKTF and in `new ErpHost({ … })`. What is not set there comes from the environment. A program may have [several accounts](../guides/accounts.md).",
    settingsTable(),
    "Proxies and certificates are the usual variables: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` and `NODE_EXTRA_CA_CERTS`. `ERPHOST_CACHE_DIR` is the folder that executables unpack to, and in a checkout that of the engines; by default the user's cache folder.",
  ),
});

const settingsTable = (): string =>
  table(
    ["Setting", "Environment variable", "Meaning"],
    Object.entries<Setting>(settings).map(([name, setting]) => [
      `${code(name)}${setting.secret ? " (secret)" : ""}`,
      code(variableOf(name)),
      describeSetting(setting),
    ]),
  );

/** `docs/reference/command-line.md`: every command with an example, exit codes and variables. */
export const commandLineDocs = (): Generated => ({
  "docs/reference/command-line.md": page(
    header("cli/"),
    "# The command line",
    "`--help` of each command has its options.",
    table(
      ["Command", "What it does", "For example"],
      walked(program([], worldOf()))
        .slice(1)
        .map((command) => [
          code(`erphost ${pathOf(command)}`),
          command.description(),
          code(examplesOf(pathOf(command))[0] ?? ""),
        ]),
    ),
    "## Exit codes",
    "They mean the same for every command.",
    table(
      ["Exit code", "Meaning"],
      exitCodes.map(([value, meaning]) => [String(value), meaning]),
    ),
    "## Completion",
    fenced("sh", examplesOf("completion").join("\n")),
    "## Variables",
    table(
      ["Variable", "Meaning"],
      allVariables().map(([name, doc]) => [code(name), doc]),
    ),
  ),
});

const walked = (command: Command): Command[] => [command, ...command.commands.flatMap(walked)];

/** What an example is about; a field stands for whichever one a message continues. */
const ABOUT = { subject: { kind: "instance", id: "ins_1", name: "erp" } } as const;

/** `docs/reference/messages.md`: every message, when it is said, an example, and what to do. */
export const messagesDocs = (): Generated => ({
  "docs/reference/messages.md": page(
    header("provider/messages/catalogue/"),
    "# Messages",
    "Everything erphost reports, by its code. Each engine shows a message in the names of its language: where a program writes `serverId`, the message says `serverId`. The examples use the names of the contract; `…` is the field or setting that the message is about.",
    table(["Code", "When", "Example", "What to do"], messageRows()),
  ),
});

const messageRows = (): string[][] =>
  // Parts of any message are said here; each definition has checked its own examples.
  Object.entries(catalogue as Readonly<Record<string, Definition<unknown>>>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { when, predicate, examples }]) => {
      const said = say(plainVoice, { code: name, parts: examples[0], ...ABOUT });
      const example = predicate ? `… ${said.text}` : capital(said.text);
      return [code(name), when, oneLine(example), oneLine(said.remedy)];
    });

const oneLine = (text: string): string => text.replace(/\n/g, " ");
const GUIDE = "docs/guides/authentication.md";

/** The guide to authentication, with its table as the contract is now. */
export const scopesDocs = (): Generated => ({ [GUIDE]: between(GUIDE, "scopes", scopesTable()) });

const OPERATIONS = ["list", "create", "update", "delete"] as const satisfies OperationName[];
const HEADS = ["read, look up", "create", "update", "delete"];

const scopesTable = (): string =>
  table(
    ["Objects", ...HEADS],
    Object.values<Resource>(resources).map((resource) => [
      resource.plural.replace(/_/g, " ").replace(/\bapi\b/, "API"),
      ...OPERATIONS.map((name) => scopeOf(resource, name)),
    ]),
  ) + rotation();

/** A scope in italics is assumed; `–` is an operation that the service does not offer. */
function scopeOf({ operations, scopes }: Resource, name: OperationName): string {
  const scope = scopes[name];
  if (operations[name] === undefined) return "–";
  if (scope === undefined) return "none";
  return scope.source === "documented" ? code(scope.scope) : `*${code(scope.scope)}*`;
}

/** Assumption: a rotation needs the scope of a change. */
function rotation(): string {
  const titles = Object.values(kinds).flatMap(({ reading, title }) =>
    reading.rotates ? [code(title)] : [],
  );
  const scope = resources.api_key.scopes.update?.scope ?? "";
  return `\n\nA rotation (${titles.join(", ")}) needs *${code(scope)}*. The check for an object of the same name, and the recovery after a crash, read the list: a key that creates needs the scope to read as well.`;
}

/** What follows the pages: as they are printed, in their order, each with one accident. */
const WALKS = "test/e2e/release/guides.test.ts";
const NOT = "not here: ";

/** Which test runs what each page for readers prints: the list of test/e2e/support/guides/table.ts. */
export const guidesDocs = (): Generated => ({
  "docs/reference/guides.md": [
    header("test/e2e/support/guides/table.ts"),
    "# How the guides are tried",
    `Commands and files of these pages are run as they are printed, by the tests that are named. Pages with an accident are followed with it once; \`npm run chaos -- --claim guides\` has the same accident at every step. Tests below \`test/e2e/release\` are run by \`npm run test:release\`, the others by \`npm test\`.`,
    table(["page", "blocks", "run by", "accident", "not run here"], Object.keys(GUIDES).map(rowOf)),
  ].join("\n\n"),
});

function rowOf(path: string): string[] {
  const blocks = blocksOf(path);
  const places = [...new Set(blocks.map((block) => elsewhere(path, block) ?? WALKS))];
  const isHere = (place: string): boolean => !place.startsWith(NOT);
  const files = places.filter(isHere).map(code);
  return [
    `[${path}](../${path}.md)`,
    String(blocks.length),
    (files.length === 0 ? [code(WALKS)] : files).join(", "),
    GUIDES[path]?.accident ?? "none",
    places.flatMap((place) => (isHere(place) ? [] : [place.slice(NOT.length)])).join("; "),
  ];
}

const VERSIONS = "docs/guides/versions.md";

/** The guide to versions, with what the tests try on every engine that is there. */
export function versionsPage(): Generated {
  const { tofu, terraform, "terraform-oldest": oldest } = readManifest();
  const released = oldest?.release?.address.split("/").at(-1);
  const rows = FEATURES.map(({ name, since }) => [
    name,
    since.terraform ?? "none",
    since.tofu ?? "none",
  ]);
  const tried = `Every row is tried with Terraform ${terraform?.version} and ${released} (where that is not available, ${oldest?.version}) and with OpenTofu ${tofu?.version}: what a version has is used, and what it lacks is refused.`;
  const part = `${table(["what", "Terraform since", "OpenTofu since"], rows)}\n\n${tried}`;
  return { [VERSIONS]: between(VERSIONS, "features", part) };
}
