/** The members of a contract profile, read from its schema. */
import { profileSchema, resources, resolveContract } from "../../../provider/contract";
import type { Profile } from "../../../provider/contract";
import { code, fenced, page, table } from "../markdown";
import { jsonSchema, type JsonSchema } from "../types";

/** A service that differs in most ways; `resolveContract` accepts it, or nothing is generated. */
const example: Profile = {
  name: "our hosting",
  resources: {
    server: {
      path: "/machines",
      operations: { get: true },
      fields: { name: "label" },
      states: { ready: ["running", "degraded"], failed: ["failed"] },
    },
    backup: { operations: { delete: true } },
    team: { updateMethod: "PUT" },
  },
  idempotency: { windowHours: 48 },
  settleWindowMs: 30_000,
  unset: "null",
};

/** Every member that holds a value, as a dotted path with its schema. */
export function profileMembers(
  json: JsonSchema = jsonSchema(profileSchema),
  path = "",
): readonly (readonly [path: string, json: JsonSchema])[] {
  const below = (name: string) => (path === "" ? name : `${path}.${name}`);
  if (json.properties) {
    return Object.entries(json.properties).flatMap(([name, inner]) =>
      profileMembers(inner, below(name)),
    );
  }
  if (typeof json.additionalProperties === "object") {
    return profileMembers(json.additionalProperties, below(path === "resources" ? "KIND" : "NAME"));
  }
  return [[path, json]];
}

/** The members of a profile, and an example that is resolved here, so that it cannot be wrong. */
export function profileReference(): string {
  resolveContract(example);
  return page(
    "## Contract profiles",
    `A profile is a JSON object, passed to the client or to any face as \`profile\`, or as \`ERPHOST_PROFILE\`: the JSON itself or the path of a file. It changes the mapping to the wire and the behaviour, but no schema. Every member is optional. \`KIND\` is ${Object.keys(resources).map(code).join(", ")}; \`NAME\` is a field of that kind.`,
    table(
      ["Member", "Values", "Meaning"],
      profileMembers().map(([path, json]) => [code(path), valuesText(json), meaningOf(path, json)]),
    ),
    "For example:",
    fenced("json", JSON.stringify(example, null, 2)),
  ).trimEnd();
}

/** @throws Error for a member whose schema does not say what it does */
function meaningOf(path: string, { description }: JsonSchema): string {
  if (description === undefined)
    throw new Error(`The profile's member ${path} has no description.`);
  return description;
}

function valuesText(json: JsonSchema): string {
  if (json.enum) return json.enum.map((value) => code(String(value))).join(" or ");
  if (json.type === "array") return "list of strings, not empty";
  const range =
    json.minimum !== undefined && json.maximum !== undefined
      ? `, ${json.minimum.toLocaleString("en")} to ${json.maximum.toLocaleString("en")}`
      : "";
  return `${String(json.type ?? "any value")}${range}`;
}
