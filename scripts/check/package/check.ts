/** What npm would publish, looked at as its users will. */
import { packed } from "../../release/pack";
import { bundled } from "../../supply-chain/lock-file.cjs";
import { command, inTurn, tool, type Finding } from "../run-all";
import { ALONE, PEERS, Project, tryFaces, tryWithoutPeers, WITH_PEERS } from "./faces";
import type { Dependencies } from "./faces";

/** Nothing but these, and the packages that are bundled, may be in the package. */
const EXPECTED =
  /^package\/(?:dist\/(?:provider(?!\/terraform)|cdktf-bindings|emulator|cli)\/|schema\.json$|policies\/[a-z]+\.rego$|package\.json$|README\.md$|LICENSE$)/;

const ATTW = "node_modules/@arethetypeswrong/cli/dist/index.js";

/** Packs the checkout, lets publint and attw look at it, and installs it into empty folders. */
export async function checkPackage(root: string): Promise<Finding> {
  const archive = await packed(root);
  return inTurn([
    () => contents(root, archive),
    () => tool(root, ["node_modules/publint/src/cli.js", archive, "--strict"]),
    () => tool(root, [ATTW, archive, "--profile", "strict", "--no-color", "--no-emoji"]),
    () =>
      inProject(archive, {}, async (project) => [
        ...(await tryFaces(project, ALONE, process.execPath)),
        ...(await tryWithoutPeers(project, process.execPath)),
      ]),
    () => inProject(archive, PEERS, (project) => tryFaces(project, WITH_PEERS, process.execPath)),
  ]);
}

async function contents(root: string, archive: string): Promise<Finding> {
  const listing = await command(root, "tar", ["-tzf", archive]);
  if (!listing.ok) return listing;
  const names = listing.output.split("\n").filter((name) => name !== "");
  const brought = bundled().map((folder) => `package/${folder}/`);
  const isOfThem = (name: string) => brought.some((folder) => name.startsWith(folder));
  const odd = names.filter((name) => !EXPECTED.test(name) && !isOfThem(name));
  const lost = brought.filter((folder) => !names.includes(`${folder}package.json`));
  return findingOf([
    ...odd.map((name) => `${name} is not to be published.`),
    ...lost.map((folder) => `${folder} is missing.`),
  ]);
}

async function inProject(
  archive: string,
  others: Dependencies,
  wrongIn: (project: Project) => Promise<string[]>,
): Promise<Finding> {
  const project = await Project.install(archive, others);
  try {
    return findingOf(await wrongIn(project));
  } finally {
    project.remove();
  }
}

const findingOf = (wrong: readonly string[]): Finding => ({
  ok: wrong.length === 0,
  output: wrong.join("\n\n"),
});
