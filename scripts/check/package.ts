/** What npm would publish, looked at as its users will. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, inTurn, tool } from "./command";
import type { Finding } from "./run-all";

/** Nothing but these may be in the package. */
const EXPECTED =
  /^package\/(?:dist\/(?:provider|cdktf-bindings|emulator|cli)\/|schema\.json$|package\.json$|README\.md$|LICENSE$)/;

/** Builds, packs into a temporary folder, and lets publint and attw look at the archive. */
export async function checkPackage(root: string): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-pack-"));
  try {
    const archive = () =>
      join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
    return await inTurn([
      () => build(root),
      () =>
        command(root, "npm", [
          "pack",
          "--ignore-scripts",
          "--silent",
          "--pack-destination",
          folder,
        ]),
      () => contents(root, archive()),
      () => tool(root, ["node_modules/publint/src/cli.js", archive(), "--strict"]),
      () =>
        tool(root, [
          "node_modules/@arethetypeswrong/cli/dist/index.js",
          archive(),
          // Subpaths need a resolver that knows `exports`, which every supported Node.js has.
          "--profile",
          "node16",
          "--no-color",
        ]),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function build(root: string): Promise<Finding> {
  if (!existsSync(join(root, "scripts/build.ts"))) {
    return { ok: false, output: "scripts/build.ts is not there, so there is nothing to pack." };
  }
  return tool(root, ["-r", "ts-node/register", "scripts/build.ts"]);
}

async function contents(root: string, archive: string): Promise<Finding> {
  const listing = await command(root, "tar", ["-tzf", archive]);
  if (!listing.ok) return listing;
  const odd = listing.output.split("\n").filter((name) => name !== "" && !EXPECTED.test(name));
  return {
    ok: odd.length === 0,
    output: odd.map((name) => `${name} is not to be published.`).join("\n"),
  };
}
