/** `docs/reference/licences.md`: what is installed, packed or used, and under which licence. */
import { npmPackages, otherComponents, type Component } from "../../supply-chain/licences.cjs";
import type { Generated } from "../files";
import { header, page, table } from "../markdown";

const RARE_MAX = 12;

/** Each licence with how many packages it has, and with their names where they are few. */
const counted = (components: readonly Component[]): string[][] =>
  [...Map.groupBy(components, ({ licence }) => licence)]
    .map(([licence, some]) => ({ licence, names: new Set(some.map(({ name }) => name)) }))
    .sort((one, other) => other.names.size - one.names.size)
    .map(({ licence, names: { size }, names }) => {
      return [licence, `${size}`, size > RARE_MAX ? "" : [...names].sort().join(", ")];
    });

const listed = (what: string, components: readonly Component[], use: Component["use"]): string =>
  table(
    [what, "version", "licence"],
    components
      .filter((one) => one.use === use)
      .map(({ name, version, licence }) => [name, version, licence]),
  );

/** What npm installs, what is packed, and the tools, each with its licence. */
export function licencesDocs(): Generated {
  const npm = npmPackages();
  const others = otherComponents();
  return {
    "docs/reference/licences.md": page(
      header("package-lock.json and scripts/supply-chain/"),
      "# Licences",
      "erphost is under the [Apache License 2.0](../../LICENSE). `npm run check licences` holds what it depends on against a list of licences that are allowed: the permissive ones for what users get, a few more for the tools of developers. `npm sbom` lists the same for machines, and each release has it as `sbom.cdx.json`.",
      "## Installed with the npm package",
      listed("package", npm, "installed"),
      "The packages that a program brings itself (`@pulumi/pulumi`, `cdktf`, `cdktn`, `constructs`) are under Apache-2.0 or MPL-2.0 and are not part of erphost. The plugin's SDKs ask for Pulumi's own SDK of their language, which is under Apache-2.0.",
      "## Packed into the executables",
      "The Pulumi plugin and the Terraform provider hold the packages above and:",
      listed("component", others, "packed"),
      "Node.js itself holds V8, OpenSSL, ICU and others; the LICENSE file of its release lists them all.",
      "## Tools of developers",
      "None of these is handed on. Programs that tests, checks and demos start:",
      listed("program", others, "tool"),
      "npm packages, those with a rare licence by name:",
      table(["licence", "packages", ""], counted(npm.filter(({ use }) => use === "tool"))),
    ),
  };
}
