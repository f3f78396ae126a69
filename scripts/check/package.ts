/** What npm would publish, looked at as its users will. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, inTurn, tool } from "./command";
import type { Finding } from "./run-all";
import { copyCheckout } from "./tracked";

/** Nothing but these may be in the package. */
const EXPECTED =
  /^package\/(?:dist\/(?:provider|cdktf-bindings|emulator|cli)\/|schema\.json$|package\.json$|README\.md$|LICENSE$)/;

/**
 * Builds and packs a copy of the checkout, so that nobody's `dist/` is touched, and lets publint and
 * attw look at the archive.
 */
export async function checkPackage(root: string): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-pack-"));
  const copy = join(folder, "checkout");
  const archive = () =>
    join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "none.tgz");
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  try {
    copyCheckout(root, copy);
    return await inTurn([
      () => tool(copy, ["-r", "ts-node/register", "scripts/build.ts"]),
      () => command(copy, "npm", pack),
      () => contents(root, archive()),
      () => tool(root, ["node_modules/publint/src/cli.js", archive(), "--strict"]),
      () => tool(root, [ATTW, archive(), "--profile", PROFILE, "--no-color", "--no-emoji"]),
      () => tool(copy, ["dist/cli/main.js", "--version"]),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ATTW = "node_modules/@arethetypeswrong/cli/dist/index.js";
/** Subpaths need a resolver that knows `exports`, which every supported Node.js has. */
const PROFILE = "node16";

async function contents(root: string, archive: string): Promise<Finding> {
  const listing = await command(root, "tar", ["-tzf", archive]);
  if (!listing.ok) return listing;
  const odd = listing.output.split("\n").filter((name) => name !== "" && !EXPECTED.test(name));
  return {
    ok: odd.length === 0,
    output: odd.map((name) => `${name} is not to be published.`).join("\n"),
  };
}
