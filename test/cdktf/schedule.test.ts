import { describe, expect, test } from "@jest/globals";
import { TerraformVariable, Token } from "cdktf";
import { BackupSchedule, ErphostProvider, Server } from "../../cdktf-bindings";
import type { BackupScheduleProps } from "../../cdktf-bindings";
import { newStack, only, synth, written } from "./support/stack";

/** The program of a schedule, synthesised at a time. */
function at(time: string, props: Partial<BackupScheduleProps> = {}) {
  const stack = newStack();
  const server = Server.fromServerId(stack, "server", "srv_1");
  new BackupSchedule(stack, "nightly", {
    server,
    every: "1d",
    now: new Date(time),
    ...props,
  } as BackupScheduleProps); // A program in JavaScript may pass anything.
  return synth(stack);
}

const triggersAt = (time: string, props?: Partial<BackupScheduleProps>) =>
  only(at(time, props).resource, "erphost_backup")["triggers"];

describe("a backup schedule", () => {
  test("two syntheses in one period are equal, and the next period has another trigger", () => {
    expect(at("2026-01-31T00:00:00Z")).toEqual(at("2026-01-31T23:59:59.999Z"));
    expect(triggersAt("2026-01-31T12:00:00Z")).toEqual({ period: "2026-01-31T00:00:00Z" });
    expect(triggersAt("2026-02-01T00:00:00Z")).toEqual({ period: "2026-02-01T00:00:00Z" });
  });

  test("periods begin where the program says, before that time as well as after it", () => {
    const startingAt = "2026-01-31T03:00:00+01:00";
    expect(triggersAt("2026-01-31T01:59:59Z", { startingAt })).toEqual({
      period: "2026-01-30T02:00:00Z",
    });
    expect(triggersAt("2026-02-03T02:00:00Z", { startingAt })).toEqual({
      period: "2026-02-03T02:00:00Z",
    });
  });

  test("weeks begin on Mondays", () => {
    expect(triggersAt("2026-02-01T23:59:59Z", { every: "7d" })).toEqual({
      period: "2026-01-26T00:00:00Z",
    });
  });

  test("a schedule's own triggers are kept with its period", () => {
    expect(triggersAt("2026-01-31T12:00:00Z", { triggers: { audit: "1" } })).toEqual({
      audit: "1",
      period: "2026-01-31T00:00:00Z",
    });
  });

  test("triggers that only Terraform knows are kept as well", () => {
    const stack = newStack();
    const given = new TerraformVariable(stack, "given", { type: "map(string)" });
    const server = Server.fromServerId(stack, "server", "srv_1");
    const triggers = Token.asStringMap(given.value);
    const now = new Date("2026-01-31T12:00:00Z");
    new BackupSchedule(stack, "nightly", { server, every: "1d", now, triggers });
    expect(only(synth(stack).resource, "erphost_backup")["triggers"]).toBe(
      '${merge(var.given, {"period" = "2026-01-31T00:00:00Z"})}',
    );
  });

  test("a schedule asks for backups from after its period, and is refused where there is one", () => {
    const { resource, data } = at("2026-01-31T12:00:00Z", { lifecycle: { preventDestroy: true } });
    expect(only(data, "erphost_backups")).toEqual({
      created_after: "2026-02-01T00:00:00Z",
      limit: 1,
      server_id: "srv_1",
    });
    expect(only(resource, "erphost_backup")["lifecycle"]).toEqual({
      prevent_destroy: true,
      precondition: [
        {
          condition: expect.stringMatching(
            /^\$\{\(length\(data\.erphost_backups\.nightly_Later_\w+\.backups\[\*\]\.id\) < 1\)\}$/,
          ),
          error_message: expect.stringMatching(
            /^erp\/nightly is for the period from 2026-01-31T00:00:00Z to 2026-02-01T00:00:00Z, .*Synthesise the program again\./i,
          ),
        },
      ],
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
      instance_id: written(stack, instance.instanceId),
    });
  });

  test.each([
    ["59m", {}, /\[erp\/nightly\] every must be a duration of at least an hour/],
    ["daily", {}, /every must be a duration/],
    [undefined, {}, /every must be a duration/],
    [
      "1d",
      { startingAt: "3 o'clock" },
      /\[erp\/nightly\] startingAt must be an ISO 8601 timestamp/,
    ],
    ["1d", { startingAt: "2026-02-31" }, /startingAt must be/],
    ["1d", { now: new Date("never") }, /\[erp\/nightly\] now must be a valid Date/],
  ])("a schedule every %s, with %j, is refused with what to write", (every, props, fault) => {
    const given = { every, ...props } as Partial<BackupScheduleProps>;
    expect(() => at("2026-01-31T12:00:00Z", given)).toThrow(fault);
  });

  test("an interval that only Terraform knows is refused", () => {
    const stack = newStack();
    const server = Server.fromServerId(stack, "server", "srv_1");
    const every = new TerraformVariable(stack, "every", { type: "string" }).stringValue;
    new BackupSchedule(stack, "nightly", { server, every });
    expect(() => synth(stack)).toThrow(/every must be .* that is known when the program runs/);
  });
});
