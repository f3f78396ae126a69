/** Objects in a state, as Terraform, OpenTofu and Pulumi export one. */
import { isRecord, jsonOf, ownMember, recordsIn } from "../../../provider/contract";
import { stated, type Values } from "../../../provider/contract";
import { kinds } from "../../../provider/resources";
import type { DeclaredName } from "../program/model";
import type { KnownObjects } from "./known";

/** Modules in modules are followed this far. */
const DEPTH_MAX = 100;

/**
 * Tells what a state has. Understood are `terraform state pull`, a state file, `terraform show -json`
 * of a state, and `pulumi stack export`.
 * @throws InvalidInput where the text is none of them
 */
export function addState(known: KnownObjects, file: string, text: string): void {
  const state = jsonOf(text);
  if (isRecord(state)) {
    const { resources, values, deployment } = state;
    if (Array.isArray(resources)) return addStateFile(known, resources);
    if (isRecord(deployment)) return addDeployment(known, deployment["resources"]);
    if (isRecord(values)) return addModule(known, values["root_module"], true);
    // What `show -json` prints where there is no state yet.
    if (typeof state["format_version"] === "string" && state["planned_values"] === undefined)
      return;
  }
  const encrypted = isRecord(state) && state["encrypted_data"] !== undefined;
  const what = encrypted ? "encrypted" : "not a state of Terraform, OpenTofu or Pulumi";
  const remedy =
    "Write one with `terraform show -json`, `tofu show -json` or `pulumi stack export`.";
  throw stated("import", ["--state"], `names ${file}, which is ${what}`, remedy);
}

const TERRAFORM_TYPE = /^erphost_(\w+)$/;

function addStateFile(known: KnownObjects, resources: readonly unknown[]): void {
  for (const { mode, type, name, module, instances } of recordsIn(resources)) {
    for (const { attributes, index_key: key } of recordsIn(instances)) {
      if (mode !== "managed" || !isRecord(attributes)) continue;
      const place = module === undefined ? declaredNameOf(name, key) : undefined;
      addTerraform(known, type, attributes, place);
    }
  }
}

function addModule(known: KnownObjects, module: unknown, isRoot: boolean, depth = 0): void {
  if (!isRecord(module) || depth > DEPTH_MAX) return;
  for (const { mode, type, name, index, values } of recordsIn(module["resources"])) {
    if (mode !== "managed" || !isRecord(values)) continue;
    addTerraform(known, type, values, isRoot ? declaredNameOf(name, index) : undefined);
  }
  for (const child of recordsIn(module["child_modules"])) addModule(known, child, false, depth + 1);
}

/** Of an object with a number, as `count` makes it, only the id counts. */
const declaredNameOf = (name: unknown, key: unknown): DeclaredName | undefined =>
  typeof name !== "string" || typeof key === "number"
    ? undefined
    : { name, key: typeof key === "string" ? key : undefined };

function addTerraform(
  known: KnownObjects,
  type: unknown,
  values: Values,
  place: DeclaredName | undefined,
): void {
  const kind = typeof type === "string" ? TERRAFORM_TYPE.exec(type)?.[1] : undefined;
  if (kind === undefined) return;
  const { id, current_key_id: current } = values;
  if (typeof id !== "string") return;
  known.add(kind, id, { in: "state", place }, typeof current === "string" ? current : undefined);
}

/** Both of Pulumi's forms name the class last: `erphost:index:Server`. */
function addDeployment(known: KnownObjects, resources: unknown): void {
  for (const { type, id, outputs } of recordsIn(resources)) {
    if (typeof type !== "string" || !/^(?:erphost|pulumi-nodejs):/.test(type)) continue;
    const title = type.split(":").at(-1);
    const kind = Object.values(kinds).find((each) => each.title === title);
    if (!kind || typeof id !== "string") continue;
    const current = isRecord(outputs) ? ownMember(outputs, "currentKeyId") : undefined;
    const alias = typeof current === "string" ? current : undefined;
    known.add(kind.name, id, { in: "state", place: undefined }, alias);
  }
}
