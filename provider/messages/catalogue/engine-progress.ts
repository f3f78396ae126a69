/** Notes of a plan, reasons of a change, and what a waiting person is shown. */
import { define, type Subject } from "../message";

export const engineProgress = {
  unmanaged_key: define<object>({
    when: "A key of the free properties is no longer given, and the service keeps it.",
    summary: "Property is no longer managed",
    predicate: true,
    text: () => "is left as it is in the service and no longer managed",
    remedy: () =>
      "To clear it there, set it to null instead of leaving it out. Where the contract profile sets `unset` to null, leaving it out does that.",
    examples: [{}],
  }),
  nulled_key: define<object>({
    when: "A key of the free properties is no longer given, and the profile says to set it to null.",
    summary: "Property is set to null",
    predicate: true,
    text: () => "is set to null",
    examples: [{}],
  }),
  profile_changed: define<{ subject: Subject }>({
    when: "The contract profile is not the one that the object was last written or read with.",
    summary: "Contract profile changed",
    text: ({ subject: it }, { subject }) =>
      `the contract profile of ${subject(it)} has changed since the last run`,
    examples: [{ subject: { kind: "server", id: "srv_1" } }],
  }),
  rotation_due: define<{ subject: Subject; after: string; since: string }>({
    when: "A key is older than its rotation period.",
    summary: "Key will be rotated",
    text: ({ subject: it, after, since }, { field, subject }) =>
      `${subject(it)} will be rotated: it was last rotated at ${since}, and ${field("rotate_after")} is ${after}`,
    examples: [
      {
        subject: { kind: "api_key", id: "key_1", name: "ci" },
        after: "90d",
        since: "2026-01-31T00:00:00Z",
      },
    ],
  }),
  secret_lost: define<{ subject: Subject }>({
    when: "A key is rotated again, since the secret of the one in use is not in the state.",
    summary: "Key will be rotated",
    text: ({ subject: it }, { subject }) =>
      `${subject(it)} will be rotated: it was rotated elsewhere, and the secret of the key in use is not in this state`,
    examples: [{ subject: { kind: "api_key", id: "key_1", name: "ci" } }],
  }),
  waiting_until_ready: define<{ subject: Subject; status: string; ready: readonly string[] }>({
    when: "An object is not ready yet.",
    summary: "Waiting",
    text: ({ subject: it, status, ready }, { or, subject }) =>
      `${subject(it)} is ${status}; waiting for ${or(ready)}`,
    examples: [
      { subject: { kind: "server", id: "srv_1" }, status: "creating", ready: ["running"] },
    ],
  }),
  waiting_until_listed: define<{ subject: Subject }>({
    when: "An object was created a moment ago, and lists do not show it yet.",
    summary: "Waiting",
    text: ({ subject: it }, { subject }) =>
      `${subject(it)} was created a moment ago and is not listed yet; waiting until it is`,
    examples: [{ subject: { kind: "server", id: "srv_1", name: "web" } }],
  }),
  waiting_for_run: define<object>({
    when: "A process that an interrupted run left behind is working on the same object.",
    summary: "Waiting",
    text: () => "another run is working on this object; waiting for it",
    examples: [{}],
  }),
};
