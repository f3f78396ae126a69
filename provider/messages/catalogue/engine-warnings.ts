/** What the engine did or saw that a person should know, and failures that leave an object. */
import { define, type Message, type Path, type Subject } from "../message";

const server: Subject = { kind: "server", id: "srv_1", name: "web" };
const instance: Subject = { kind: "instance", id: "ins_1", name: "erp" };
const END = "2026-11-22T08:00:00Z";
const ID = "3f2a0000-0000-4000-8000-000000000001";

const EXPOSURES = {
  link: "is a symbolic link",
  owner: "belongs to another user",
  mode: "can be written to by other users, which its file system does not let us change",
};

/** A longer list would hide the rest of the sentence. */
const SCOPES_SHOWN_MAX = 10;

/** Why a folder that is refused is not to be removed. */
const KEPT = "it may be all that leads to the objects of an interrupted run";

/** Of an intent, from the name of its file. */
const idOf = (file: string): string => /([^/\\.]+)[^/\\]*$/.exec(file)?.[1] ?? file;

export const engineWarnings = {
  failed_state: define<{ subject: Subject; status: string }>({
    when: "An object ends in a failed state while it is waited for.",
    summary: "Object failed",
    text: ({ status }, { it }) => `${it} ended in the state ${status}`,
    remedy: () => "It exists in the service; find the reason there.",
    examples: [{ subject: instance, status: "failed" }],
  }),
  found_failed: define<{ subject: Subject; status: string }>({
    when: "A refresh finds an object in a failed state.",
    summary: "Object has failed",
    text: ({ status }, { it }) => `${it} is in the state ${status} now`,
    remedy: () => "It exists in the service; find the reason there.",
    examples: [{ subject: instance, status: "failed" }],
  }),
  rotation_failed: define<{ reason: Message | string }>({
    when: "A key's fields were updated, and then its rotation failed.",
    summary: "Rotation failed",
    text: ({ reason }, { say }) => `the key was not rotated: ${say(reason)}`,
    remedy: ({ reason }, { remedy }) => remedy(reason),
    examples: [{ reason: "the connection failed" }],
  }),
  lost_secret_kept: define<{ keyId: string; reason: Message | string }>({
    when: "A key was found whose secret nobody received, and rotating it failed.",
    summary: "Secret of a key is lost",
    text: ({ keyId, reason }, { say }) =>
      `nobody has the secret of API key ${keyId}, whose answer was lost, and rotating it failed: ${say(reason)}`,
    remedy: ({ reason }, { remedy }) => remedy(reason),
    examples: [{ keyId: "key_1", reason: "the connection failed" }],
  }),
  lost_secret_rotated: define<{ keyId: string; end: string }>({
    when: "A key was found whose secret nobody received, and was rotated.",
    summary: "Key with a lost secret was rotated",
    text: ({ keyId, end }) =>
      `nobody has the secret of API key ${keyId}, whose answer was lost; it was rotated and ends at ${end}`,
    examples: [{ keyId: "key_1", end: END }],
  }),
  lost_successor_rotated: define<{ keyId: string; end: string }>({
    when: "The answer to an earlier rotation was lost, and the key that it created was rotated.",
    summary: "Key with a lost secret was rotated",
    text: ({ keyId, end }) =>
      `API key ${keyId} was created by a rotation whose answer was lost, and nobody has its secret; it was rotated in turn and ends at ${end}`,
    examples: [{ keyId: "key_2", end: END }],
  }),
  not_ready: define<{
    subject: Subject;
    status: string;
    seconds: number;
    ready: readonly string[];
  }>({
    when: "An object is not ready when the time for waiting is over.",
    summary: "Object is not ready yet",
    text: ({ status, seconds, ready }, { or, it }) =>
      `${it} is still ${status} after ${seconds} s; it is kept, and a later run will see when it is ${or(ready)}`,
    examples: [{ subject: instance, status: "creating", seconds: 1200, ready: ["running"] }],
  }),
  not_awaited: define<{
    subject: Subject;
    before: string;
    status: string;
    ready: readonly string[];
  }>({
    when: "An object was not ready before it was updated, and is not waited for.",
    summary: "Object is not waited for",
    text: ({ before, status, ready }, { or, it }) =>
      `${it} was ${before} before this update and is ${status} now; whether it becomes ${or(ready)} is not waited for`,
    remedy: ({ before }, { field }) =>
      `If ${before} is a state that it should stay in, add it to ${field("ready_states")}.`,
    examples: [{ subject: server, before: "stopped", status: "stopped", ready: ["running"] }],
  }),
  not_watched: define<{ subject: Subject; reason: Message | string }>({
    when: "An object exists, and a call failed while it was waited for.",
    summary: "Object was not waited for",
    text: ({ reason }, { say, it }) =>
      `${it} exists, but waiting for it to be ready failed: ${say(reason)}`,
    examples: [{ subject: instance, reason: "the connection failed" }],
  }),
  not_taken: define<{ subject: Subject; paths: readonly Path[] }>({
    when: "The service answered an update with a value from before it.",
    summary: "Object did not take a value",
    text: ({ paths }, { and, field, it }) =>
      `${it} was updated, but still has another value of ${and(paths.map((path) => field(path)))}; each plan shows the change until it takes effect`,
    remedy: () =>
      "If the service only writes it in another form, write it in the program as the service does.",
    examples: [{ subject: instance, paths: [["version"]] }],
  }),
  gone: define<{ subject: Subject }>({
    when: "An object is proved to be gone, and leaves the state.",
    summary: "Object is gone",
    text: (_, { it }) => `${it} is gone: the service no longer lists it`,
    examples: [{ subject: server }],
  }),
  expired: define<{ subject: Subject }>({
    when: "An object that the service keeps for a time only is gone; its state stays.",
    summary: "Object has expired",
    text: (_, { it }) => `${it} has expired: the service no longer keeps it`,
    remedy: (_, { field }) => `Change its ${field("triggers")} to take a new one.`,
    examples: [{ subject: { kind: "backup", id: "bak_1" } }],
  }),
  not_permitted: define<{
    keyId: string;
    action: "create" | "update" | "delete";
    kind: string;
    scope: string;
    provided: readonly string[];
  }>({
    when: "A planned action needs a scope that the API key does not have. Each scope is reported once.",
    summary: "Scope missing",
    apart: ({ scope }) => scope,
    text: ({ keyId, action, kind, scope, provided }, { noun }) =>
      `API key ${keyId} lacks the scope ${scope}, without which this plan cannot ${action} any ${noun(kind)}; it has ${provided.length > 0 ? provided.slice(0, SCOPES_SHOWN_MAX).join(", ") : "none"}`,
    remedy: (_, { setting }) =>
      `Apply with a key that has it. If this key is for plans alone, set ${setting("preflight")} to off.`,
    examples: [
      {
        keyId: "key_1",
        action: "delete",
        kind: "server",
        scope: "servers:delete",
        provided: ["servers:read", "servers:write"],
      },
    ],
  }),
  retained: define<{ subject: Subject; planned: boolean }>({
    when: "An object that the service cannot delete leaves the state.",
    summary: "Object is retained",
    text: ({ planned }, { it }) =>
      planned
        ? `${it} will be retained: the service cannot delete it, so it leaves the state and remains in the service, unmanaged`
        : `${it} is retained: the service cannot delete it, so it left the state and remains in the service, unmanaged`,
    examples: [
      { subject: instance, planned: true },
      { subject: instance, planned: false },
    ],
  }),
  orphan_deleted: define<{ subject: Subject }>({
    when: "An object of an interrupted run does not match the configuration any more.",
    summary: "Object of an interrupted run was deleted",
    text: (_, { it }) =>
      `${it}, which an interrupted run created, no longer matches the configuration and was deleted`,
    examples: [{ subject: { kind: "server", id: "srv_1" } }],
  }),
  orphan_retained: define<{ subject: Subject }>({
    when: "An object of an interrupted run does not match any more, and cannot be deleted.",
    summary: "Object of an interrupted run is unmanaged",
    apart: ({ subject: { id } }) => id,
    text: (_, { it }) =>
      `${it}, which an interrupted run created, no longer matches the configuration and cannot be deleted; it remains in the service, unmanaged`,
    examples: [{ subject: { kind: "instance", id: "ins_1" } }],
  }),
  recovered: define<{ subject: Subject }>({
    when: "An object is taken that an earlier run created for the same declaration.",
    summary: "Object of an earlier run was taken",
    text: (_, { it }) => `took ${it}, which an earlier run created for this declaration`,
    examples: [{ subject: server }],
  }),
  adopted: define<{ subject: Subject; createdAt: string }>({
    when: "An object is adopted by its name and time, since an interrupted run must have created it.",
    summary: "Object of an interrupted run was adopted",
    text: ({ createdAt }, { it }) =>
      `adopted ${it}, which an interrupted run created at ${createdAt}`,
    examples: [{ subject: server, createdAt: END }],
  }),
  backup_taken: define<{ subject: Subject; backup: string; field: string }>({
    when: "A backup was taken before a guarded change.",
    summary: "Backup taken",
    text: ({ backup, field: changed }, { field, it }) =>
      `took backup ${backup} before changing ${field(changed)} of ${it}`,
    examples: [{ subject: instance, backup: "bak_1", field: "version" }],
  }),
  key_rotated_elsewhere: define<{ subject: Subject; current: string }>({
    when: "A read shows that a key was rotated outside of this state.",
    summary: "Key was rotated elsewhere",
    text: ({ current }, { it }) =>
      `${it} was rotated elsewhere: the key in use is ${current}; a secret in the state is an older one`,
    examples: [{ subject: { kind: "api_key", id: "key_1", name: "ci" }, current: "key_2" }],
  }),
  older_key_kept: define<{ subject: Subject; keyId: string }>({
    when: "An older key could not be deleted together with the current one.",
    summary: "Older key was not deleted",
    text: ({ keyId }, { it }) =>
      `API key ${keyId}, an older one of ${it}, could not be deleted and ends with its grace period`,
    examples: [{ subject: { kind: "api_key", id: "key_1" }, keyId: "key_2" }],
  }),
  intents_exposed: define<{ folder: string; exposure: "link" | "owner" | "mode" }>({
    when: "Somebody else can write to the folder of intents, so what is in it cannot be trusted.",
    summary: "Folder of intents is not private",
    text: ({ folder, exposure }) =>
      `the folder of intents ${folder} ${EXPOSURES[exposure]}, so somebody else may have put intents there; nothing was changed`,
    remedy: ({ exposure }, { setting }) =>
      exposure === "mode"
        ? `Set ${setting("intentsDir")} to a folder on another file system, and keep what is in this one: ${KEPT}.`
        : exposure === "owner"
          ? `Make it and what is in it yours (chown -R), or set ${setting("intentsDir")} to a folder of your own and keep what is in this one: ${KEPT}.`
          : `Set ${setting("intentsDir")} to a folder that is not reached by a link, and keep what is in this one: ${KEPT}.`,
    examples: [
      { folder: "/ci/intents/6c1f", exposure: "mode" },
      { folder: "/ci/intents/6c1f", exposure: "owner" },
      { folder: "/ci/intents/6c1f", exposure: "link" },
    ],
  }),
  intents_stuck: define<{ folder: string; seconds: number }>({
    when: "The file system that the folder of intents is on does not answer.",
    summary: "Folder of intents does not answer",
    text: ({ folder, seconds }) =>
      `the folder of intents ${folder} has not answered for ${seconds} s; without it nothing is created`,
    remedy: (_, { setting }) =>
      `Check the file system that it is on, or set ${setting("intentsDir")} to a local folder.`,
    examples: [{ folder: "/mnt/ci/intents/6c1f", seconds: 30 }],
  }),
  intents_unreadable: define<{
    path: string;
    does: "read" | "understand" | "take over";
    reason: string;
  }>({
    when: "An intent, a plan's note, the user's key for them or their folder is there and cannot be read, understood or taken over.",
    summary: "Intents cannot be read",
    text: ({ path, does, reason }) =>
      `cannot ${does} ${path} (${reason}), which may be all that leads to an object of an interrupted run; ${does === "take over" ? "no other one was created instead" : "without it nothing is created, rotated or deleted"}`,
    remedy: ({ does, reason }) => {
      if (does === "understand") {
        return "Run the newest release that has worked in this folder. If the file is damaged, look for objects that no state has (`erphost import` lists them), import or delete them, and only then remove it.";
      }
      return /^E[MN]FILE$/.test(reason)
        ? "Keep it, allow more open files (`ulimit -n`), and run again."
        : "Keep it, give this user access to it or mend its file system, and run again.";
    },
    examples: [
      { path: `/ci/intents/6c1f/${ID}.17-1.json`, does: "read", reason: "EMFILE" },
      { path: "/ci/intents/6c1f", does: "read", reason: "EACCES" },
      { path: `/ci/intents/6c1f/${ID}.17-1.json`, does: "take over", reason: "EROFS" },
      { path: `/ci/intents/6c1f/${ID}.17-1.json`, does: "understand", reason: "it is damaged" },
    ],
  }),
  intent_foreign: define<{ kind: string; does: "create" | "rotate" | "delete"; file: string }>({
    when: "An intent for the same object was planted or changed, or is of an API key that was replaced.",
    summary: "Intent is not ours",
    text: ({ kind, does, file }, { a }) =>
      `the intent ${file}, to ${does} ${a(kind)}, is signed neither by this user nor with this API key: it was written by somebody else, or was changed since; it is not followed, and nothing was changed`,
    remedy: ({ file }) =>
      `If an interrupted run had another API key, look in the service for what that run created, and import it. Then delete the intent: \`erphost intents drop ${idOf(file)}\`.`,
    examples: [
      { kind: "server", does: "create", file: `/ci/intents/6c1f/${ID}.17-1.json` },
      { kind: "api_key", does: "rotate", file: `/ci/intents/6c1f/${ID}.17-1.json` },
    ],
  }),
  intents_unwritable: define<{ folder: string; reason: string }>({
    when: "The folder for what a crash must not lose cannot be written.",
    summary: "Intents cannot be written",
    text: ({ folder, reason }) =>
      `intents cannot be written to ${folder} (${reason}), so a crash could leave an object that no state knows`,
    remedy: (_, { setting }) =>
      `Make the folder writable, or set ${setting("intentsDir")} to one that is.`,
    examples: [{ folder: "/var/lib/erphost", reason: "EACCES" }],
  }),
};
