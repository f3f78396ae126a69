/** The list of components of a release, for machines: CycloneDX. */
import * as z from "zod";
import type { Component } from "../supply-chain/licences.cjs";

const named = z.looseObject({ "bom-ref": z.string() });

/** The members of npm's list that change; the others stay as npm wrote them. */
const listSchema = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ name: z.string() }) }),
  components: z.array(named),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

/**
 * npm's own list has the tools of developers as well, and where it leaves them out, it leaves out
 * what they share with the package.
 * @param text what `npm sbom --sbom-format cyclonedx` printed
 * @param components everything, with what it is used for
 * @returns JSON with what users install and what executables hold
 */
export function releasedComponents(text: string, components: readonly Component[]): string {
  const list = listSchema.parse(JSON.parse(text.slice(text.indexOf("{"))));
  const refs = new Set(
    components
      .filter(({ use }) => use === "installed")
      .map(({ name, version }) => `${name}@${version}`),
  );
  const kept = list.components.filter((component) => refs.has(component["bom-ref"]));
  const lost = [...refs].filter((ref) => !kept.some((component) => component["bom-ref"] === ref));
  if (lost.length > 0) throw new Error(`npm sbom does not list ${lost.join(", ")}`);
  const packed = components
    .filter(({ use }) => use === "packed")
    .map(({ name, version, licence }) => ({
      "bom-ref": `${name}@${version}`,
      type: name === "Node.js" ? "platform" : "library",
      name,
      version,
      licenses: [{ expression: licence }],
    }));
  // npm takes the name from the folder of the checkout.
  list.metadata.component.name = "erphost";
  const result = {
    ...list,
    components: [...kept, ...packed],
    dependencies: list.dependencies
      .filter(({ ref }) => refs.has(ref) || ref.startsWith("erphost@"))
      .map((each) => ({ ...each, dependsOn: each.dependsOn.filter((ref) => refs.has(ref)) })),
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}
