/** The service's contract as this project understands it: for people, and as OpenAPI for tools. */
import { assumptions, errorCodes, listFiltersOf } from "../../../provider/contract";
import { openApiDocument, resolveContract, resources, scopes } from "../../../provider/contract";
import { wildcards } from "../../../provider/contract";
import type { Resource } from "../../../provider/contract";
import type { Generated } from "../files";
import { code, header, page, table } from "../markdown";
import { profileReference } from "./profile";
import { METHODS, OPERATIONS, pathOf, resourceSections } from "./resources";
import { callSections, errorSection, eventSection, keySection, limitSection } from "./rules";
import { serviceSection } from "./rules";

/** `docs/reference/contract.md`, with everything that is assumed. */
export const contractDocs = (): Generated => ({
  "docs/reference/contract.md": page(
    header("provider/contract/"),
    "# The service's contract",
    "What the service says, and what this project assumes where the service says nothing. Everything here comes from `provider/contract/`, from which the client, the engine, the faces and the emulator are derived as well. **Documented** is what the service's own documentation says; **assumed** is ours. The last two sections list all assumptions, each with the member of a [contract profile](#contract-profiles) that changes it.",
    serviceSection(),
    ...callSections(),
    keySection(),
    "## Resources",
    ...resourceSections(),
    errorSection(),
    limitSection(),
    eventSection(),
    assumed(),
    profileReference(),
  ),
});

/** `docs/reference/openapi.json`: without a profile, at the address of the emulator's command. */
export const openapi = (): Generated => ({
  "docs/reference/openapi.json": JSON.stringify(
    openApiDocument(resolveContract(), { baseUrl: "http://127.0.0.1:4010/v1" }),
  ),
});

const all: readonly Resource[] = Object.values(resources);
const NONE = "none";

/** Each assumption with the member of a profile that changes it. */
const assumed = (): string =>
  page(
    "## Assumptions",
    "This is assumed where the contract says nothing. The emulator implements it and the client relies on it. Where a member of a profile is named, it changes the assumption; the others can only be changed in the code.",
    table(
      ["Question", "Assumed", "Profile"],
      assumptions.map(({ topic, assumed: text, profile }) => [
        topic,
        text,
        profile === undefined ? NONE : code(profile),
      ]),
    ),
    "Individual operations, fields, filters, states, scopes and codes that are assumed:",
    table(["What", "Assumed", "Profile"], [...all.flatMap(ofResource), ...common()]),
  ).trimEnd();

function ofResource(resource: Resource): string[][] {
  const { name } = resource;
  const operations = OPERATIONS.filter((operation) => resource.operations[operation] === "assumed");
  const fields = Object.entries(resource.fields).filter(([, field]) => field.source === "assumed");
  return [
    ...operations.map((operation) => [
      `operation: ${operation} of ${code(name)}`,
      code(`${METHODS[operation]} ${pathOf(resource, operation)}`),
      // Every collection has a list: a profile can move it, but not turn it off.
      code(`resources.${name}.${operation === "list" ? "path" : `operations.${operation}`}`),
    ]),
    ...fields.map(([field, { doc }]) => [
      `field: ${code(`${name}.${field}`)}`,
      doc,
      field === "id" ? NONE : code(`resources.${name}.fields.${field}`),
    ]),
    ...listFiltersOf(resource)
      .filter(({ source, field }) => source === "assumed" && !field)
      .map((filter) => [`filter: ${code(`${name}.${filter.name}`)}`, filter.doc, NONE]),
    ...(resource.states?.source === "assumed"
      ? [
          [
            `states of ${code(name)}`,
            `ready: ${resource.states.ready.map(code).join(", ")}; failed: ${resource.states.failed.map(code).join(", ")}`,
            code(`resources.${name}.states`),
          ],
        ]
      : []),
  ];
}

function common(): string[][] {
  const isAssumed = ({ source }: { readonly source: string }) => source === "assumed";
  return [
    ...scopes.filter(isAssumed).map(({ name, allows }) => [`scope: ${code(name)}`, allows, NONE]),
    ...wildcards
      .filter(isAssumed)
      .map(({ name }) => [`wildcard: ${code(name)}`, "all scopes of the resource", NONE]),
    ...Object.entries(errorCodes)
      .filter(([, entry]) => isAssumed(entry))
      .map(([name, { status, condition }]) => [
        `error: ${code(name)}`,
        `${status}: ${condition}`,
        NONE,
      ]),
  ];
}
