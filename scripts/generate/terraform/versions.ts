/** The table of versions in the guide: what the tests try on every engine that is there. */
import { FEATURES } from "../../../test/e2e/support/features";
import { between } from "../between";
import { readManifest } from "../../engines/cache.cjs";
import type { Generated } from "../files";

const PAGE = "docs/guides/versions.md";

export function versionsPage(): Generated {
  const { tofu, terraform, "terraform-oldest": oldest } = readManifest();
  const released = oldest?.release?.address.split("/").at(-1);
  const rows = FEATURES.map(
    ({ name, since }) => `| ${name} | ${since.terraform ?? "none"} | ${since.tofu ?? "none"} |`,
  );
  return {
    [PAGE]: between(
      PAGE,
      "features",
      [
        "| what | Terraform since | OpenTofu since |\n| --- | --- | --- |",
        ...rows,
        `\nEvery row is tried with Terraform ${terraform?.version} and ${released} (where that is not available, ${oldest?.version}) and with OpenTofu ${tofu?.version}: what a version has is used, and what it lacks is refused.`,
      ].join("\n"),
    ),
  };
}
