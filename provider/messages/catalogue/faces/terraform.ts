/** What only the Terraform provider reports: values that its protocol carries, and stored states. */
import { define, predicate, type Message, type Subject } from "../../message";

const server: Subject = { kind: "server", id: "srv_1" };

export const terraformMessages = {
  gone_already: define<{ subject: Subject }>({
    when: "An object to be deleted had already been deleted by someone else.",
    summary: "Object was already gone",
    text: (_, { it }) => `${it} was already gone`,
    examples: [{ subject: server }],
  }),
  moved_missing: define<{ subject: Subject; baseUrl: string }>({
    when: "An object that a `moved` block brought from another provider is not in the account.",
    summary: "Moved object not found",
    text: ({ baseUrl }, { it }) =>
      `${it} was moved here from another provider, and the account at ${baseUrl} does not list it`,
    remedy: () =>
      "The other provider's state does not say which account it is in: check the address and the key. If the object was deleted, take it out of the state with `state rm`, and the `moved` block out of the program; nothing is created in its place until then.",
    examples: [{ subject: server, baseUrl: "https://erp.example/v1" }],
  }),
  moved_unrecorded: define<{ subject: Subject }>({
    when: "Nothing is known of what another provider recorded of an object that a `moved` block brought.",
    summary: "Moved object is not certain",
    text: (_, { it }) =>
      `${it} was moved here from another provider, and nothing that it recorded shows whether this is the same object`,
    remedy: ({ subject }, { importCommand }) =>
      `Refresh the other provider's state before the move. Where it has been moved, take it out of the state (\`state rm\`), and import it once you are sure that it is yours: ${importCommand(subject)}.`,
    examples: [{ subject: server }],
  }),
  moved_differs: define<{
    subject: Subject;
    baseUrl: string;
    field: string;
    recorded: string;
    found: string;
  }>({
    when: "An object that a `moved` block brought from another provider is not as that provider recorded it.",
    summary: "Another object has this id",
    text: ({ baseUrl, field: name, recorded, found }, { field, it }) =>
      `${it} was moved here from another provider, which recorded the ${field([name])} ${recorded}; at ${baseUrl}, that of this id is ${found}`,
    remedy: () =>
      "Check the address and the key. If it is the same object and was changed since, refresh the other provider's state, or take the object out of it and import it.",
    examples: [
      {
        subject: server,
        baseUrl: "https://erp.example/v1",
        field: "name",
        recorded: "web",
        found: "db",
      },
    ],
  }),
  protected_in_state: predicate<{ subject: Subject; tainted: boolean }>({
    when: "Deletion protection is on in the state of an object that is to be deleted.",
    summary: "Deletion protection",
    text: ({ tainted }, { it }) => `prevents deleting ${it}${tainted ? ", which is tainted" : ""}`,
    remedy: ({ subject: { id = "" }, tainted }, { setting }) => {
      const allow = `set ${setting("allowDelete")} to ${id} for one run`;
      return tainted
        ? `To keep the object, run \`untaint\` on its address. To replace it, ${allow}: what the configuration says now does not reach a tainted object.`
        : `Set it to false, apply, and try again. That does not reach an object that is deposed, tainted or no longer configured: for such a one, ${allow}; a tainted one can also be kept, by \`untaint\`.`;
    },
    examples: [
      { subject: server, tainted: false },
      { subject: server, tainted: true },
    ],
  }),
  quota_waited: define<{ notice: Message }>({
    when: "A run had to wait for the quota of its key.",
    summary: "Waited for the rate limit",
    text: ({ notice }, { say }) => `this run had to wait: ${say(notice)}`,
    remedy: () => "Further waits are in the log (TF_LOG=INFO).",
    examples: [{ notice: { code: "quota_wait", parts: { seconds: 3 } } }],
  }),
  same_member: predicate<{ member: string; key?: string | undefined }>({
    when: "Two members of a set have the same key.",
    summary: "Member given twice",
    text: ({ member, key }) =>
      `has more than one member ${key === undefined ? "" : `with the ${key} `}${member}; keep one`,
    examples: [{ key: "email", member: "ada@example.com" }, { member: "203.0.113.7" }],
  }),
  plain_and_write_only: predicate<{ field: string }>({
    when: "A secret is given both as a stored value and as a write-only one.",
    summary: "Value given twice",
    text: ({ field: stored }, { field }) =>
      `cannot be combined with ${field(stored)}; keep one of the two`,
    examples: [{ field: "secret_properties" }],
  }),
  inexact_number: predicate<{ number?: string | undefined }>({
    when: "A whole number has more digits than the 64-bit floats that most readers of JSON use.",
    summary: "Number is not exact",
    text: ({ number }) =>
      `contains ${number === undefined ? "a whole number" : `the whole number ${number}`} beyond 2^53, which erphost, like most readers of JSON, cannot read back digit by digit`,
    remedy: () => "Write it as a string.",
    examples: [{ number: "1152921504606846976" }, {}],
  }),
  left_out: predicate<{ subject: Subject; clear: "[]" | "false" | undefined }>({
    when: "An attribute that the program gave before is no longer given, and the service keeps its value.",
    summary: "Attribute is no longer managed",
    apart: (_, { subject, path = [] }) => `${String(path[0])} of ${subject?.id ?? ""}`,
    text: (_, { it }) => `was taken out of the program, and ${it} keeps its value in the service`,
    remedy: ({ clear }) =>
      clear === undefined
        ? "Leaving it out sends nothing, and no value clears it: clear it in the service (a PATCH that sets it to null) and refresh, or put it back with the value that it is to have."
        : `Leaving it out sends nothing. To clear it, set it to ${clear}.`,
    examples: [
      { subject: { kind: "api_key", id: "key_1", name: "ci" }, clear: undefined },
      { subject: { kind: "team", id: "team_1" }, clear: "[]" },
      { subject: { kind: "api_key", id: "key_1" }, clear: "false" },
    ],
  }),
  provider_not_configured: define({
    when: "A call that needs the service comes before the provider is configured.",
    summary: "Provider is not configured",
    text: () => "the provider was not configured before this call",
  }),
  provider_unknown: define<{ settings: readonly string[] }>({
    when: "The provider's configuration depends on resources that are not yet applied.",
    summary: "Provider configuration is unknown",
    text: ({ settings }, { setting }) =>
      `the provider's ${settings.map(setting).join(" and ")} ${settings.length > 1 ? "depend" : "depends"} on resources that are not yet applied, so nothing can be read from the service`,
    remedy: () =>
      "Let what reads it depend on those resources (depends_on), so that it is read after they are applied, or apply them first with -target.",
    examples: [{ settings: ["apiKey"] }, { settings: ["apiKey", "baseUrl"] }],
  }),
  not_refreshed: define<{ settings: readonly string[] }>({
    when: "The provider's configuration depends on a change of this very run, such as the rotation of its key.",
    summary: "Objects were not refreshed",
    text: ({ settings }, { setting }) =>
      `the provider's ${settings.map(setting).join(" and ")} ${settings.length > 1 ? "become" : "becomes"} known only when this run is applied, so its objects are planned as the state has them`,
    remedy: () => "The next run refreshes them.",
    examples: [{ settings: ["apiKey"] }],
  }),
  other_object: define<{ subject: Subject; created: string; expected: string }>({
    when: "The id in a state belongs to another object in the service.",
    summary: "Id of another object",
    text: ({ created, expected }, { it }) =>
      `${it} was created at ${created} and the one in the state at ${expected}, so it is another object and is left alone`,
    remedy: () => "Remove it from the state (`state rm`).",
    examples: [
      { subject: server, created: "2026-02-01T00:00:00Z", expected: "2026-01-31T00:00:00Z" },
    ],
  }),
  id_missing: define<{ kind: string }>({
    when: "The state of an object has no id, so it cannot be looked for.",
    summary: "Id missing in the state",
    text: ({ kind }, { a }) =>
      `the state of ${a(kind)} has no id, so the object cannot be found in the service and is left alone`,
    remedy: ({ kind }, { importCommand }) =>
      `Remove it from the state (\`state rm\`), then import it: ${importCommand({ kind })}.`,
    examples: [{ kind: "server" }],
  }),
  state_not_read: define<{ subject: Subject }>({
    when: "A moved object is planned before it was read.",
    summary: "Object was not read yet",
    text: (_, { it }) =>
      `${it} was moved from another type, and only its id is known until it is read`,
    remedy: () => "Plan without `-refresh=false`.",
    examples: [{ subject: server }],
  }),
  state_without_metadata: define<{ subject: Subject }>({
    when: "A state lacks the metadata that the provider stores with every object.",
    summary: "State without metadata",
    text: (_, { it }) => `the state of ${it} has no provider metadata, so its account is unknown`,
    remedy: ({ subject }, { importCommand }) =>
      `Remove it from the state (\`state rm\`) and import it again: ${importCommand(subject)}.`,
    examples: [{ subject: server }],
  }),
  state_too_new: define<{ kind: string; version: number; known: number }>({
    when: "A state was written by a later release of the provider.",
    summary: "State of a later release",
    text: ({ kind, version, known }, { a }) =>
      `the state of ${a(kind)} was written by a later release of this provider (schema ${version}; this one knows ${known})`,
    remedy: () => "Use that release or a later one.",
    examples: [{ kind: "server", version: 1, known: 0 }],
  }),
  state_not_json: define<{ kind: string }>({
    when: "A stored state is not a JSON object.",
    summary: "Unreadable state",
    text: ({ kind }, { a }) => `the state of ${a(kind)} is not a JSON object`,
    remedy: () => "Restore it from a backup, or import the object again.",
    examples: [{ kind: "server" }],
  }),
  not_declarable: define<{ subject: Subject; why: Message }>({
    when: "A query finds an object that no program can declare as it is.",
    summary: "Configuration would be refused",
    text: ({ why }, { it, say }) => `${it} cannot be declared as it is: ${say(why)}`,
    remedy: () =>
      "Change it in the service, or take its blocks out of what the engine generates: the plan of the whole file would be refused.",
    examples: [
      {
        subject: server,
        why: { code: "not_a_choice", parts: { values: ["live", "test"] }, path: ["name"] },
      },
    ],
  }),
  identity_missing: define<{ kind: string; field: string }>({
    when: "A stored identity does not name its object.",
    summary: "Incomplete identity",
    text: ({ kind, field: name }, { a, field }) =>
      `the identity in the state of ${a(kind)} has no ${field([name])} that is a text`,
    remedy: () => "Restore the state from a backup, or import the object again.",
    examples: [{ kind: "server", field: "id" }],
  }),
  not_movable: define<{ kind: string; source: string }>({
    when: "A resource of another type is moved to one that it cannot become.",
    summary: "Cannot be moved",
    text: ({ kind, source }, { a, type }) =>
      `an object of type ${source} cannot become ${a(kind)}: only another ${type(kind)} can, or an object of a generic REST provider at this kind's path`,
    remedy: () => "Import the object instead, and remove the old one from the state.",
    examples: [{ kind: "server", source: "unrelated" }],
  }),
};
