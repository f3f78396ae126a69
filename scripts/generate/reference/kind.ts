/** The page of one kind. */
import { camel, resources, type Field, type Resource } from "../../../provider/contract";
import { inputFields, kinds, type Kind, type KindField } from "../../../provider/resources";
import { speak } from "../../../provider/pulumi/values";
import { bullets, code, fenced, header, listed, page, table } from "../markdown";
import { spoken } from "../contract/resources";
import { typeText } from "../types";

const resourceOf = (kind: Kind): Resource | undefined =>
  kind.resource === undefined ? undefined : resources[kind.resource];

const names = (words: readonly string[], joint?: string) =>
  listed(
    words.map((word) => code(camel(word))),
    joint,
  );

export function kindPage(kind: Kind, example: string): string {
  const inputs = inputFields(kind);
  const outputs = Object.entries(kind.fields).filter(([, field]) => field.use === "output");
  return page(
    header("provider/contract/ and provider/resources/"),
    `# ${kind.title}`,
    kind.doc,
    fenced("ts", example),
    "## Inputs",
    table(
      ["Name", "In the contract", "Type", "Given", "Meaning"],
      inputs.map(([name, field]) => row(kind, name, field, [given(kind, name, field)])),
    ),
    "## Outputs",
    "Every input is an output as well, and:",
    table(
      ["Name", "In the contract", "Type", "Meaning"],
      [
        ["`id`", "`id`", "string", idText(kind)],
        ...outputs.map(([name, field]) => row(kind, name, field, [])),
      ],
    ),
    "## Life",
    bullets(life(kind)),
    ...adoption(kind),
  );
}

function row(kind: Kind, name: string, field: KindField, more: readonly string[]): string[] {
  return [
    code(camel(name)),
    field.origin === "service" ? code(name) : "",
    typeText(field.schema),
    ...more,
    [speak(kind, field.doc), ...notes(kind, name, field)].join(" "),
  ];
}

const given = (kind: Kind, name: string, field: Field): string => {
  if (kind.reading.exactlyOne?.includes(name) === true) {
    return `exactly one of ${names(kind.reading.exactlyOne, "and")}`;
  }
  return field.use === "required" ? "always" : "optional";
};

/** What is on the field's line beyond its schema, as sentences. */
function notes(kind: Kind, name: string, field: KindField): string[] {
  const target = field.references === undefined ? undefined : kinds[field.references];
  return [
    replaces(kind, name, field) ? "**A change makes the object anew.**" : "",
    field.secret === true ? "**Secret:** encrypted in the state, never shown." : "",
    target ? `The id of ${article(target.title)} ${linkTo(target)}.` : "",
    field.unordered === true
      ? `The order does not matter${field.key === undefined ? "" : `; ${code(camel(field.key))} tells the elements apart`}.`
      : "",
    field.origin === "service" && field.source === "assumed"
      ? "Assumed: the contract does not show this field."
      : "",
  ].filter((note) => note !== "");
}

const replaces = (kind: Kind, name: string, field: Field): boolean =>
  field.use !== "output" &&
  (field.immutable || kind.reading.replaceOn?.includes(name) === true || noUpdate(kind, field));

/** Where the service changes nothing, every field of the service makes the object anew. */
const noUpdate = (kind: Kind, field: Field): boolean => {
  const resource = resourceOf(kind);
  return (
    resource !== undefined &&
    resource.operations.update === undefined &&
    Object.values(resource.fields).includes(field)
  );
};

const article = (word: string): string => (/^[AEIOU]/.test(word) ? "an" : "a");

const linkTo = (kind: Kind): string => `[${kind.title}](${kind.name.replace(/_/g, "-")}.md)`;

const idText = (kind: Kind): string =>
  kind.reading.rotates === "own-key"
    ? "Id of the first key of its line, the same for good; `currentKeyId` is the key that works now."
    : "Identifier, opaque.";

/** What happens to an object of this kind from creation to the end, a sentence each. */
function life(kind: Kind): string[] {
  const { reading } = kind;
  const resource = resourceOf(kind);
  const states = resource?.states;
  return [
    ...(states
      ? [
          `Creation waits until the state is ${listed(states.ready.map(code), "or")}; ${code("wait: false")} skips that. A wait that times out is a warning; ${listed(states.failed.map(code), "or")} is a failure.`,
        ]
      : []),
    ...(reading.rotates === undefined
      ? []
      : [
          "A rotation that is due shows in the plan as an update with its reason; the new secret is unknown until then.",
        ]),
    ...(reading.backupBefore
      ? [
          `With ${code(camel(reading.backupBefore.option))} a backup is taken and waited for before ${code(camel(reading.backupBefore.field))} changes.`,
        ]
      : []),
    ...(resource ? [endOf(kind, resource)] : []),
    ...(reading.whenGone === "expire"
      ? [
          "One that the service no longer has is `expired`: it stays in the state, and is made anew only when what it is made from changes.",
        ]
      : []),
    ...(kind.fields["deletion_protection"]
      ? ["While `deletionProtection` is true it is neither destroyed nor replaced."]
      : []),
    ...(resource ? [] : ["To destroy it changes nothing in the service."]),
  ];
}

const endOf = (kind: Kind, resource: Resource): string =>
  resource.operations.delete === undefined
    ? `The service offers no delete: a destroyed ${spoken(kind.name)} is out of the state and lives on in the service, with a warning that says so. A [contract profile](../contract.md#contract-profiles) may name a delete.`
    : `To destroy it deletes it in the service (${resource.operations.delete}).`;

function adoption(kind: Kind): string[] {
  if (kind.resource === undefined) return [];
  const named = kind.fields["name"] ? ", or `name=…`" : "";
  return [
    "## Taking over what exists",
    `\`adoptId\` takes over an existing ${spoken(kind.name)} instead of making one: its id${named}. It is read only at creation.`,
  ];
}
