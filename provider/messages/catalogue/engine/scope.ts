/** What an earlier run has created for the same declaration, as its intent or its idempotency key shows. */
import { define, shortened, type Subject } from "../../message";

const server: Subject = { kind: "server", id: "srv_1", name: "web" };
const instance: Subject = { kind: "instance", id: "ins_1", name: "erp" };
const BEFORE = "2026-11-22T08:00:00Z";

export const scopeMessages = {
  found_alive: define<{
    subject: Subject;
    createdAt: string;
    why: "unasked" | "uninformed" | "fixed";
  }>({
    when: "An earlier run created an object for the same declaration of the same scope, and nothing shows whether a state holds it.",
    summary: "Created by an earlier run",
    text: ({ createdAt, why }, { it }) =>
      `an earlier run created ${it} for this declaration at ${createdAt}, and ${WHY[why]}; nothing was created`,
    remedy: ({ subject, why }, { setting, noun, importCommand, replacedUnshown }) => {
      const { id = "", kind } = subject;
      const another =
        `${why === "fixed" ? "" : replacedUnshown} To replace ${id}, or to have one more ${noun(kind)}, unset ${setting("scope")} for this run.`.trim();
      // Its state has one, then, which has not been shown.
      if (why === "uninformed" && replacedUnshown !== "") return another;
      if (why === "unasked") {
        return `If that run was cut off, set ${setting("resume")} to true for one run, which takes ${id} over. If it is still running, let it finish. If ${id} belongs to another state, give each state its own scope. ${another}`;
      }
      const take =
        why === "uninformed"
          ? `If that run was cut off, plan and apply in one command with ${setting("resume")} set to true, or import ${id}`
          : `To manage ${id}, import it`;
      return `${take}: ${importCommand(subject)}. ${another}`;
    },
    examples: [
      { subject: server, createdAt: BEFORE, why: "unasked" },
      { subject: server, createdAt: BEFORE, why: "uninformed" },
      { subject: server, createdAt: BEFORE, why: "fixed" },
    ],
  }),
  left_open: define<{ subject: Subject; isSure: boolean; isReplaced: boolean; isLiving: boolean }>({
    when: "A planned object's name is in use by what a run that was cut off, or may still be at work, created for it, by an intent in this folder.",
    summary: "Created by an earlier run",
    apart: ({ subject: { id }, isReplaced }) => (isReplaced ? id : undefined),
    text: ({ isSure, isReplaced, isLiving }, { it }) =>
      `${isLiving ? "a run that may still be at work" : "a run that was cut off"} ${isSure ? "created" : "may have created"} ${it} for this declaration; ${isSure ? "it" : "if it did, it"} will be ${isReplaced ? "deleted, because it differs in something that cannot be changed, and another one created" : "taken over"}${isLiving ? ", once that run has ended" : ""}`,
    examples: [
      { subject: server, isSure: true, isReplaced: false, isLiving: false },
      { subject: server, isSure: true, isReplaced: false, isLiving: true },
      { subject: server, isSure: false, isReplaced: false, isLiving: false },
      { subject: instance, isSure: true, isReplaced: true, isLiving: false },
      { subject: instance, isSure: false, isReplaced: true, isLiving: false },
    ],
  }),
  left_unfinished: define<{ begun: readonly Subject[] }>({
    when: "A create is planned, and runs that were cut off left others of its kind in this folder that have no identity.",
    summary: "Unfinished creates of earlier runs",
    text: ({ begun }, { subject }) =>
      `runs that were cut off left creates unfinished: ${shortened(begun.map(subject))}`,
    remedy: () =>
      "What is declared as it was then is continued. After an edit another object is made: `erphost intents resolve ID` says what became of the first one, and `erphost intents drop ID` ends this warning; `erphost intents list` shows the ids.",
    examples: [{ begun: [{ kind: "server", name: "web" }, instance] }],
  }),
  possibly_ours: define<{
    subject: Subject;
    createdAt: string;
    /** Whether the host has shown the state of the declaration, which is then another object's. */
    isShown?: boolean;
    resume: boolean;
  }>({
    when: "A planned object's name is in use, and an earlier run of this scope may have created the other one.",
    summary: "Possibly created by an earlier run",
    apart: ({ subject: { id } }) => id,
    text: ({ subject: { kind, id = "", name = "" }, createdAt }, { a }) =>
      `${a(kind)} named ${name} already exists (${id}); an earlier run of this scope may have created it at ${createdAt}`,
    remedy: ({ subject, isShown, resume }, { importCommand, replacedUnshown, setting }) =>
      resume
        ? `If it did, this run takes ${subject.id ?? "it"} over.`
        : `If that run was cut off, set ${setting("resume")} to true for one run, which takes ${subject.id ?? "it"} over. ${isShown ? "If not, give one of the two another name." : `If not, and to manage it, import it: ${importCommand(subject)}. ${replacedUnshown}`}`.trim(),
    examples: [
      { subject: server, createdAt: BEFORE, resume: false },
      { subject: server, createdAt: BEFORE, isShown: true, resume: false },
      { subject: server, createdAt: BEFORE, resume: true },
    ],
  }),
  candidates_left: define<{
    kind: string;
    ids: readonly string[];
    count: number;
    other: "body" | "key";
    /** Whether the host has shown the state of the declaration, which is then another object's. */
    isShown?: boolean;
  }>({
    when: "An earlier run has created an object for the same declaration with other values or another API key, and nothing proves which one.",
    summary: "Object of an earlier run",
    text: ({ kind, ids, count, other }, { a, noun, or }) =>
      `an earlier run created ${a(kind)} for this declaration with ${other === "body" ? "other values" : "another API key"}, and it may be ${noun(kind)} ${or(ids)}${count > ids.length ? ` or one of ${count - ids.length} more` : ""}; nothing was created`,
    // Nothing to paste: the first of several guesses would be taken for the answer.
    remedy: ({ isShown }, { setting }) =>
      `Find out whether it is one of these. If so, ${isShown ? "delete that one in the service, and run this again" : "import that one"}; only if it is none of them, unset ${setting("scope")} for this run, which creates another.`,
    examples: [
      { kind: "server", ids: ["srv_1"], count: 1, other: "body" },
      { kind: "server", ids: ["srv_1"], count: 1, other: "body", isShown: true },
      { kind: "server", ids: ["srv_1", "srv_2"], count: 4, other: "key" },
    ],
  }),
  identity_shared: define<{ subject: Subject; identity?: string | undefined }>({
    when: "Two declarations of one run have the same identity.",
    summary: "Identity used twice",
    text: ({ subject: it, identity }, { noun, subject }) =>
      identity === undefined
        ? `another ${noun(it.kind)} of this run has the same name and is ${subject(it)}; a scope needs names that are unique`
        : `another ${noun(it.kind)} of this run has the identity ${JSON.stringify(identity)} and is ${subject(it)}`,
    remedy: () => "Give each object its own identity: in HCL, its idempotency_token.",
    examples: [{ subject: server }, { subject: server, identity: "web" }],
  }),
  generations_used_up: define<{ kind: string; count: number }>({
    when: "Too many objects of one declaration were created and deleted within a day, and a scope is set.",
    summary: "Too many generations",
    text: ({ kind, count }, { noun }) =>
      `this ${noun(kind)} was created and deleted ${count} times within the time that the service remembers`,
    remedy: (_, { setting }) => `Unset ${setting("scope")} for this run.`,
    examples: [{ kind: "server", count: 50 }],
  }),
  outside_scope: define<{ kind: string }>({
    when: "A scope is set, and an object of a kind without a name has no identity.",
    summary: "Not covered by the scope",
    text: ({ kind }, { a }) =>
      `${a(kind)} without an identity is not covered by the scope: a run on another machine may create it again`,
    remedy: (_, { field }) => `Set ${field("idempotency_token")}.`,
    examples: [{ kind: "backup" }],
  }),
  kept_instead: define<{ subject: Subject; resume: boolean }>({
    when: "A host deletes an object that its program took over from an earlier run or, with Pulumi, adopted or imported.",
    summary: "Not deleted",
    text: (_, { it }) =>
      `${it} was not replaced and not deleted: the program has imported it or taken it over`,
    remedy: ({ resume }, { setting }) =>
      resume
        ? `If it is to be replaced, run that again without ${setting("resume")}.`
        : "If it is to be replaced, run that again.",
    examples: [
      { subject: server, resume: true },
      { subject: server, resume: false },
    ],
  }),
};

const WHY = {
  unasked: "this run cannot tell whether a state holds it",
  uninformed: "this run does not know whether the state holds it",
  fixed: "it differs in something that cannot be changed",
};
