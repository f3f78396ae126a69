/** What only the constructs for CDKTF report, when a program is synthesised. */
import { define, predicate } from "../../message";
import { block } from "./construct-accounts";

export const constructsMessages = {
  construct_id_unknown: define<{ type: string; scope: string }>({
    when: "The id of a construct is a value that is known only when Terraform runs.",
    summary: "Construct id is not known",
    text: ({ type, scope }) =>
      `the id given to ${type} in ${scope} is a value that is known only when Terraform runs, so its address would not stay the same and the object could be replaced`,
    remedy: ({ type }) =>
      `Give it an id that the program knows, and pass the value as a prop: new ${type}(scope, "web", { name: value }).`,
    examples: [{ type: "Server", scope: "erp" }],
  }),
  fleet_name_unknown: predicate({
    when: "A fleet lists a member by a name that is known only when Terraform runs.",
    summary: "Construct id is not known",
    text: () =>
      "has a name that is known only when Terraform runs, so its address would not stay the same and the object could be replaced",
    remedy: () => 'Give it an id that the program knows: { id: "web", name: value }.',
  }),
  lookup_key_empty: predicate<{ instead: string }>({
    when: "An existing object is referred to by an empty id or name, or by none.",
    summary: "Empty id or name",
    text: () => "must not be empty",
    remedy: ({ instead }) => instead,
    examples: [{ instead: "Or use fromServerName." }],
  }),
  not_a_construct: predicate<{ kind: string }>({
    when: "A prop that takes a construct is given something else, such as an id.",
    summary: "Construct needed",
    text: ({ kind }, { a }) => `must be a construct that refers to ${a(kind)}, not an id or a name`,
    remedy: ({ kind }, { type }) =>
      `For an object that exists already: ${type(kind)}.from${type(kind)}Id(scope, "existing", id).`,
    examples: [{ kind: "server" }, { kind: "instance" }],
  }),
  one_identity: define<{ by: string }>({
    when: "One construct would declare several objects with the same identity.",
    summary: "Several objects with one identity",
    text: ({ by }) => `the argument ${by} would give several objects the same identity`,
    remedy: (_, { field }) =>
      `Declare one construct per object in a loop, or set ${field("idempotencyToken")} to a string that contains count.index or each.key.`,
    examples: [{ by: "count" }, { by: "forEach" }],
  }),
  same_identity: define<{ paths: readonly string[] }>({
    when: "Two constructs have the same idempotency token.",
    summary: "Same idempotency token",
    text: ({ paths }, { and, field }) => `${and(paths)} have the same ${field("idempotencyToken")}`,
    remedy: () => "Give each one of its own, or leave it out.",
    examples: [{ paths: ["erp/a", "erp/b"] }],
  }),
  same_address: define<{ paths: readonly string[] }>({
    when: "Two constructs have the same address in Terraform.",
    summary: "Same address",
    text: ({ paths }, { and }) =>
      `${and(paths)} have the same address in Terraform, which knows a construct by the letters, digits, _ and - of its id`,
    remedy: () => "Rename one of them.",
    examples: [{ paths: ["erp/web.1", "erp/web1"] }],
  }),
  rotated_twice: define<{ paths: readonly string[] }>({
    when: "Two constructs rotate the same key.",
    summary: "Two rotators of one key",
    text: ({ paths }, { and }) => `${and(paths)} rotate the same key`,
    remedy: () => "Remove one of them.",
    examples: [{ paths: ["erp/first", "erp/second"] }],
  }),
  rotated_where_declared: define<{ path: string; declared: string }>({
    when: "A construct rotates a key that another construct declares, and so rotates already.",
    summary: "Two rotators of one key",
    text: ({ path, declared }) =>
      `${path} rotates the key that ${declared} declares, which already rotates it`,
    remedy: ({ path, declared }, { field }) =>
      `Set ${field("rotate_after")} or ${field("triggers")} on ${declared}, and remove ${path}.`,
    examples: [{ path: "erp/rotation", declared: "erp/pipeline" }],
  }),
  set_twice: define<{ field: string; other: string }>({
    when: "A value is given both as a stored and as a write-only one.",
    summary: "Value given twice",
    text: ({ field: name, other }, { field }) =>
      `${field(name)} and ${field(other)} set the same value`,
    remedy: () => "Remove one of them.",
    examples: [{ field: "secret_properties", other: "secretPropertiesWo" }],
  }),
  bad_timeout: predicate<{ name: string; expected: string }>({
    when: "A timeout is not a duration.",
    summary: "Wrong form",
    text: ({ expected }) => expected,
    remedy: ({ name }) => `For example timeouts: { ${name}: "5m" }.`,
    examples: [{ name: "create", expected: "must be a duration such as 90s, 5m or 1h30m" }],
  }),
  fleet_id_twice: predicate<{ id: string }>({
    when: "A fleet lists two members with the same id.",
    summary: "Member given twice",
    text: ({ id }) => `lists ${id} more than once`,
    remedy: () => "Remove or rename one of them.",
    examples: [{ id: "trial-1" }],
  }),
  schedule_every: predicate({
    when: "The interval of a schedule is not a duration, or is shorter than an hour.",
    summary: "Wrong form",
    text: () =>
      "must be a duration of at least an hour, such as 1d, 12h or 7d, that is known when the program runs",
  }),
  schedule_start: predicate({
    when: "The beginning of a schedule is not a timestamp.",
    summary: "Wrong form",
    text: () => "must be an ISO 8601 timestamp such as 2026-01-31T03:00:00Z",
  }),
  schedule_now: predicate({
    when: "A schedule is given a time that is not valid.",
    summary: "Wrong form",
    text: () => "must be a valid Date",
  }),
  schedule_behind: define<{ path: string; from: string; until: string }>({
    when: "A schedule would take a backup of a period that is over, because its program was synthesised too early, or by a clock that is behind.",
    summary: "Period of a schedule is over",
    text: ({ path, from, until }) =>
      `${path} is for the period from ${from} to ${until}, but there is a backup from after it, so none is taken`,
    remedy: () =>
      "Synthesise the program again. If that does not help, the clock of this machine is behind.",
    examples: [
      { path: "erp/nightly", from: "2026-01-30T00:00:00Z", until: "2026-01-31T00:00:00Z" },
    ],
  }),
  canary_unknown: predicate<{ id: string; known: readonly string[] }>({
    when: "A fleet names a canary that is none of its members.",
    summary: "Unknown member",
    text: ({ id }) => `names ${JSON.stringify(id)}, which is none of the members`,
    remedy: ({ known }, { or }) => `Use the id of a member, such as ${or(known.slice(0, 3))}.`,
    examples: [{ id: "berlin", known: ["paris", "rome"] }],
  }),
  canary_missing: predicate({
    when: "A fleet names no canary, so that an upgrade would begin with several instances.",
    summary: "No canary",
    text: () => "is empty, so an upgrade would begin with several instances at once",
    remedy: () =>
      "Name at least one member, or leave it out, which makes the first member the canary.",
  }),
  wave_size: predicate({
    when: "The size of a fleet's waves is neither a number of members nor a share of them.",
    summary: "Wrong form",
    text: () => "must be a whole number from 1, or a share of the members such as 25%",
  }),
  wave_waits: define<{ path: string; wave: number; states: readonly string[] }>({
    when: "An upgrade in waves has come to an instance that is not ready.",
    summary: "Wave is not ready",
    text: ({ path, wave, states }) =>
      `wave ${wave} of ${path} is left as it is, because wave ${wave - 1} is not ready: ${states.join(", ")}`,
    remedy: () => "Mend what is not running, or go back to the version before, and apply again.",
    examples: [{ path: "erp/shops", wave: 2, states: ["berlin is failed"] }],
  }),
  props_without_effect: define<{ props: string; because: string }>({
    when: "Props are given for an object that a pattern does not create.",
    summary: "Props without effect",
    text: ({ props, because }) => `${props} has no effect, because ${because}`,
    remedy: ({ props }) => `Remove ${props}.`,
    examples: [{ props: "serverProps", because: "server is set" }],
  }),
  recipient_missing: predicate({
    when: "A sealed key has no recipient, so that its secret would be in the state.",
    summary: "Missing recipient",
    text: () => "is missing, so the secret would be stored in the state",
    remedy: () => "Set it to the secret store's age public key, which age-keygen prints.",
  }),
  move_without_target: define<{ from: string; to: string; type: string; at: string }>({
    when: "A construct is moved to one that does not declare the same objects.",
    summary: "Nothing to move to",
    text: ({ from, to, type, at }) =>
      `${from} cannot be moved to ${to}, because there is no ${type} at ${at}`,
    remedy: () => "Declare it there, or move the other constructs one by one.",
    examples: [{ from: "erp/old", to: "erp/new", type: "Server", at: "erp/new" }],
  }),
  move_between_stacks: define<{ from: string; to: string }>({
    when: "A construct is moved to one of another stack, which has another state.",
    summary: "Move to another stack",
    text: ({ from, to }) =>
      `${from} cannot be moved to ${to}, because another stack has another state`,
    remedy: () => "Remove its objects from the one state, and import them into the other.",
    examples: [{ from: "erp/web", to: "shop/web" }],
  }),
  move_changes: define<{ from: string; field: string; old: string; next: string }>({
    when: "A move would rename or replace the object in the service.",
    summary: "Move would change the object",
    text: ({ from, field: name, old, next }, { field }) =>
      `the move from ${from} would change the object in the service: ${field(name)} is ${next} here and ${old} there`,
    remedy: ({ from, field: name }, { field }) =>
      `Give both the same ${field(name)}. To change it, apply the move first, then remove ${from}.`,
    examples: [{ from: "erp/old", field: "name", old: '"old"', next: '"new"' }],
  }),
  move_between_accounts: define<{ from: string; old: string; next: string }>({
    when: "A construct is moved to one in another account.",
    summary: "Move to another account",
    text: ({ from, old, next }) =>
      `the move from ${from} would take the object for one of another account: it is in that of ${block(old)}, and this construct in that of ${block(next)}`,
    remedy: () => "Give both the same provider.",
    examples: [{ from: "erp/old", old: "erphost", next: "erphost.second" }],
  }),
  refers_to_moved: define<{ path: string; from: string; to: string }>({
    when: "A construct refers to one that has been moved away.",
    summary: "Reference to a moved construct",
    text: ({ path, from, to }) =>
      `${path} refers to ${from}, which declares nothing since it was moved to ${to}`,
    remedy: ({ to }) => `Refer to ${to}.`,
    examples: [{ path: "erp/trial", from: "erp/old", to: "erp/web" }],
  }),
  policy_unknown: predicate<{ rule: string }>({
    when: "An Aspect that demands something meets a value that only Terraform knows.",
    summary: "Rule cannot be checked",
    text: ({ rule }) => `is known only when Terraform runs, so ${rule} cannot check it`,
    remedy: () => "Write the value into the program, or name the construct in the rule's except.",
    examples: [{ rule: "MaxKeyAge" }],
  }),
  key_age: predicate<{ max: string; given?: string | undefined }>({
    when: "A key is not rotated as often as the Aspect MaxKeyAge demands.",
    summary: "Key would get too old",
    text: ({ max, given }) =>
      `is ${given ?? "not set"}, and MaxKeyAge allows a key to be ${max} old at most`,
    remedy: ({ max }) => `Set it to ${max} or less.`,
    examples: [{ max: "90d" }, { max: "90d", given: "120d" }],
  }),
  key_wide: predicate<{ wide: readonly string[] }>({
    when: "A key has a level or a wildcard that the Aspect NoAdminKeys refuses.",
    summary: "Key may do everything",
    text: ({ wide }) => `includes ${wide.join(", ")}, which NoAdminKeys refuses`,
    remedy: () => "Name each scope that the key needs.",
    examples: [{ wide: ["admin"] }, { wide: ["servers:*", "teams:*"] }],
  }),
  backup_required: define<{ by: readonly ("backup" | "schedule" | "upgrade")[]; guard: string }>({
    when: "An instance is not backed up as the Aspect RequireBackup demands.",
    summary: "Instance is not backed up",
    text: () => "RequireBackup finds no backup of this instance",
    remedy: ({ by, guard }, { field, or }) => {
      const ways = {
        backup: "declare a Backup of it or of its server",
        schedule: "declare a BackupSchedule of it or of its server",
        upgrade: `set ${field(guard)} to true`,
      };
      const all = or(by.map((each) => ways[each]));
      return `${all.charAt(0).toUpperCase()}${all.slice(1)}.`;
    },
    examples: [
      { by: ["schedule"], guard: "backup_before_upgrade" },
      { by: ["schedule", "backup", "upgrade"], guard: "backup_before_upgrade" },
    ],
  }),
  unknown_aspect_kind: define<{ given: string; known: readonly string[] }>({
    when: "An Aspect is limited to a kind that does not exist or has no properties.",
    summary: "Unknown kind",
    text: ({ given, known }, { or }) =>
      `${JSON.stringify(given)} is not a kind that has properties; use ${or(known)}`,
    examples: [{ given: "servers", known: ["server", "instance"] }],
  }),
};
