/** What a page can make forms from: the contract with its profile, and the schemas of control calls. */
import * as z from "zod";
import { eventNames, jsonSchema } from "../../provider/contract";
import type { Contract, ResolvedResource } from "../../provider/contract";
import { faultSchema } from "../faults/effects";
import { fieldsOf, wire } from "../service/inventory";
import { clockSchema, newKeySchema, newWebhookSchema } from "./schema";

/** JSON Schemas: of the objects of each kind, of new keys and webhooks, and of a fault. */
export const formsOf = ({ resources }: Contract) => ({
  kinds: Object.values<ResolvedResource>(resources).map(kindOf),
  key: keyForm(resources.api_key),
  webhook: jsonSchema(newWebhookSchema),
  clock: jsonSchema(clockSchema),
  // As it is after reading, where an effect is an object: its name alone stands for its presets.
  fault: z.toJSONSchema(faultSchema, { io: "output", unrepresentable: "any" }),
  events: eventNames,
});

const kindOf = (resource: ResolvedResource) => {
  const { definition, states } = resource;
  return {
    kind: definition.name,
    plural: definition.plural,
    doc: definition.doc,
    names: resource.wireNames,
    states: states ? [states.initial, ...states.ready, ...states.failed, ...states.other] : [],
    schema: {
      properties: propertiesOf(resource, (name) => wire(resource, name)),
      required: fieldsOf(resource).flatMap(([key, { use }]) => (use === "required" ? [key] : [])),
    },
  };
};

/** What `POST /_emulator/keys` takes, in the order in which a person decides it. */
function keyForm(resource: ResolvedResource) {
  const all = propertiesOf(resource, (name) => name);
  const { name, permissions, expires_at, ...others } = all;
  const { environment, key_class } = jsonSchema(newKeySchema).properties ?? {};
  return {
    properties: { name, permissions, environment, expires_at, ...others, key_class },
    required: ["name", "permissions"],
  };
}

const propertiesOf = (
  { definition }: ResolvedResource,
  nameOf: (name: string) => string,
): Record<string, object> =>
  Object.fromEntries(
    Object.entries(definition.fields).map(([name, field]) => [
      nameOf(name),
      {
        ...jsonSchema(field.schema),
        description: field.doc,
        readOnly: field.use === "output",
        references: field.references,
        examples: field.example === undefined ? [] : [field.example],
      },
    ]),
  );
