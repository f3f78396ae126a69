/** Models as schemas of the protocol. */
import { IDENTITY_VERSION, identityMember } from "../values/dynamic";
import { attributeNamed, type Attribute, type Mode, type ResourceModel } from "./model";
import { PROVIDER, TIMEOUTS } from "../names";
import { typeJson } from "./types";
import { StringKind, NestingMode } from "../wire/messages.gen";
import type { IdentitySchema, Schema, SchemaAttribute } from "../wire/messages.gen";
import type { SchemaNestedBlock } from "../wire/messages.gen";

const modes = { single: NestingMode.single, list: NestingMode.list, set: NestingMode.set } as const;
const flags: Readonly<Record<Mode, Partial<SchemaAttribute>>> = {
  required: { required: true },
  optional: { optional: true },
  computed: { computed: true },
  "optional-computed": { optional: true, computed: true },
};

/** One attribute; a nested one describes its members instead of a type. */
const renderAttribute = (attribute: Attribute): SchemaAttribute => ({
  name: attribute.name,
  ...(attribute.nested
    ? {
        nested_type: {
          attributes: attribute.nested.attributes.map(renderAttribute),
          nesting: modes[attribute.nested.nesting],
        },
      }
    : { type: typeJson(attribute.type) }),
  ...flags[attribute.mode],
  ...(attribute.sensitive && { sensitive: true }),
  ...(attribute.writeOnly && { write_only: true }),
  description: attribute.doc,
  description_kind: StringKind.markdown,
});

export const renderSchema = (
  attributes: readonly Attribute[],
  doc: string,
  blocks: readonly SchemaNestedBlock[] = [],
): Schema => ({
  version: SCHEMA_VERSION,
  block: {
    attributes: attributes.map(renderAttribute),
    block_types: blocks,
    description: doc,
    description_kind: StringKind.markdown,
  },
});

/** Version of every schema; a state of a later one was written by a later release. */
export const SCHEMA_VERSION = 0;

export const renderResource = (model: ResourceModel): Schema =>
  renderSchema(
    model.attributes,
    model.kind.doc,
    model.timeouts.length === 0 ? [] : [timeoutsBlock(model)],
  );

/** Every identity has one member, which is all that an import needs. */
export function renderIdentity(model: ResourceModel): IdentitySchema {
  const name = identityMember(model);
  return {
    version: IDENTITY_VERSION,
    identity_attributes: [
      {
        name,
        type: typeJson("string"),
        required_for_import: true,
        description: attributeNamed(model.attributes, name)?.doc ?? "",
      },
    ],
  };
}

const timeoutsBlock = ({ timeouts }: ResourceModel): SchemaNestedBlock => ({
  type_name: TIMEOUTS,
  nesting: NestingMode.single,
  block: {
    attributes: timeouts.map((operation) =>
      renderAttribute({
        name: operation,
        type: "string",
        mode: "optional",
        doc: `How long to wait after ${operation} until the object is ready, such as \`90s\`, \`5m\` or \`1h30m\`; default \`20m\`. Waits for the quota do not count.`,
      }),
    ),
    description: `How long operations of ${PROVIDER} may wait.`,
    description_kind: StringKind.markdown,
  },
});
