/** The programs in the documents of the constructs, and what they synthesise. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../..");

/** Program by the place that it begins at. */
export const documented: Readonly<Record<string, string>> = Object.fromEntries(
  ["docs/cdktf/index.md", "docs/cdktf/reference.md"].flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => [
      `${page}:${text.slice(0, match.index).split("\n").length + 1}`,
      match[1] ?? "",
    ]);
  }),
);

/** Where a program finds the packages that it names: in the checkout. */
const packages: Readonly<Record<string, string>> = {
  cdktf: require.resolve("cdktf"),
  cdktn: require.resolve("cdktn"),
  "erphost/cdktf": join(root, "cdktf-bindings"),
  "erphost/cdktn": join(root, "cdktf-bindings/cdktn"),
};

/** Runs a program as it is, and gives the configuration of its stack. */
export function synthesised(program: string): string {
  const folder = mkdtempSync(join(tmpdir(), "erphost-documented-"));
  const outdir = process.env["CDKTF_OUTDIR"];
  process.env["CDKTF_OUTDIR"] = folder;
  try {
    const file = join(folder, "program.ts");
    const found = program.replace(/(?<=from )"([^"]+)"/g, (_, name: string) =>
      JSON.stringify(packages[name] ?? name),
    );
    writeFileSync(file, found);
    require(file);
    const stack = /new TerraformStack\(app, "(?<name>\w+)"\)/.exec(program)?.groups?.["name"];
    return readFileSync(join(folder, "stacks", String(stack), "cdk.tf.json"), "utf8");
  } finally {
    if (outdir === undefined) delete process.env["CDKTF_OUTDIR"];
    else process.env["CDKTF_OUTDIR"] = outdir;
    rmSync(folder, { recursive: true });
  }
}
