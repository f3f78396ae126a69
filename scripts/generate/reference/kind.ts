/** The page of one kind. */
import { camel, resources, type Field, type Resource } from "../../../provider/contract";
import { kinds, type Kind, type KindField } from "../../../provider/resources";
import { docText } from "../../../provider/pulumi/voice";
import { bullets, code, fenced, header, listed, page, table } from "../markdown";
import { noun } from "../../../provider/messages";
import { typeText } from "../types";

const resourceOf = (kind: Kind): Resource | undefined =>
  kind.resource === undefined ? undefined : resources[kind.resource];

const names = (words: readonly string[], joint?: string) =>
  listed(
    words.map((word) => code(camel(word))),
    joint,
  );

/** What a program may set of a kind, what it reads, and how an object of it lives. */
export function kindPage(kind: Kind, example: string): string {
  const inputs = kind.inputs;
  const outputs = Object.entries(kind.fields).filter(([, field]) => field.use === "output");
  return page(
    header("provider/contract/ and provider/resources/"),
    `# ${kind.title}`,
    kind.doc,
    fenced("ts", example),
    "## Inputs",
    table(
      ["Name", "In the contract", "Type", "Required", "Meaning"],
      inputs.map(([name, field]) => row(kind, name, field, [required(kind, name, field)])),
    ),
    "## Outputs",
    "Every input is an output as well. The others are:",
    table(
      ["Name", "In the contract", "Type", "Meaning"],
      [
        ["`id`", "`id`", "string", idText(kind)],
        ...outputs.map(([name, field]) => row(kind, name, field, [])),
      ],
    ),
    "## Lifecycle",
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
    [docText(kind, field.doc), ...notes(kind, name, field)].join(" "),
  ];
}

const required = (kind: Kind, name: string, field: Field): string => {
  if (kind.exactlyOne?.includes(name) === true) {
    return `exactly one of ${names(kind.exactlyOne, "and")}`;
  }
  return field.use === "required" ? "always" : "optional";
};

/** What the definition says besides the schema, as sentences. */
function notes(kind: Kind, name: string, field: KindField): string[] {
  const target = field.references === undefined ? undefined : kinds[field.references];
  return [
    replaces(kind, name, field) ? "**Changing this forces replacement.**" : "",
    field.secret === true ? "**Secret:** encrypted in the state, never shown." : "",
    target ? `The id of ${article(target.title)} ${linkTo(target)}.` : "",
    field.unordered === true
      ? `The order does not matter${field.key === undefined ? "" : `; ${code(camel(field.key))} identifies the elements`}.`
      : "",
  ].filter((note) => note !== "");
}

const replaces = (kind: Kind, name: string, field: Field): boolean =>
  field.use !== "output" &&
  (field.immutable || kind.reading.replaceOn?.includes(name) === true || noUpdate(kind, field));

/** Where the service offers no update, changing any of its fields forces replacement. */
const noUpdate = (kind: Kind, field: Field): boolean => {
  const resource = resourceOf(kind);
  return (
    resource !== undefined &&
    resource.operations.update === undefined &&
    Object.values(resource.fields).includes(field)
  );
};

const article = (word: string): string => (/^[AEIOU]/.test(word) ? "an" : "a");

/** The file of the page about a kind. */
export const pageOf = (kind: Kind): string => `${kind.name.replace(/_/g, "-")}.md`;

const linkTo = (kind: Kind): string => `[${kind.title}](${pageOf(kind)})`;

const idText = (kind: Kind): string =>
  kind.reading.rotates === "own-key"
    ? "Id of the first key, which never changes; `currentKeyId` is the id of the key that works now."
    : "Opaque identifier.";

/** What happens to an object of this kind from its creation to its end, a sentence each. */
function life(kind: Kind): string[] {
  const { reading } = kind;
  const resource = resourceOf(kind);
  const states = resource?.states;
  return [
    states
      ? `Creation waits until the state is ${listed(states.ready.map(code), "or")}; ${code("wait: false")} skips that. A wait that times out is a warning; ${listed(states.failed.map(code), "or")} is a failure.`
      : "",
    reading.rotates === undefined
      ? ""
      : "A due rotation is planned as an update that states the reason; the new secret is unknown until it is applied.",
    reading.backupBefore
      ? `With ${code(camel(reading.backupBefore.option))} a backup is taken and completed before ${code(camel(reading.backupBefore.field))} changes.`
      : "",
    resource ? endOf(kind, resource) : "",
    reading.whenGone === "expire"
      ? "An object that the service no longer has is `expired`: it stays in the state, and is replaced only when its inputs change."
      : "",
    kind.fields["deletion_protection"]
      ? "While `deletionProtection` is true, it is neither destroyed nor replaced."
      : "",
    resource ? "" : "Destroying it changes nothing in the service.",
  ].filter((sentence) => sentence !== "");
}

const endOf = (kind: Kind, resource: Resource): string =>
  resource.operations.delete === undefined
    ? `The service offers no delete: a destroyed ${noun(kind.name)} is removed from the state and remains in the service, unmanaged, with a warning. A [contract profile](contract.md#contract-profiles) can declare a delete.`
    : `Destroying it deletes it in the service (${resource.operations.delete}).`;

function adoption(kind: Kind): string[] {
  if (kind.resource === undefined) return [];
  const named = kind.fields["name"] ? ", or `name=…`" : "";
  return [
    "## Adopting an existing object",
    `\`adoptId\` adopts an existing ${noun(kind.name)} instead of creating one: its id${named}. It is read at creation only.`,
    `Take it out of the program once the state has the ${noun(kind.name)}, at the latest before ${code("pulumi up --replace")}, ${code("pulumi state taint")} or a new name of the resource without an alias: Pulumi would have it adopted once more, then delete it as the original. erphost refuses that delete.`,
  ];
}
