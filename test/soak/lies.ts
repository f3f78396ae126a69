/**
 * Twenty lies of the emulator, each about another operation or rule of its OpenAPI document. They were
 * listed before the check was set up that is to find them, and are planted in a test's build alone.
 */
import type { Edit } from "../chaos/support/bundle";
import type { ProfileName } from "./check";

/** One lie. */
export interface Lie {
  /** What the emulator then does, against its document. */
  readonly claim: string;
  /** How the emulator is started that tells it. */
  readonly profile: ProfileName;
  /** In this file of the emulator. */
  readonly file: string;
  readonly edit: Edit;
}

const lieOf = (
  profile: ProfileName,
  claim: string,
  [file, ...edit]: readonly [string, ...Edit],
): Lie => ({
  claim,
  profile,
  file: `emulator/${file}.ts`,
  edit,
});
const full = (claim: string, edit: readonly [string, ...Edit]): Lie => lieOf("full", claim, edit);

const COLLECTION = "service/collection";
const FIELDS = "service/fields";
const QUERY = "service/list-query";
const CREATED = "return answer(service.inventory.create(";
const NEW_FIELD = "if (isPresent(body[key])) checkField(";
const isA = (kind: string): string => `resource.definition.name === "${kind}"`;

export const lies: readonly Lie[] = [
  full("a list of servers says in words whether there is a next page", [
    "http/answer",
    "has_next: page < pages,",
    'has_next: page < pages ? "yes" : "no",',
  ]),
  full("a new server is answered with 200 instead of 201", [
    COLLECTION,
    "provisioning }), 201);",
    `provisioning }), ${isA("server")} ? 200 : 201);`,
  ]),
  full("a server is changed to a name of no characters", [
    FIELDS,
    "if (isPresent(next[key])) checkField(",
    'if (isPresent(next[key]) && next[key] !== "") checkField(',
  ]),
  full("a deleted server is still there", [
    COLLECTION,
    "service.inventory.remove(",
    `if (${isA("server")}) return answer({ id: match.id });\n  service.inventory.remove(`,
  ]),
  full("a list of instances takes an empty edition", [
    QUERY,
    "checkField(wire(",
    'if (value !== "") checkField(wire(',
  ]),
  full("a new instance's created_at is a number", [
    COLLECTION,
    CREATED,
    `if (${isA("instance")}) {
      const made = service.inventory.create(resource, fields, { atMs: nowMs, provisioning });
      return answer({ ...made, created_at: nowMs }, 201);
    }
    ${CREATED}`,
  ]),
  full("a changed instance is answered without its id", [
    COLLECTION,
    "return answer(record);",
    `return answer(${isA("instance")} ? { ...record, id: undefined } : record);`,
  ]),
  full("a deleted instance is answered with null", [
    COLLECTION,
    "return answer({ id: match.id });",
    `return ${isA("instance")} ? { status: 200, data: "null" } : answer({ id: match.id });`,
  ]),
  full("a list of backups takes any text as created_after", [
    QUERY,
    "if (!dateBound.safeParse(value).success)",
    'if (name !== "created_after" && !dateBound.safeParse(value).success)',
  ]),
  full("a backup has two targets", [
    FIELDS,
    "if (another !== undefined) throw",
    'if (another === "") throw',
  ]),
  full("a list of providers needs no key", [
    "service/admission",
    'callerOf(service.identify, request.header("authorization"))',
    `request.path === "/providers"
      ? { keyId: "key_1", permissions: ["admin"], allowList: [], keyClass: "unlimited" }
      : callerOf(service.identify, request.header("authorization"))`,
  ]),
  full("a list of teams goes in any order that it is asked for", [
    QUERY,
    'if (order !== "asc" && order !== "desc") throw',
    `if (order !== "asc" && order !== "desc" && !(${isA("team")})) throw`,
  ]),
  full("a new team's member has no address", [
    FIELDS,
    NEW_FIELD,
    NEW_FIELD.replace("if (", 'if (key !== "members" && '),
  ]),
  full("a change of a team to no members breaks the service", [
    COLLECTION,
    "const changed = fieldsAfter(",
    'if (body["members"] === null) throw new Error("broken");\n  const changed = fieldsAfter(',
  ]),
  full("a list of invoices is sorted by fields that it does not have", [
    QUERY,
    "if (name === undefined || ",
    `if (${isA("invoice")}) return "created_at";\n  if (name === undefined || `,
  ]),
  full("the test of a key lists its permissions in one text", [
    "service/perform",
    "permissions: caller.permissions,",
    'permissions: caller.permissions.join(" "),',
  ]),
  full("a rotated key is answered without its value", [
    COLLECTION,
    "value: replacement.value, ",
    "",
  ]),
  full("a key's notification goes to anything that is called an address", [
    FIELDS,
    NEW_FIELD,
    NEW_FIELD.replace("if (", 'if (key !== "notification_email" && '),
  ]),
  lieOf("limited", "a refusal for the quota does not say when to try again", [
    "service/admission",
    "{ retry_after: retryAfterS },",
    "{},",
  ]),
  lieOf("strict", "a team can be deleted where only documented operations are served", [
    "service/routes",
    'return source !== undefined && !(strict && source === "assumed");',
    `if (strict && name === "team" && action === "delete") return true;
      return source !== undefined && !(strict && source === "assumed");`,
  ]),
];
