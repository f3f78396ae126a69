/** The import table of docs/ARCHITECTURE.md, from the rules that `npm run check imports` enforces. */
import { between, code, table } from "../markdown";
import type { Generated } from "../files";

const PAGE = "docs/ARCHITECTURE.md";

/** What each room holds, in the order in which data flows. Every room of a rule has a line. */
const HOLDS: Readonly<Record<string, string>> = {
  "provider/messages/": "what erphost says to people, as data, with its English in one catalogue",
  "provider/start/":
    "what an entry checks before it loads anything else: Node.js, and packages that are optional",
  "provider/contract/": "what the service says: data only, one file per resource in `resources/`",
  "provider/settings/": "everything that can be configured, in one table",
  "provider/client/":
    "the typed client: a chain of steps with one job each; walks, absence, pacing",
  "provider/resources/":
    "the infrastructure reading of the contract: kinds, options, what makes an input wrong, what forces replacement, rotates or needs a scope; derived where it can be",
  "provider/engine/":
    "the life of an object, for any host: values may be unknown or secret, state has a private part",
  "provider/plans/": "what the engines' plans say, read from their JSON; policies about them",
  "provider/grpc/": "gRPC over HTTP/2 and Protocol Buffers, for the plugins of both faces",
  "provider/pulumi/": "face: dynamic resources (`dynamic/`) and the provider plugin (`plugin/`)",
  "provider/terraform/": "face: plugin protocol 6, for Terraform and OpenTofu",
  "cdktf-bindings/": "constructs for CDKTF and cdktn: generated L1, written L2 and patterns",
  "emulator/": "the service on Hono and SQLite, written from the contract",
  "emulator/dashboard/": "the emulator's page: what it shows, and forms from the contract",
  "cli/": "the `erphost` command",
};

/** A rule as dependency-cruiser reads it, as far as the table needs it. */
interface Rule {
  readonly comment: string;
  readonly from: { readonly path?: string | readonly string[] };
  readonly to: { readonly pathNot?: string | readonly string[] };
}

/** The page with its table as the rules are now. */
export const architecture = (): Generated => ({ [PAGE]: between(PAGE, "imports", importTable()) });

function importTable(): string {
  // A configuration in JavaScript: this is the shape that the tool itself demands of it.
  const { forbidden } = require("../../../.dependency-cruiser.cjs") as {
    forbidden: readonly Rule[];
  };
  const rules = new Map(
    forbidden.flatMap((rule) => {
      const { path } = rule.from;
      const room = typeof path === "string" ? /^\^([a-z/-]+\/)$/.exec(path)?.[1] : undefined;
      return room === undefined || rule.to.pathNot === undefined ? [] : [[room, rule] as const];
    }),
  );
  const unsaid = [...rules.keys()].filter((room) => !Object.hasOwn(HOLDS, room));
  if (unsaid.length > 0) throw new Error(`${PAGE}: say what ${unsaid.join(", ")} holds`);
  return table(
    ["Room", "Holds", "May import", "Why"],
    Object.entries(HOLDS).map(([room, holds]) => {
      const rule = rules.get(room);
      if (!rule) throw new Error(`${PAGE}: no rule says what ${room} may import`);
      return [code(room), holds, importsOf(room, rule), rule.comment];
    }),
  );
}

function importsOf(room: string, { to: { pathNot = [] } }: Rule): string {
  const patterns = typeof pathNot === "string" ? [pathNot] : pathNot;
  const names = patterns.flatMap(namesOf).filter((name) => name !== room);
  return names.length === 0 ? "nothing" : [...new Set(names)].map(code).join(", ");
}

/** `^provider/engine/index\.ts$` → `provider/engine/`; a pattern of packages gives each of them. */
function namesOf(pattern: string): string[] {
  const [, alternatives] = /^\^node_modules\/.*\?\(\?:([^()]+)\)\(/.exec(pattern) ?? [];
  if (alternatives !== undefined) return alternatives.split("|");
  const plain = pattern.replace(/^\^|\$$/g, "").replace(/\\/g, "");
  const [, folder, choice] = /^(.*\/)\(\?:([^()]+)\)\.ts$/.exec(plain) ?? [];
  if (folder !== undefined && choice !== undefined) {
    return choice.split("|").map((name) => (name === "index" ? folder : `${folder}${name}.ts`));
  }
  return [plain.replace(/index\.ts$/, "").replace(/^\(\?:node:\)\?/, "node:")];
}
