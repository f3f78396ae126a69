/** Why the engine stops: errors, and refusals that a plan shows already. */
import { define, predicate, type Message, type Subject } from "../message";

const server: Subject = { kind: "server", id: "srv_1", name: "web" };
const instance: Subject = { kind: "instance", id: "ins_1" };
const key: Subject = { kind: "api_key", id: "key_1", name: "ci" };
/** A change that a backup comes before. */
const guarded = {
  subject: instance,
  field: "version",
  option: "backup_before_upgrade",
  backup: "bak_1",
};
/** The rotator of a key that is declared itself is called by the key. */
const isKey = (rotator: string): boolean => rotator.startsWith("API key ");

export const engineRefusals = {
  invalid_input: define<{ issues: readonly Message[] }>({
    when: "Inputs reach the engine that its check would refuse.",
    summary: "Invalid input",
    text: ({ issues }, { say }) => `the inputs are not valid: ${issues.map(say).join("; ")}`,
    remedy: ({ issues }, { remedy }) => issues.map(remedy).join(" ").trim(),
    examples: [{ issues: [{ code: "required", parts: {}, path: ["name"] }] }],
  }),
  still_unknown: define<{ kind: string }>({
    when: "An input is still unknown when the object is created or updated.",
    summary: "Unknown value",
    text: ({ kind }, { a }) => `an input of ${a(kind)} is still unknown`,
    examples: [{ kind: "server" }],
  }),
  invalid_recipient: predicate({
    when: "The recipient of a key's secret does not pass the checksum of an age public key.",
    summary: "Invalid recipient",
    text: () => "is not a valid age public key (bad checksum)",
    remedy: () => "Copy the whole key, starting with age1.",
  }),
  protected: predicate<{
    subject: Subject;
    does: "delete" | "replace";
    turnedOff?: boolean | undefined;
  }>({
    when: "Deletion protection is on for an object that is to be deleted or replaced.",
    summary: "Deletion protection",
    text: ({ does }, { it }) => `prevents ${does === "delete" ? "deleting" : "replacing"} ${it}`,
    remedy: ({ subject: { id = "" }, does, turnedOff }, { replacedUnshown, setting }) => {
      const off = turnedOff
        ? "Apply the change that turns it off first, on its own."
        : "Set it to false, apply, and try again.";
      if (does === "replace") return id === "" ? `${off} ${replacedUnshown}`.trim() : off;
      return `${off} If no declaration of it is left to change, set ${setting("allowDelete")} to ${id} for one run.`;
    },
    examples: [
      { subject: server, does: "delete" },
      { subject: server, does: "replace" },
      { subject: server, does: "replace", turnedOff: true },
    ],
  }),
  not_created: define<{ kind: string; keys: number }>({
    when: "The service fails to create an object and replays that failure for new idempotency keys.",
    summary: "Not created",
    text: ({ kind, keys }, { a }) =>
      `the service failed to create ${a(kind)} and replayed that failure for ${keys} idempotency keys`,
    remedy: () => "Try again later, or report it to the service.",
    examples: [{ kind: "server", keys: 2 }],
  }),
  same_name: define<{
    subject: Subject;
    /** Whether the host has shown the state of the declaration, which is then another object's. */
    isShown?: boolean;
    unproved?: "old" | "different" | undefined;
  }>({
    when: "An object of the same name exists and this run has seen no state that holds it.",
    summary: "Name already in use",
    apart: ({ subject: { id } }) => id,
    text: ({ subject: { kind, id = "", name = "" }, isShown, unproved }, { a, replacedUnshown }) =>
      unproved === undefined
        ? `${a(kind)} named ${name} already exists (${id}), and no state that this run has seen holds it${mayBeReplaced(isShown, replacedUnshown) ? REPLACED : ""}`
        : `${a(kind)} named ${name} already exists (${id}), and ${UNPROVED[unproved]}, so nothing shows whether the run that was cut off created it; nothing was created`,
    remedy: ({ subject, isShown, unproved }, { importCommand, replacedUnshown, setting }) =>
      unproved === undefined
        ? isShown
          ? "If a run that was cut off created it and no state holds it, delete or rename it in the service, and run this again; otherwise give one of the two another name."
          : `To manage it, import it: ${importCommand(subject)}. ${replacedUnshown}`.trim()
        : `If it did, import ${subject.id ?? "it"}: ${importCommand(subject)}. If ${subject.id ?? "it"} is being replaced, or another object may have its name, run without ${setting("resume")}.`,
    examples: [
      { subject: { kind: "instance", id: "ins_1", name: "erp" } },
      { subject: key },
      { subject: server, isShown: true },
      { subject: server, unproved: "old" },
      { subject: server, unproved: "different" },
    ],
  }),
  planned_twice: define<{ subject: Subject }>({
    when: "Two declarations of one run are about to create objects of the same name.",
    summary: "Name planned twice",
    text: ({ subject: { kind, name = "" } }, { a }) =>
      `${a(kind)} named ${name} is planned more than once in this run`,
    remedy: (_, { setting }) =>
      `Give each its own name, or set ${setting("sameName")} to allow if that is meant.`,
    examples: [{ subject: { kind: "server", name: "web" } }],
  }),
  made_with_same_name: define<{ made: string; namesake: Subject; isShown?: boolean }>({
    when: "An object was created although another one has the same name.",
    summary: "Name already in use",
    apart: ({ namesake: { id } }) => id,
    text: ({ made, namesake: { kind, id = "", name = "" } }, { subject }) =>
      `created ${subject({ kind, id: made })}, although ${id} has the same name (${name})`,
    remedy: ({ isShown, namesake }, { replacedUnshown }) =>
      `If ${mayBeReplaced(isShown, replacedUnshown) ? `${namesake.id ?? "it"} is not the one that is replaced, and ` : ""}one of the two is not meant to be, delete or rename the one that no state holds.`,
    examples: [{ made: "srv_7", namesake: server }],
  }),
  handed_over: define<{ subject: Subject; token: string; intent: string }>({
    when: "An earlier run that exited cleanly created an object for the same token or declaration.",
    summary: "Created by an earlier run",
    text: ({ token }, { it, replacedUnshown }) =>
      `an earlier run that exited cleanly already created ${it} for ${replacedUnshown === "" ? `the token ${JSON.stringify(token)}` : "this declaration"}; another state may own it`,
    remedy: ({ subject, intent }, { importCommand, replacedUnshown }) =>
      `If this is meant to be that object, import it: ${importCommand(subject)}. ${replacedUnshown || "If another state owns it, give each its own token."} If there are to be two, run \`erphost intents drop ${intent}\` first.`,
    examples: [{ subject: server, token: "web", intent: "i-1" }],
  }),
  orphan_suspected: define<{
    kind: string;
    ids: readonly string[];
    intent: string;
    why?: "old" | undefined;
  }>({
    when: "An interrupted run may have created an object and nothing proves which one, or created one long ago that would be replaced now.",
    summary: "Object of an interrupted run",
    text: ({ kind, ids, why }, { noun, or }) =>
      why === "old"
        ? `an interrupted run created ${noun(kind)} ${ids.join()} more than a day ago, and somebody may use it by now; what is declared now would replace it`
        : ids.length > 1
          ? `an interrupted run may have created one of these, but it can no longer be verified which: ${noun(kind)} ${or(ids)}`
          : `an interrupted run may have created ${noun(kind)} ${ids.join()}, but this can no longer be verified`,
    remedy: ({ kind, ids, intent }, { importCommand }) =>
      `Import the right one${ids.length > 1 ? "" : ` (${importCommand({ kind, id: ids[0] })})`} or run \`erphost intents drop ${intent}\`, then try again.`,
    examples: [
      { kind: "server", ids: ["srv_1"], intent: "6c1f0e1c" },
      { kind: "server", ids: ["srv_1", "srv_2"], intent: "6c1f0e1c" },
      { kind: "server", ids: ["srv_1"], intent: "6c1f0e1c", why: "old" },
    ],
  }),
  in_progress: define<{
    kind: string;
    name: string;
    does: "create" | "rotate" | "delete";
    process: string;
    file: string;
  }>({
    when: "Another run on this machine is working on the same object.",
    summary: "Another run is working on it",
    text: ({ kind, name, does, process }, { noun }) =>
      does === "create"
        ? `${noun(kind)} ${name} is being created by another run (process ${process}); continuing could create it twice`
        : `${noun(kind)} ${name} is being ${does}d by another run (process ${process}); continuing could ${does} it twice`,
    remedy: ({ file }) =>
      `Wait until that run is over, or end it, then try again. If there is no such run, delete ${file}.`,
    examples: [
      { kind: "server", name: "web", does: "create", process: "17", file: "/tmp/6c1f.17-1.json" },
      { kind: "api_key", name: "key_1", does: "rotate", process: "17", file: "/tmp/6c1f.json" },
    ],
  }),
  answered_twice: define<{ subject: Subject; by: string; other: string }>({
    when: "The service answers a create with an id that another object has.",
    summary: "Id answered twice",
    text: ({ by, other }, { it }) =>
      `the service answered the create of ${by} with ${it}, which ${other} already has`,
    remedy: () => "Nothing more was done with it. Report this to the service.",
    examples: [{ subject: server, by: "web", other: "a state" }],
  }),
  adopted_twice: define<{ subject: Subject; by: string; other: string }>({
    when: "Two declarations adopt one object.",
    summary: "Adopted twice",
    text: ({ by, other }, { it }) => `${it} cannot be adopted by ${by}: ${other} already has it`,
    remedy: () => "Declare each object once.",
    examples: [{ subject: server, by: "web", other: "api" }],
  }),
  own_create: define<{ subject: Subject }>({
    when: "A host deletes, as the replaced object, the one that this run has just created.",
    summary: "Created by this run",
    text: (_, { it }) =>
      `${it} was created by this very run; deleting it for a replacement would destroy the new object`,
    remedy: () => "Nothing was deleted. Run it again.",
    examples: [{ subject: server }],
  }),
  two_rotators: define<{ keyId: string; other: string }>({
    when: "Two declarations rotate one key.",
    summary: "Two rotators of one key",
    text: ({ keyId, other }, { type }) =>
      isKey(other)
        ? `API key ${keyId} is declared as ${type("api_key")}, which rotates it`
        : `API key ${keyId} already has a rotator (${other}); two would end each other's keys`,
    remedy: ({ other }, { field }) =>
      isKey(other) ? `Give ${field("triggers")} to that one.` : "Keep one of them.",
    examples: [
      { keyId: "key_1", other: "API key key_1" },
      { keyId: "key_1", other: "rotation-of-key_1" },
    ],
  }),
  mass_gone: define<{ subject: Subject; gone: number; known: number }>({
    when: "More objects are gone than can be taken for the truth: more than 10 and a fifth of those known, or more than 3 and all.",
    summary: "Many objects are missing",
    text: ({ gone, known }, { it }) =>
      `${gone} of the ${known} objects known to this run are missing from the service, including ${it}`,
    remedy: (_, { setting }) =>
      `That usually means the wrong account or a fault of the service, so nothing is forgotten. If they are really gone, set ${setting("allowMassGone")} to true for one run.`,
    examples: [{ subject: { kind: "server", id: "srv_1" }, gone: 11, known: 12 }],
  }),
  backup_failed: define<{
    subject: Subject;
    field: string;
    option: string;
    backup: string;
    status: string;
  }>({
    when: "The backup that a guarded change asks for is not ready.",
    summary: "Backup failed",
    text: ({ field: changed, option, backup, status }, { field, it }) =>
      `${it} keeps its ${field(changed)}: backup ${backup}, which ${field(option)} asks for first, is ${status}`,
    remedy: () => "Find the reason in the service, then try again.",
    examples: [{ ...guarded, status: "failed" }],
  }),
  backup_unfinished: define<{
    subject: Subject;
    backup: string;
    status: string;
    outcome: "failed" | "timeout" | "interrupted";
  }>({
    when: "A backup that an action takes failed, or the wait for it has ended.",
    summary: "Backup not finished",
    text: ({ backup, status, outcome }, { it }) =>
      outcome === "interrupted"
        ? `the run was interrupted while it waited for backup ${backup} of ${it}, which continues in the service`
        : `backup ${backup} of ${it} is ${status}${outcome === "timeout" ? " at the end of the wait, and continues in the service" : ""}`,
    remedy: ({ outcome }, { setting }) =>
      outcome === "failed"
        ? "Find the reason in the service, then try again."
        : `The next invocation takes another one, unless purpose and ${setting("scope")} are set.`,
    examples: [
      { subject: instance, backup: "bak_1", status: "failed", outcome: "failed" },
      { subject: instance, backup: "bak_1", status: "pending", outcome: "timeout" },
      { subject: instance, backup: "bak_1", status: "pending", outcome: "interrupted" },
    ],
  }),
  interrupted: define<{ subject: Subject; field: string; option: string; backup: string }>({
    when: "A run is interrupted while it waits for the backup that a guarded change asks for.",
    summary: "Interrupted",
    text: ({ field: changed, option, backup }, { field, it }) =>
      `${it} keeps its ${field(changed)}: the run was interrupted while it waited for backup ${backup}, which ${field(option)} asks for first`,
    remedy: () => "Run it again to continue.",
    examples: [guarded],
  }),
  self_rotation: define<{ subject: Subject; does: "rotate" | "delete" }>({
    when: "A run is about to rotate or delete the key that it authenticates with.",
    summary: "Key of this run",
    text: ({ subject: it, does }, { subject }) =>
      does === "rotate"
        ? `${subject({ ...it, kind: "api_key" })} is the key that this run uses; rotating it would end the run's own access after the grace period`
        : `${subject(it)} is the key that this run uses; deleting it would lock the run out`,
    remedy: ({ does }, { field }) =>
      does === "rotate"
        ? `Set ${field("allow_self_rotation")} to true and pass the new key on to the pipeline, or run with another key.`
        : "Run with another key to delete it.",
    examples: [
      { subject: { ...key, kind: "api_key_rotation" }, does: "rotate" },
      { subject: key, does: "delete" },
    ],
  }),
  rotated_elsewhere: define<{ keyId: string; successor: string }>({
    when: "A key to be rotated has a successor that this state does not know.",
    summary: "Rotated elsewhere",
    text: ({ keyId, successor }) =>
      `API key ${keyId} was rotated elsewhere and cannot be rotated again; its successor is ${successor}, and whoever rotated it has the secret`,
    remedy: ({ keyId }) =>
      `Declare that key, or refresh (for a rotation once ${keyId} has ended), then try again.`,
    examples: [{ keyId: "key_1", successor: "key_2" }],
  }),
  upgrade_of_unfinished: define<{ subject: Subject; field: string; found: string }>({
    when: "What an interrupted run created would be upgraded without the backup that has to come first.",
    summary: "Upgrade without a backup",
    text: ({ field: name, found }, { field, it }) =>
      `${it} was created by a run that was cut off, and its ${field([name])} is ${found}; changing that takes a backup first, and only a managed object gets one`,
    remedy: ({ field: name, found }, { field }) =>
      `Set ${field([name])} to ${found} and apply, then change it.`,
    examples: [{ subject: { kind: "instance", id: "ins_1" }, field: "version", found: "17.0" }],
  }),
  successor_gone: define<{ keyId: string; successor: string }>({
    when: "The service repeats its answer to a rotation, and the key that it made was deleted since.",
    summary: "Successor is gone",
    text: ({ keyId, successor }) =>
      `API key ${keyId} was rotated before and cannot be rotated again; its successor was ${successor}, which no longer exists`,
    remedy: () => "Declare another key in its place, or have this one replaced.",
    examples: [{ keyId: "key_1", successor: "key_2" }],
  }),
};

const UNPROVED = {
  old: "the service no longer remembers how it was created",
  different: "it differs in something that cannot be changed",
};

const mayBeReplaced = (isShown = false, unshown: string): boolean => !isShown && unshown !== "";
const REPLACED = ", unless it is the one that is replaced";
