/** What the faces themselves say. */
import { define, type Message, type Subject } from "../message";

export const facesMessages = {
  gone_already: define<{ subject: Subject }>({
    when: "An object to be deleted had already been deleted by someone else.",
    summary: "Object was already gone",
    text: ({ subject: it }, { subject }) => `${subject(it)} was already gone`,
    examples: [{ subject: { kind: "server", id: "srv_1" } }],
  }),
  quota_waited: define<{ notice: Message | string }>({
    when: "A run had to wait for the quota of its key.",
    summary: "Waited for the rate limit",
    text: ({ notice }, { say }) => `this run had to wait: ${say(notice)}`,
    remedy: () => "Further waits are in the log (TF_LOG=INFO).",
    examples: [{ notice: "the rate limit of 100 calls per minute is used up" }],
  }),
};
