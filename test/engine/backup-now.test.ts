/** Backups that actions take: never one fewer than asked for, and no second one after a kill. */
import { expect, test } from "@jest/globals";
import type { OperationOptions } from "../../provider/engine";
import { strike } from "../support/ask";
import { folder, given, textOf, type EngineGiven, type Service } from "../support/given";
import { until } from "../support/wait";
import { altered, fails, rewrite } from "./crashes";
import { callsOf, failureOf, hurried } from "./support";

const SLOW = {
  match: { method: "POST", path: "/backups" },
  effect: { type: "provision", outcome: "ready", ms: 3_600_000 },
} as const;

async function withServer(): Promise<{ service: Service; order: { of: "server"; id: string } }> {
  const service = await given();
  const [erp] = service.emulator.createObjects("server", [{ name: "erp" }]);
  return { service, order: { of: "server", id: String(erp?.["id"]) } };
}

const backups = ({ emulator }: Service) => emulator.objects("backup").map(({ id }) => id);

/** Takes a backup in a process of its own, which then exits cleanly. */
async function take(service: Service, order: object, more: EngineGiven = {}): Promise<string> {
  const { engine } = service.engine(more);
  const warnings = await engine.backup({ of: "server", ...order });
  await engine.close();
  return textOf(warnings);
}

/** The same in a process that is killed once the backup is done, or while it waits for it. */
async function takeAndDie(service: Service, order: object, more: EngineGiven = {}): Promise<void> {
  const run = service.engine(more);
  const done = run.engine.backup({ of: "server", ...order }, { timeoutMs: 60_000 });
  done.catch(() => undefined);
  if (service.emulator.faults().length === 0) await done;
  await until(() => service.entries(more.intents)[0]?.answer);
  await run.kill();
}

test("a backup by an action is in the journal before it is asked for, and two invocations are two backups", async () => {
  const { service, order } = await withServer();
  const { engine } = service.engine();
  strike(service.emulator, "POST /backups", 500, { times: 1 });
  await engine.backup(order);
  const [first] = service.entries();
  expect(first).toMatchObject({ operation: "create", kind: "backup", answer: backups(service)[0] });
  expect(first?.idempotencyKey).not.toMatch(/^erphost-/);
  expect(callsOf(service.emulator, "POST", /backups/)).toBe(2);
  await engine.backup(order);
  await engine.close();
  await take(service, order);
  expect(backups(service)).toHaveLength(3);
  expect(service.entries()).toEqual([]);
});

test.each([
  ["while it waited", true],
  ["after the backup, before what it was for", false],
])("a run after one that was killed %s takes no second backup", async (_, waits) => {
  const { service, order } = await withServer();
  if (waits) service.emulator.setFaults([SLOW]);
  await takeAndDie(service, order);
  const [id = ""] = backups(service);
  service.emulator.setFaults([]);
  if (waits) service.emulator.changeObject("backup", String(id), { status: "completed" });
  expect(await take(service, order)).toContain(`Took backup ${String(id)}, which an earlier run`);
  expect(backups(service)).toEqual([id]);
  await take(service, order);
  expect(backups(service)).toHaveLength(2);
});

test("a run takes a backup of its own where the killed one's folder is lost, its backup is an hour old or failed, or it was of another object or purpose", async () => {
  const { service, order } = await withServer();
  await takeAndDie(service, order);
  await take(service, order, { intents: folder() });
  expect(backups(service)).toHaveLength(2);
  await take(service, { ...order, purpose: "before 18.0" });
  expect(backups(service)).toHaveLength(3);
  service.emulator.advance("61m");
  expect(await take(service, order)).not.toContain("an earlier run");
  expect(backups(service)).toHaveLength(4);
  service.emulator.setFaults([SLOW]);
  await takeAndDie(service, order);
  service.emulator.setFaults([]);
  service.emulator.changeObject("backup", String(backups(service).at(-1)), { status: "failed" });
  await take(service, order);
  expect(backups(service)).toHaveLength(6);
});

test("a declared backup of the same object and an action's are never taken for each other", async () => {
  const { service, order } = await withServer();
  await takeAndDie(service, order);
  const { engine } = service.engine();
  const { state } = await engine.create(engine.kind("backup"), { server_id: order.id });
  expect(backups(service)).toHaveLength(2);
  expect(backups(service).indexOf(state.id)).toBe(1);
});

test("another machine takes the backup of a killed run only where the program says what it is for and a scope is set", async () => {
  const { service, order } = await withServer();
  const machine = () => ({ intents: folder(), userKey: null, options: { scope: "acme/prod" } });
  await takeAndDie(service, order, machine());
  await take(service, order, machine());
  expect(backups(service)).toHaveLength(2);
  const upgrade = { ...order, purpose: "before 18.0" };
  await takeAndDie(service, upgrade, machine());
  await take(service, upgrade, machine());
  expect(backups(service)).toHaveLength(3);
  await take(service, { ...upgrade, purpose: "before 19.0" }, machine());
  service.emulator.advance("2h");
  await take(service, upgrade, machine());
  await take(service, upgrade, machine());
  expect(backups(service)).toHaveLength(5);
  const { engine } = service.engine(machine());
  await engine.backup(upgrade);
  await engine.backup(upgrade);
  expect(backups(service)).toHaveLength(6);
});

test("an invocation while another run is at work on the same backup fails with what that is of", async () => {
  const { service, order } = await withServer();
  await service.engine().engine.backup(order);
  const error = await failureOf(service.engine({ clock: hurried }).engine.backup(order));
  expect(error.message).toContain(`Backup of server ${order.id} is being created by another run`);
});

test("a name is looked up when the backup is taken; none and several are refused before any write", async () => {
  const { service, order } = await withServer();
  await take(service, { name: "erp" });
  expect(service.emulator.objects("backup")).toMatchObject([{ server_id: order.id }]);
  service.emulator.createObjects("server", [{ name: "erp" }]);
  const { engine } = service.engine();
  await fails(engine.backup({ of: "server", name: "erp" }), "several_match");
  await fails(engine.backup({ of: "instance", name: "erp" }), "nothing_matches");
  expect(backups(service)).toHaveLength(1);
});

test.each([
  ["failed", { ...SLOW, effect: { type: "provision", outcome: "failed" } as const }, {}],
  ["timeout", SLOW, { timeoutMs: 0 }],
  ["interrupted", SLOW, {}],
])(
  "a backup that is not finished is an error that names it: %s",
  async (outcome, fault, options) => {
    const { service, order } = await withServer();
    service.emulator.setFaults([fault]);
    const reported: string[] = [];
    const stops = new AbortController();
    const onNotice: OperationOptions["onNotice"] = ({ data }) => {
      reported.push(textOf([data]));
      if (outcome === "interrupted") stops.abort();
    };
    const { engine } = service.engine();
    const given = { ...options, stop: stops.signal, onNotice };
    const error = await failureOf(engine.backup(order, given));
    const [id = ""] = backups(service);
    expect(error).toMatchObject({ code: "backup_unfinished", reason: { parts: { outcome } } });
    expect(error.message).toContain(`${String(id)} of server ${order.id}`);
    expect(error.message.includes("continues in the service")).toBe(outcome !== "failed");
    expect(reported[0]).toMatch(/^Backup bak_\w+ of server srv_\w+ is (pending|failed)/);
  },
);

test("how old a backup is, the time of a replayed answer does not say, which may be the first one's", async () => {
  const { service, order } = await withServer();
  await takeAndDie(service, order);
  await rewrite(service, ({ answer: _, ...entry }) => entry);
  service.emulator.advance("61m");
  altered("createBytes", ({ meta, record: { fields } }) => ({
    meta: { ...meta, timestamp: String(fields["created_at"]) },
  }));
  await take(service, order);
  expect(backups(service)).toHaveLength(2);
});
