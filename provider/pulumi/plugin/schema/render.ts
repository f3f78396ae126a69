/** The schema of the package, derived from the definitions. Every language's SDK is generated from it. */
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
import { SchemaTypes } from "./types";
import type { Release } from "../version";

export function renderSchema({ version, home }: Release): PackageSpec {
  const types = new SchemaTypes();
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
    ...(home !== undefined && placesOf(home, version)),
    meta: { moduleFormat: "(.*)" },
    language: languages,
    config: { variables: settingProperties() },
    provider: {
      description:
        "Which account of the service the resources belong to. Settings that are left out are read from the environment.",
      inputProperties: settingProperties(),
      // Pulumi stores the provider's own properties as text.
      properties: Object.fromEntries(
        Object.entries<Setting>(settings)
          .filter(([, { type }]) => type === "string")
          .map(([key, setting]) => [key, settingProperty(key, setting)]),
      ),
    },
    types: types.named,
    resources,
    functions,
  };
}

/** Where programs find the plugin, and people what it is made from. */
function placesOf(home: string, version: string): Readonly<Record<string, string>> {
  const [publisher = "", repository = ""] = new URL(home).pathname.split("/").slice(1);
  return {
    homepage: home,
    repository: home,
    publisher,
    // The form in which Pulumi asks GitHub for the release of the version.
    pluginDownloadURL: `github://api.github.com/${publisher}/${repository}`,
    logoUrl: `https://raw.githubusercontent.com/${publisher}/${repository}/v${version}/docs/logo.svg`,
    attribution: `The resources are made from the definitions in ${home}.`,
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
  // The plugin reads the variable: what an SDK fills in is kept in the state and sent anywhere.
  description: `${describeSetting(setting)} Where it is left out, the variable \`${variableOf(name)}\` counts.`,
  ...(setting.secret && { secret: true }),
});

function resourceOf(types: SchemaTypes, kind: Kind): ResourceSpec {
  const named = isNamed(kind);
  const property = (name: string, field: KindField, extra: string) =>
    types.property(kind.title, name, field, docText(kind, field.doc) + extra);
  const required = kind.inputs.filter(([, { use }]) => use === "required");
  return {
    description: [docText(kind, kind.doc), limits(kind), examplesOf(kind)].join("\n\n"),
    properties: Object.fromEntries(
      Object.entries(kind.fields).map(([name, field]) => [
        camel(name),
        { ...property(name, field, ""), ...(field.immutable && { replaceOnChanges: true }) },
      ]),
    ),
    required: Object.entries(kind.fields)
      .filter(([, { use, always }]) => use === "required" || always === true)
      .map(([name]) => camel(name)),
    inputProperties: Object.fromEntries(
      kind.inputs.map(([name, field]) => [
        camel(name),
        {
          ...property(name, field, named && name === "name" ? autonamed : ""),
          // What was imported without them is not replaced for these: SDKs must not ask for it.
          ...((field.immutable || kind.reading.replaceOn?.includes(name)) && {
            willReplaceOnChanges: true,
          }),
        },
      ]),
    ),
    requiredInputs: required.flatMap(([name]) => (named && name === "name" ? [] : [camel(name)])),
  };
}

const autonamed = " Defaults to the name of the resource and a random suffix.";

/** What a reader must know before the first use, and how to import an object. */
function limits(kind: Kind): string {
  const { exactlyOne } = kind;
  const one = exactlyOne
    ? `Set exactly one of ${exactlyOne.map((name) => `\`${camel(name)}\``).join(" and ")}. `
    : "";
  const importing =
    kind.resource === undefined
      ? "It cannot be imported because it is a declaration, not an object in the service."
      : `Import by id or by name: \`pulumi import ${typeToken(kind)} NAME ID\`, or \`name=…\` instead of the id.`;
  return `${one}${importing}`;
}
