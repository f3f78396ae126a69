/** One section per resource of the contract. */
import { listFiltersOf, resources } from "../../../provider/contract";
import type { Field, OperationName, Resource } from "../../../provider/contract";
import { capital, noun } from "../../../provider/messages";
import { bullets, code, listed, table } from "../markdown";
import { typeText } from "../types";

const all: readonly Resource[] = Object.values(resources);

/** How each operation is called, and in which order pages list them. */
export const METHODS = { list: "GET", create: "POST", update: "PATCH", delete: "DELETE" } as const;
export const OPERATIONS = Object.keys(METHODS) as readonly OperationName[];

/** `/servers`, or `/servers/{id}` for calls about one object. */
export const pathOf = (resource: Resource, operation: OperationName): string =>
  operation === "list" || operation === "create" ? resource.path : `${resource.path}/{id}`;

/** Calls, fields, filters and life of each resource. */
export const resourceSections = (): string[] => all.flatMap(section);

function section(resource: Resource): string[] {
  return [
    `### ${capital(noun(resource.plural))}`,
    resource.doc,
    table(
      ["Operation", "Call", "Source", "Scope", "Source"],
      OPERATIONS.map((name) => operationRow(resource, name)),
    ),
    "Fields:",
    table(
      ["Field", "Type", "Set by", "Source", "Meaning"],
      Object.entries(resource.fields).map(([name, field]) => [
        code(name),
        typeText(field.schema),
        deciders[field.use],
        field.source,
        [field.doc, ...notes(field)].join(" "),
      ]),
    ),
    ...filters(resource),
    ...lifecycle(resource),
  ];
}

const deciders: Readonly<Record<Field["use"], string>> = {
  required: "the program, required",
  optional: "the program, optional",
  output: "the service",
};

function operationRow(resource: Resource, name: OperationName): string[] {
  const source = resource.operations[name];
  const scope = resource.scopes[name];
  return [
    name,
    source === undefined ? "not offered" : code(`${METHODS[name]} ${pathOf(resource, name)}`),
    source ?? "",
    scope === undefined ? "" : code(scope.scope),
    scope?.source ?? "",
  ];
}

/** What the definition says besides the schema, as sentences. */
function notes(field: Field): string[] {
  return [
    field.immutable ? "Cannot change after creation." : "",
    field.secret === true ? "Secret." : "",
    field.references === undefined ? "" : `The id of one of the ${noun(plural(field.references))}.`,
    field.restricts === true
      ? "The object that it names cannot be deleted while this one exists."
      : "",
    field.unordered === true
      ? `Unordered${field.key === undefined ? "" : `; ${code(field.key)} identifies the elements`}.`
      : "",
    field.example === undefined ? "" : `For example ${code(JSON.stringify(field.example))}.`,
  ].filter((note) => note !== "");
}

const plural = (name: string): string =>
  all.find((resource) => resource.name === name)?.plural ?? `${name}s`;

function filters(resource: Resource): string[] {
  const rows = listFiltersOf(resource).map(({ name, source, doc, field }) => [
    code(name),
    source,
    field?.filter === "equality" ? `Matches the field exactly. ${doc}` : doc,
  ]);
  return rows.length === 0
    ? []
    : ["Filters of the list:", table(["Parameter", "Source", "Meaning"], rows)];
}

function lifecycle(resource: Resource): string[] {
  const { states, events = {} } = resource;
  const names = (words: readonly string[]) => listed(words.map(code), "or");
  const lines = [
    ...(states
      ? [
          `States (${states.source}): initially ${code(states.initial)}; ready when ${names(states.ready)}; failed when ${names(states.failed)}${states.other.length > 0 ? `; also known: ${names(states.other)}` : ""}.`,
        ]
      : []),
    ...Object.entries(events).map(
      ([moment, event]) =>
        `The event ${code(event)} is sent ${moments[moment] ?? `in the state ${code(moment.replace(/^state:/, ""))}`}.`,
    ),
  ];
  return lines.length === 0 ? [] : [bullets(lines)];
}

const moments: Readonly<Record<string, string>> = {
  ready: "when it becomes ready",
  failed: "when it fails",
  deleted: "when it is deleted",
};
