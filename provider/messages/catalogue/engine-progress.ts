/** Notes of a plan, reasons of a change, and what a waiting person is shown. */
import { define, predicate, type Path, type Subject, type Words } from "../message";

/** A rotation that is planned. */
export interface Rotation {
  /** The key in use, which is rotated. */
  readonly subject: Subject;
  /** How long it keeps working; undefined where the service decides that. */
  readonly grace: string | undefined;
}

const key: Subject = { kind: "api_key", id: "key_1", name: "ci" };

const untilWhen = ({ subject: { id = "it" }, grace }: Rotation, { field }: Words): string =>
  grace === undefined
    ? `After that, ${id} works for the grace period of the service; ${field("previous_key_expires_at")} then shows when it ends.`
    : `After that, ${id} works for another ${grace} (${field("grace_period")}).`;

export const engineProgress = {
  backup_is: define<{ subject: Subject; backup: string; status: string }>({
    when: "A backup that an action takes was begun, or is finished.",
    summary: "Backup",
    text: ({ backup, status }, { it }) => `backup ${backup} of ${it} is ${status}`,
    examples: [
      { subject: { kind: "instance", id: "ins_1" }, backup: "bak_1", status: "completed" },
    ],
  }),
  unmanaged_key: predicate({
    when: "A key of the free properties is no longer given, and the service keeps it.",
    summary: "Property is no longer managed",
    text: () => "is left as it is in the service and no longer managed",
    remedy: () => "To clear it there, set it to null instead of leaving it out.",
  }),
  nulled_key: predicate({
    when: "A key of the free properties is no longer given, and the profile says to set it to null.",
    summary: "Property is set to null",
    text: () => "is set to null",
  }),
  profile_changed: define<{ subject: Subject }>({
    when: "The contract profile is not the one that the object was last written or read with.",
    summary: "Contract profile changed",
    text: (_, { it }) => `the contract profile of ${it} has changed since the last run`,
    examples: [{ subject: { kind: "server", id: "srv_1" } }],
  }),
  rotation_due: define<Rotation & { after: string; since: string }>({
    when: "A key is older than its rotation period.",
    summary: "Key will be rotated",
    text: ({ after, since }, { field, it }) =>
      `${it} will be rotated: it was last rotated at ${since}, and ${field("rotate_after")} is ${after}`,
    remedy: untilWhen,
    examples: [{ subject: key, after: "90d", since: "2026-01-31T00:00:00Z", grace: "7d" }],
  }),
  rotation_triggered: define<Rotation & { paths: readonly Path[] }>({
    when: "A change in the program rotates a key.",
    summary: "Key will be rotated",
    text: ({ paths }, { and, field, it }) =>
      `${it} will be rotated, because of a change of ${and(paths.map((path) => field(path)))}`,
    remedy: untilWhen,
    examples: [
      { subject: key, paths: [["triggers", "epoch"]], grace: undefined },
      { subject: key, paths: [["triggers"], ["recipient"]], grace: "7d" },
    ],
  }),
  secret_lost: define<Rotation>({
    when: "A key is rotated again, since the secret of the one in use is not in the state.",
    summary: "Key will be rotated",
    text: (_, { it }) => `${it} will be rotated: the secret of the key in use is not in this state`,
    remedy: untilWhen,
    examples: [{ subject: key, grace: "7d" }],
  }),
  waiting_until_ready: define<{ subject: Subject; status: string; ready: readonly string[] }>({
    when: "An object is not ready yet.",
    summary: "Waiting",
    text: ({ status, ready }, { or, it }) => `${it} is ${status}; waiting for ${or(ready)}`,
    examples: [
      { subject: { kind: "server", id: "srv_1" }, status: "creating", ready: ["running"] },
    ],
  }),
  waiting_until_listed: define<{ subject: Subject }>({
    when: "An object was created a moment ago, and lists do not show it yet.",
    summary: "Waiting",
    text: (_, { it }) =>
      `${it} was created a moment ago and is not listed yet; waiting until it is`,
    examples: [{ subject: { kind: "server", id: "srv_1", name: "web" } }],
  }),
  waiting_for_run: define({
    when: "A process that an interrupted run left behind is working on the same object.",
    summary: "Waiting",
    text: () => "another run is working on this object; waiting for it",
  }),
};
