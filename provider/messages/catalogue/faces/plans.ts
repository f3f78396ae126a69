/** What is wrong with the file of a plan, for the command line and for policies. */
import { predicate } from "../../message";
import { visible } from "../../safe";

/** What a file holds in the place of a plan. */
type NoPlan = "empty" | "binary" | "events" | "state" | "newer" | "other";

const WHAT: Readonly<Record<NoPlan, string>> = {
  empty: "is empty",
  binary: "is a saved plan, which only its engine can read",
  events: "is a stream of events, and no plan",
  state: "is a state, and no plan",
  newer: "says something that this version cannot read; its engine may be newer",
  other: "is not a plan in JSON",
};

export const plansMessages = {
  plan_unreadable: predicate<{ what: NoPlan; name?: string | undefined }>({
    when: "A file that should be a plan is something else.",
    summary: "Not a plan",
    text: ({ what, name }) => `${WHAT[what]}${name === undefined ? "" : `: ${visible(name)}`}`,
    remedy: () => "`erphost plan-summary --help` shows how to write one.",
    examples: [
      { what: "empty" },
      { what: "binary" },
      { what: "events" },
      { what: "state" },
      { what: "newer", name: "action migrate of web" },
      { what: "other" },
    ],
  }),
  plan_file_unreadable: predicate<{ errorCode?: string | undefined }>({
    when: "The file of a plan cannot be read.",
    summary: "Unreadable file",
    text: ({ errorCode }) => `cannot be read${errorCode === undefined ? "" : ` (${errorCode})`}`,
    examples: [{}, { errorCode: "ENOENT" }],
  }),
};
