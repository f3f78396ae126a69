/** Invoking actions: progress is reported as it happens. */
import { DURATION_EXPECTED, durationMs, issueAt, type InputIssue } from "../../contract";
import { UNKNOWN } from "../../resources";
import { plannedRights, type BackupOrder } from "../../engine";
import { refusals, diagnosticsOf } from "../diagnostics";
import { CallFailure, status } from "../../grpc";
import { actions, PURPOSE, TARGETS, TIMEOUT } from "../schema/actions";
import type { Block } from "../schema/lookups";
import { readObject } from "../values/dynamic";
import { plainOf } from "../values/state";
import { textOf } from "../voice";
import type { ActionRequest, Diagnostic, InvokeEvent } from "../wire/messages.gen";
import type { Session } from "./session";

interface Answer {
  readonly diagnostics: Diagnostic[];
}

/** Values by name; what the program leaves out is not there. */
type Given = ReadonlyMap<string, unknown>;

export async function validateAction(_session: Session, request: ActionRequest): Promise<Answer> {
  const { action, given } = parsed(request);
  // Terraform 1.15.0 crashes at a diagnostic about an action without a `config` block, which looks the
  // same as an empty one: an invocation refuses both.
  const issues = given.size === 0 ? [] : issuesOf(given);
  return { diagnostics: refusals(action.attributes, issues) };
}

/** Foresees what the key may not do. Makes no call. */
export async function planAction(session: Session, request: ActionRequest): Promise<Answer> {
  const { attributes } = parsed(request).action;
  const { planning } = session;
  const seen = await planning.observe(session.model("erphost_backup").kind, {});
  return { diagnostics: diagnosticsOf(attributes, planning.tell(plannedRights(seen, "create"))) };
}

/** Progress, then how it ended. A peer that cancels the call ends the wait. */
export function invokeAction(
  session: Session,
  request: ActionRequest,
  signal: AbortSignal,
): AsyncIterable<InvokeEvent> {
  let isRead = true;
  return new ReadableStream<InvokeEvent>({
    async start(controller) {
      const progress = (message: string): void => {
        if (isRead) controller.enqueue({ progress: { message } });
      };
      const completed = await invoke(session, request, { signal, progress });
      if (!isRead) return;
      controller.enqueue({ completed });
      controller.close();
    },
    cancel() {
      isRead = false;
    },
  });
}

interface Listener {
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

async function invoke(
  session: Session,
  request: ActionRequest,
  { signal, progress }: Listener,
): Promise<Answer> {
  const { action, given } = parsed(request);
  const issues = issuesOf(given);
  if (issues.length > 0) return { diagnostics: refusals(action.attributes, issues) };
  const context = session.context(undefined, durationMs(textIn(given, TIMEOUT) ?? ""));
  const options = {
    ...context,
    stop: AbortSignal.any([signal, ...(context.stop ? [context.stop] : [])]),
    onNotice: (event: Parameters<NonNullable<typeof context.onNotice>>[0]) => {
      context.onNotice?.(event);
      progress(textOf(event.data));
    },
  };
  try {
    const warnings = await session.needEngine().backup(orderOf(given), options);
    const notes = [...session.takeWarnings(), ...warnings];
    return { diagnostics: diagnosticsOf(action.attributes, { notes }) };
  } catch (error) {
    return { diagnostics: session.tell(`Invoking ${action.typeName}`, action.attributes, error) };
  }
}

function parsed({ action_type, config }: ActionRequest): { action: Block; given: Given } {
  const action = actions().get(action_type);
  if (!action) throw new CallFailure(status.invalidArgument, `there is no action ${action_type}`);
  const raw = readObject(config);
  const values = action.attributes.map((each) => [each.name, plainOf(each, raw)] as const);
  return { action, given: new Map(values.filter(([, value]) => value !== undefined)) };
}

const CHOICE = TARGETS.flatMap(({ name, id }) => [name, id]);

function issuesOf(given: Given): InputIssue[] {
  const chosen = CHOICE.filter((name) => given.has(name));
  const isOpen = chosen.length > 1 && chosen.some((name) => given.get(name) === UNKNOWN);
  const timeout = given.get(TIMEOUT);
  const wrongTimeout = typeof timeout === "string" && durationMs(timeout) === undefined;
  return [
    ...(chosen.length === 1 || isOpen
      ? []
      : [issueAt(chosen.slice(1, 2), "exactly_one", { choice: CHOICE })]),
    ...[...CHOICE, PURPOSE]
      .filter((name) => given.get(name) === "")
      .map((name) => issueAt([name], "wrong_form", { expected: "must not be empty" })),
    ...(wrongTimeout ? [issueAt([TIMEOUT], "wrong_form", { expected: DURATION_EXPECTED })] : []),
  ];
}

function orderOf(given: Given): BackupOrder {
  const target = TARGETS.find(({ id, name }) => given.has(id) || given.has(name)) ?? TARGETS[0];
  const { of, id, name } = target;
  const [knownId, knownName] = [textIn(given, id), textIn(given, name)];
  return { of, id: knownId, name: knownName, purpose: textIn(given, PURPOSE) };
}

function textIn(given: Given, name: string): string | undefined {
  const value = given.get(name);
  return typeof value === "string" ? value : undefined;
}
