/** The component "an ERP installation": its inputs and outputs, for the schema and for Construct. */
import { camel, shapeOf } from "../../../contract";
import { kinds } from "../../../resources";
import { componentExamples } from "../schema/examples";
import type { PropertySpec, ResourceSpec } from "../schema/spec";
import { SchemaTypes } from "../schema/types";
import { PACKAGE } from "../values/tokens";

export const installationToken = `${PACKAGE}:index:Installation`;

/** Inputs that are passed on to the component's resources: kind, field, and the input's name. */
export const passedOn = [
  { kind: "server", field: "properties", as: "serverProperties" },
  { kind: "server", field: "deletion_protection", as: "deletionProtection" },
  { kind: "instance", field: "version", as: "version" },
  { kind: "instance", field: "edition", as: "edition" },
  { kind: "instance", field: "properties", as: "properties" },
  { kind: "instance", field: "secret_properties", as: "secretProperties" },
  { kind: "instance", field: "deletion_protection", as: "deletionProtection" },
  { kind: "instance", field: "backup_before_upgrade", as: "backupBeforeUpgrade" },
  { kind: "backup", field: "triggers", as: "backupTriggers" },
] as const;

const text = (description: string): PropertySpec => ({ type: "string", description });

function passed({ kind, field, as }: (typeof passedOn)[number]): PropertySpec {
  const definition = kinds[kind]?.fields[field];
  if (!definition)
    throw new Error(`the component passes ${field} to ${kind}, which does not have that field`);
  const all = passedOn
    .filter((each) => each.as === as)
    .map(
      (each) => `the ${each.kind}${each.kind === "server" ? " that the component creates" : ""}`,
    );
  return {
    ...new SchemaTypes().typeOf(kind, field, shapeOf(definition.schema)),
    description: `\`${camel(field)}\` of ${all.join(" and ")}: ${definition.doc}`,
    ...(definition.secret && { secret: true }),
  };
}

export function installation(): ResourceSpec {
  return {
    isComponent: true,
    description: [
      "A whole ERP installation: a server, unless there is one already, an instance on it, and a backup whenever `backupTriggers` change.",
      componentExamples(
        { name: "installation", title: "Installation", token: installationToken },
        { name: "shop", version: "17.0" },
      ),
    ].join("\n\n"),
    inputProperties: {
      name: text("Name of the server and of the instance; default the component's own name."),
      serverId: text("An existing server to install on. If omitted, the component creates one."),
      ...Object.fromEntries(passedOn.map((each) => [each.as, passed(each)])),
    },
    properties: {
      serverId: text("Server that the installation runs on."),
      instanceId: text("The instance."),
      status: text("State of the instance."),
      backupId: text("The latest backup; absent without `backupTriggers`."),
    },
    required: ["serverId", "instanceId", "status"],
  };
}
