/** What the official generators get wrong, mended in the text that they write. */

/**
 * A generated file, mended:
 * - Attributes that hold objects are not blocks: as blocks, `cdktf synth --hcl` writes what Terraform
 *   refuses.
 * - Lists in free maps stay lists in HCL, which the library writes as objects.
 * - Nested values are made when they are first used. Each records a stack trace, which takes longer
 *   than the rest of a resource.
 * - No link leads to a registry, where this provider is not.
 */
export function mended(source: string, objectAttributes: readonly string[]): string {
  let text = source
    .replace(/ \*\n +\* Docs at Terraform Registry: .*\n +/g, " ")
    .replace(/\{@link https:\/\/registry\.terraform\.io\/\S+ ([^}]+)\}/g, "$1")
    .replace(/^\/\/ https:\/\/registry\.terraform\.io\/.*\n/m, "");
  for (const name of objectAttributes) {
    text = text.replace(
      new RegExp(`(\\n {6}${name}: \\{\\n.*\\n {8}isBlock: )true`),
      (_, before: string) => `${before}false`,
    );
  }
  return withHclLists(withLazyValues(text));
}

const withLazyValues = (source: string): string =>
  source
    .replace(
      /private _(\w+) = new ([\w.]+)(\(this, .*\));/g,
      "private _$1Made?: $2;\n  private get _$1() {\n    return (this._$1Made ??= new $2$3);\n  }",
    )
    .replace(
      /this\._(\w+)\.internalValue = (config\.\w+);/g,
      "if ($2 !== undefined) this._$1.internalValue = $2;",
    )
    .replace(/(\(|return )this\._(\w+)\.internalValue(?=[);])/g, "$1this._$2Made?.internalValue");

function withHclLists(source: string): string {
  const text = source.replace(
    /(cdkt[fn]\.hashMapperHcl\(cdkt[fn]\.anyToHclTerraform\)\(this\._\w+\))/g,
    "hclMap($1)",
  );
  return text === source
    ? source
    : text.replace(/^import \* as cdkt/m, "import { hclMap } from '../../hcl';\n$&");
}
