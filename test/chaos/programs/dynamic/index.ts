/** Declares the objects in `objects.json` next to it: a list of kind, name and inputs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type * as pulumi from "@pulumi/pulumi";
import * as erphost from "erphost/pulumi";

interface Declared {
  readonly kind: keyof typeof classes;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly order?: string;
}

const classes = {
  server: erphost.Server,
  instance: erphost.Instance,
  backup: erphost.Backup,
  team: erphost.Team,
  api_key: erphost.ApiKey,
  api_key_rotation: erphost.ApiKeyRotation,
} as const;

type ResourceClass = new (
  name: string,
  args: object,
  options: pulumi.CustomResourceOptions,
) => pulumi.CustomResource;

const resources = new Map<string, pulumi.CustomResource>();

/** `{ $ref: "name" }` is the id of an object declared before. */
const resolved = (value: unknown): unknown => {
  const name = (value as { $ref?: string } | null)?.$ref;
  return name === undefined ? value : resources.get(name)?.id;
};

// Written by the trial that runs this program.
const text = readFileSync(join(__dirname, "objects.json"), "utf8");
for (const { kind, name, args, order } of JSON.parse(text) as Declared[]) {
  const inputs = Object.entries(args).map(([key, value]) => [key, resolved(value)] as const);
  // Each class has its own inputs; the service checks them.
  const options = order === undefined ? {} : { deleteBeforeReplace: order === "delete first" };
  const resource = classes[kind] as unknown as ResourceClass;
  resources.set(name, new resource(name, Object.fromEntries(inputs), options));
}
