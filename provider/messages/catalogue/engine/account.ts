/** Whose objects a state holds: other accounts, former addresses, and twins. */
import { define, type Subject } from "../../message";

/** An account, by its address and environment. */
export interface Account {
  readonly baseUrl: string;
  readonly environment: string;
  /** What the service calls it. */
  readonly id?: string | undefined;
}

const server: Subject = { kind: "server", id: "srv_1", name: "web" };
const HERE = "https://erp.example.com/v1";
const BEFORE = "https://old.example.com/v1";
const TWIN = "http://127.0.0.1:4010/v1";
const live: Account = { baseUrl: HERE, environment: "live" };
const former: Account = { baseUrl: BEFORE, environment: "live" };

const accountText = ({ baseUrl, environment, id }: Account): string =>
  `${baseUrl} (${environment}${id === undefined ? "" : `, account ${id}`})`;

export const accountMessages = {
  wrong_account: define<{ subject: Subject; theirs: Account; ours: Account }>({
    when: "A state belongs to another account than the one that the run is configured for.",
    summary: "Wrong account",
    text: ({ theirs, ours }, { it }) =>
      `${it} belongs to the account at ${accountText(theirs)}, but this run is configured for ${accountText(ours)}`,
    remedy: ({ theirs, ours }, { setting }) => {
      const own = "Use the base URL and the API key of that account.";
      const mayHaveMoved =
        theirs.baseUrl !== ours.baseUrl && theirs.environment === ours.environment;
      return mayHaveMoved
        ? `${own} If the service itself has moved, set ${setting("formerBaseUrl")} to ${theirs.baseUrl} for one run.`
        : own;
    },
    examples: [
      { subject: server, theirs: live, ours: { ...live, environment: "test" } },
      { subject: server, theirs: former, ours: live },
      { subject: server, theirs: { ...live, id: "acct_1" }, ours: { ...live, id: "acct_2" } },
    ],
  }),
  state_moves: define<{ from: string; to: string }>({
    when: "A run writes the new address of the service into states that have the former one.",
    summary: "State moves to another address",
    apart: (_, { subject }) => subject?.id,
    text: ({ from, to }) =>
      `the state moves from ${from} to ${to}; nothing in the service is changed`,
    remedy: (_, { setting }) =>
      `Once this run is done, remove ${setting("formerBaseUrl")} from the configuration.`,
    examples: [{ from: BEFORE, to: HERE }],
  }),
  moves_only: define<{ kind: string; does: "create" | "change" | "delete"; from: string }>({
    when: "A run that moves states to another address would change something in the service as well.",
    summary: "This run only moves states",
    text: ({ kind, does, from }, { a, setting }) =>
      `this run cannot ${does} ${a(kind)}: ${setting("formerBaseUrl")} is set to ${from}, so it moves states and changes nothing in the service`,
    remedy: (_, { setting }) =>
      `Move first, with a run that only refreshes, then make this change without ${setting("formerBaseUrl")}.`,
    examples: [
      { kind: "server", does: "create", from: BEFORE },
      { kind: "server", does: "change", from: BEFORE },
      { kind: "server", does: "delete", from: BEFORE },
    ],
  }),
  state_becomes_twins: define({
    when: "A run on a twin marks a copy of the account's state, which no run for the account takes afterwards.",
    summary: "State becomes the twin's",
    text: () => "this copy of the state is marked as the twin's; nothing else changes by that",
    remedy: () =>
      "A refresh does the same. Plans after it show only what they would show for the account.",
  }),
  rewritten_by_refresh: define<{ subject: Subject; from: string }>({
    when: "A plan moves states to another address, or is for a twin, and has not refreshed them.",
    summary: "State not refreshed",
    text: ({ from }, { it }) =>
      `the state of ${it} is still that of ${from}, and only a refresh changes that`,
    remedy: () => "Let this run refresh the state.",
    examples: [{ subject: server, from: BEFORE }],
  }),
  not_moved: define<{
    subject: Subject;
    to: string;
    created?: { readonly there: string; readonly expected: string } | undefined;
  }>({
    when: "An object of a state is not at the address that the service is said to have moved to.",
    summary: "Not at the new address",
    text: ({ to, created }, { it }) =>
      created === undefined
        ? `${it} is not at ${to}, so its state is not moved there`
        : `${it} at ${to} is another object, created ${created.there} and not ${created.expected}; the state is not moved there`,
    remedy: () =>
      "Check that this is the new address of the same service, and that the API key is of the same account.",
    examples: [
      { subject: server, to: HERE },
      {
        subject: server,
        to: HERE,
        created: { there: "2026-11-22T08:00:00Z", expected: "2026-10-01T08:00:00Z" },
      },
    ],
  }),
  unfinished_before_move: define<{ from: string; count: number; folder: string }>({
    when: "An interrupted run left something unfinished at the address that states are to be moved from.",
    summary: "Unfinished at the former address",
    text: ({ from, count, folder }) =>
      `an interrupted run left ${count === 1 ? "a request" : `${count} requests`} to ${from} unfinished, noted in ${folder}`,
    remedy: () =>
      "Finish it at that address first. If that address does not answer any more, see `erphost intents`.",
    examples: [
      { from: BEFORE, count: 1, folder: "/state/erphost/intents/6c1f" },
      { from: BEFORE, count: 2, folder: "/state/erphost/intents/6c1f" },
    ],
  }),
  twin_run: define<{ twinOf: string; baseUrl: string }>({
    when: "A run works on a twin of an account.",
    summary: "This run works on a twin",
    text: ({ twinOf, baseUrl }) =>
      `this run works on the twin at ${baseUrl}; nothing changes in the account at ${twinOf}`,
    remedy: () =>
      "What it writes to its state belongs to the twin: run it on a copy, and never put that copy back.",
    examples: [{ twinOf: HERE, baseUrl: TWIN }],
  }),
  not_a_twin: define<{ baseUrl: string; twinOf: Account; says: Account | undefined }>({
    when: "A run is to work on a twin, and its address does not say that it is the twin of that account.",
    summary: "Not a twin of that account",
    text: ({ baseUrl, twinOf, says }) =>
      says === undefined
        ? `${baseUrl} does not say that it is a twin of ${accountText(twinOf)}`
        : `${baseUrl} is a twin of ${accountText(says)}, not of ${accountText(twinOf)}`,
    remedy: ({ twinOf }, { setting }) =>
      `Start one with \`erphost emulator --from ${twinOf.baseUrl}\`, or leave ${setting("twinOf")} out.`,
    examples: [
      { baseUrl: TWIN, twinOf: live, says: undefined },
      { baseUrl: TWIN, twinOf: live, says: former },
    ],
  }),
  state_of_twin: define<{ subject: Subject; twinOf: string }>({
    when: "A run for an account is given a state that a run on a twin has written.",
    summary: "State of a twin",
    text: ({ twinOf }, { it }) =>
      `the state of ${it} was written by a run on a twin of ${twinOf}, and is of no use anywhere else`,
    remedy: ({ twinOf }, { setting }) =>
      `Use the account's own state. To continue with the twin, set ${setting("twinOf")} to ${twinOf}.`,
    examples: [{ subject: server, twinOf: HERE }],
  }),
  own_state_on_twin: define<{ subject: Subject; twinOf: string }>({
    when: "A run on a twin is given a state in the very place in which runs for the account have written theirs.",
    summary: "State of the account itself",
    text: ({ twinOf }, { it }) =>
      `the state of ${it} seems to be the account's own, since runs for ${twinOf} have worked in this place; a run on a twin must not write it`,
    remedy: () => "Copy the state to another folder, workspace or backend, and run there.",
    examples: [{ subject: server, twinOf: HERE }],
  }),
};
