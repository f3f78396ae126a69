/** The schema of the package, made from the definitions: what every language's SDK is made from. */
import { camel } from "../../../contract";
import { kinds, lookups, type Kind, type KindField } from "../../../resources";
import { describeSetting, settings, variableOf, type Setting } from "../../../settings";
import { docText } from "../../voice";
import { isNamed } from "../values/autoname";
import { installation, installationToken } from "../component/definition";
import { PACKAGE, typeToken } from "../values/tokens";
import { examplesOf } from "./examples";
import { functionsOf } from "./functions";
import { languages } from "./languages";
import type { FunctionSpec, PackageSpec, PropertySpec, ResourceSpec } from "./spec";
import { propertyOf, type NamedTypes } from "./types";

/** @param version of the package, as `package.json` says it */
export function renderSchema(version: string): PackageSpec {
  const types: NamedTypes = new Map();
  const resources = Object.fromEntries([
    ...Object.values(kinds).map((kind) => [typeToken(kind), resourceOf(types, kind)] as const),
    [installationToken, installation()] as const,
  ]);
  const functions: Record<string, FunctionSpec> = functionsOf(types, lookups);
  return {
    name: PACKAGE,
    displayName: "ERP hosting",
    version,
    description:
      "Servers, instances, backups, teams and API keys of a hosted-ERP service, declared in any Pulumi language.",
    keywords: ["pulumi", "erp", "hosting", "category/infrastructure", "kind/native"],
    license: "Apache-2.0",
    meta: { moduleFormat: "(.*)" },
    language: languages,
    config: { variables: settingProperties() },
    provider: {
      description:
        "Which account of the service the resources belong to. What is left out comes from the environment.",
      inputProperties: settingProperties(),
      // The provider's own properties are text, as Pulumi keeps them.
      properties: Object.fromEntries(
        Object.entries<Setting>(settings)
          .filter(([, { type }]) => type === "string")
          .map(([key, setting]) => [key, settingProperty(key, setting)]),
      ),
    },
    types: Object.fromEntries(types),
    resources,
    functions,
  };
}

const settingProperties = (): Record<string, PropertySpec> =>
  Object.fromEntries(
    Object.entries<Setting>(settings).map(([key, setting]) => [key, settingProperty(key, setting)]),
  );

const settingProperty = (name: string, setting: Setting): PropertySpec => ({
  ...(setting.type === "strings"
    ? { type: "array", items: { type: "string" } }
    : { type: setting.type }),
  description: describeSetting(setting),
  ...(setting.secret && { secret: true }),
  // Pulumi fills in no lists from the environment; the provider reads the variable itself.
  ...(setting.type !== "strings" && { defaultInfo: { environment: [variableOf(name)] } }),
});

function resourceOf(types: NamedTypes, kind: Kind): ResourceSpec {
  const named = isNamed(kind);
  const property = (name: string, field: KindField, extra: string) =>
    propertyOf(types, kind.title, name, field, docText(kind, field.doc) + extra);
  const required = kind.inputs.filter(([, { use }]) => use === "required");
  return {
    description: [docText(kind, kind.doc), limits(kind), examplesOf(kind)].join("\n\n"),
    properties: Object.fromEntries(
      Object.entries(kind.fields).map(([name, field]) => [
        camel(name),
        { ...property(name, field, ""), ...(replaces(kind, name) && { replaceOnChanges: true }) },
      ]),
    ),
    required: required.map(([name]) => camel(name)),
    inputProperties: Object.fromEntries(
      kind.inputs.map(([name, field]) => [
        camel(name),
        {
          ...property(name, field, named && name === "name" ? autonamed : ""),
          ...(replaces(kind, name) && { willReplaceOnChanges: true }),
        },
      ]),
    ),
    requiredInputs: required.flatMap(([name]) => (named && name === "name" ? [] : [camel(name)])),
  };
}

const autonamed = " Left out, it is the resource's own name and a random end.";

const replaces = (kind: Kind, name: string): boolean =>
  kind.fields[name]?.immutable === true || (kind.reading.replaceOn ?? []).includes(name);

/** What a reader must know before the first use, and where the object is imported from. */
function limits(kind: Kind): string {
  const { exactlyOne } = kind.reading;
  const one = exactlyOne
    ? `Give exactly one of ${exactlyOne.map((name) => `\`${camel(name)}\``).join(" and ")}. `
    : "";
  const importing =
    kind.resource === undefined
      ? "It cannot be imported because it is a declaration, not an object in the service."
      : `Import by id or by name: \`pulumi import ${typeToken(kind)} NAME ID\`, or \`name=…\` in place of the id.`;
  return `${one}${importing}`;
}
