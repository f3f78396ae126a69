/** Validation of lookups: the provider's own check of what they select by, before any plan. */
import type { TerraformDataSource } from "cdktf";
import type { IConstruct } from "constructs";
import { isRecord, type Resource, type Values } from "../../provider/contract";
import { say, type Voice } from "../../provider/messages";
import { checkSelection, lookups, type LookupForm } from "../../provider/resources";
import { valuesIn } from "./block";

/** Lookups that have a validation already. */
const validated = new WeakSet<TerraformDataSource>();

/** Validates a lookup once, in synthesis; faults have the construct's path. */
export function validateSelection(of: IConstruct, data: TerraformDataSource, voice: Voice): void {
  const lookup = lookupOf(data);
  if (lookup === undefined || validated.has(data)) return;
  validated.add(data);
  const { resource, form } = lookup;
  const subject = { kind: resource.name };
  of.node.addValidation({
    validate: () =>
      checkSelection(resource, form, valuesIn(argumentsOf(data))).issues.map(
        (issue) => say(voice, { ...issue, subject }).sentence,
      ),
  });
}

/** What one of this provider's data sources looks up; undefined for the key in use. */
export function lookupOf({
  terraformResourceType: type,
}: TerraformDataSource): { resource: Resource; form: LookupForm } | undefined {
  const one = lookups.find(({ name }) => type === `erphost_${name}`);
  if (one) return { resource: one, form: "one" };
  const many = lookups.find(({ plural }) => type === `erphost_${plural}`);
  return many && { resource: many, form: "many" };
}

/** The arguments that a program has given. Without an override, which replaces any of them. */
export function argumentsOf(data: TerraformDataSource): Values {
  const overrides: unknown = Reflect.get(data, "rawOverrides");
  const synthesize: unknown = Reflect.get(data, "synthesizeAttributes");
  const attributes: unknown =
    typeof synthesize === "function" ? Reflect.apply(synthesize, data, []) : {};
  return { ...(isRecord(attributes) && attributes), ...(isRecord(overrides) && overrides) };
}
