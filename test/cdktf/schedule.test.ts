import { expect, test } from "@jest/globals";
import { Token } from "cdktf";
import { BackupSchedule, ErphostProvider, Server } from "../../cdktf-bindings";
import type { BackupScheduleProps } from "../../cdktf-bindings";
import { hosted, newStack, only, synth, synthOf, variable, expressionIn } from "./support/stack";

/** The program of a schedule, synthesised at a time. */
function at(time: string, props: Partial<BackupScheduleProps> = {}) {
  return synthOf((stack) => {
    const given = { server: hosted(stack), every: "1d", now: new Date(time), ...props };
    // A program in JavaScript may pass anything.
    new BackupSchedule(stack, "nightly", given as BackupScheduleProps);
  });
}

const triggersAt = (time: string, props?: Partial<BackupScheduleProps>) =>
  only(at(time, props).resource, "erphost_backup")["triggers"];
const of = (period: string) => ({ period: `${period}:00:00Z` });

test("two syntheses in one period are equal, and the next period has another trigger", () => {
  expect(at("2026-01-31T00:00:00Z")).toEqual(at("2026-01-31T23:59:59.999Z"));
  expect(triggersAt("2026-01-31T12:00:00Z")).toEqual(of("2026-01-31T00"));
  expect(triggersAt("2026-02-01T00:00:00Z")).toEqual(of("2026-02-01T00"));
});

test("periods begin where the program says, before that time as well as after it", () => {
  const startingAt = "2026-01-31T03:00:00+01:00";
  expect(triggersAt("2026-01-31T01:59:59Z", { startingAt })).toEqual(of("2026-01-30T02"));
  expect(triggersAt("2026-02-03T02:00:00Z", { startingAt })).toEqual(of("2026-02-03T02"));
});

test("weeks begin on Mondays", () => {
  expect(triggersAt("2026-02-01T23:59:59Z", { every: "7d" })).toEqual(of("2026-01-26T00"));
});

test("a schedule's own triggers are kept with its period", () => {
  const audit = { audit: "1" };
  const triggers = triggersAt("2026-01-31T12:00:00Z", { triggers: audit });
  expect(triggers).toEqual({ ...audit, ...of("2026-01-31T00") });
});

test("triggers that only Terraform knows are kept as well", () => {
  const stack = newStack();
  const triggers = Token.asStringMap(variable(stack, "given", "map(string)").value);
  const now = new Date("2026-01-31T12:00:00Z");
  new BackupSchedule(stack, "nightly", { server: hosted(stack), every: "1d", now, triggers });
  const merged = '${merge(var.given, {"period" = "2026-01-31T00:00:00Z"})}';
  expect(only(synth(stack).resource, "erphost_backup")["triggers"]).toBe(merged);
});

test("a schedule asks for backups from after its period, and is refused where there is one", () => {
  const { resource, data } = at("2026-01-31T12:00:00Z", { lifecycle: { preventDestroy: true } });
  const filter = { created_after: "2026-02-01T00:00:00Z", limit: 1, server_id: "srv_1" };
  expect(only(data, "erphost_backups")).toEqual(filter);
  const condition = expect.stringMatching(
    /^\$\{\(length\(data\.erphost_backups\.nightly_Later_\w+\.backups\[\*\]\.id\) < 1\)\}$/,
  );
  const message = expect.stringMatching(
    /^erp\/nightly is for the period from 2026-01-31T00:00:00Z to 2026-02-01T00:00:00Z, .*Synthesise the program again\./i,
  );
  expect(only(resource, "erphost_backup")["lifecycle"]).toEqual({
    prevent_destroy: true,
    precondition: [{ condition, error_message: message }],
  });
});

test("a schedule and what it asks for are in the account of what it backs up", () => {
  const stack = newStack();
  const provider = new ErphostProvider(stack, "second", { alias: "second" });
  const instance = new Server(stack, "web", { provider }).addInstance("erp");
  new BackupSchedule(instance, "nightly", { instance, every: "1d" });
  const { resource, data } = synth(stack);
  expect(only(resource, "erphost_backup")["provider"]).toBe("erphost.second");
  expect(only(data, "erphost_backups")).toMatchObject({
    provider: "erphost.second",
    instance_id: expressionIn(stack, instance.instanceId),
  });
});

test.each([
  ["59m", {}, /\[erp\/nightly\] every must be a duration of at least an hour/],
  ["daily", {}, /every must be a duration/],
  [undefined, {}, /every must be a duration/],
  ["1d", { startingAt: "3 o'clock" }, /\[erp\/nightly\] startingAt must be an ISO 8601 time/],
  ["1d", { startingAt: "2026-02-31" }, /startingAt must be/],
  ["1d", { now: new Date("never") }, /\[erp\/nightly\] now must be a valid Date/],
])("a schedule every %s, with %j, is refused with what to write", (every, props, fault) => {
  const given = { every, ...props } as Partial<BackupScheduleProps>;
  expect(() => at("2026-01-31T12:00:00Z", given)).toThrow(fault);
});

test("an interval that only Terraform knows is refused", () => {
  const stack = newStack();
  const every = variable(stack).stringValue;
  new BackupSchedule(stack, "nightly", { server: hosted(stack), every });
  expect(() => synth(stack)).toThrow(/every must be .* that is known when the program runs/);
});
