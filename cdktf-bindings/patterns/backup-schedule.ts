import { Fn, Op, type Precondition } from "cdktf";
import type { Construct } from "constructs";
import { durationMs } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import { now } from "../clock";
import { Backup, type InstanceBackupProps, type ServerBackupProps } from "../constructs/backup";
import { withoutUndefined } from "../constructs/declared";
import { idsIn } from "../constructs/existing";
import { DataErphostBackups } from "../generated/data-erphost-backups";
import { merged } from "../properties";
import { sentenceOf } from "../voice";

/** When a schedule takes backups. */
export interface ScheduleOptions {
  /** Length of a period, at least an hour, such as `1d`, `12h` or `7d`. */
  readonly every: string;
  /**
   * When any of the periods begins, ISO 8601; default: a Monday at 00:00 UTC, so that days begin at
   * 00:00 UTC, and weeks on Mondays.
   */
  readonly startingAt?: string;
  /** Time that the period is chosen by; default: that of synthesis. */
  readonly now?: Date;
}

/** Props of a schedule: those of a backup, with exactly one of `instance` and `server`. */
export type BackupScheduleProps = ScheduleOptions & (InstanceBackupProps | ServerBackupProps);

const A_MONDAY = "1970-01-05T00:00:00Z";

/**
 * One backup for each period in which the program is synthesised and applied. It takes none by itself:
 * a pipeline has to run the program at least once per period. The first run of a period plans one new
 * backup, and the others plan none. The service keeps the backups of earlier periods, and the plan
 * says so. A program of an earlier period, such as one that was synthesised by a clock that is
 * behind, fails in the plan if there is a backup from after that period. A clock that is ahead takes
 * extra backups.
 * @example
 * const instance = Instance.fromInstanceName(stack, "erp", "erp");
 * new BackupSchedule(stack, "nightly", { instance, every: "1d" });
 */
export class BackupSchedule extends Backup {
  /** Beginning of the period that the program was synthesised in, ISO 8601 in UTC. */
  readonly period: string;

  constructor(scope: Construct, id: string, props: BackupScheduleProps) {
    const { every, startingAt = A_MONDAY, now: time = now(), ...backup } = withoutUndefined(props);
    const chosen = periodAt(time, { every, startingAt });
    const period = "from" in chosen ? chosen.from : "";
    // Strings, as both are.
    const triggers = merged(backup.triggers, { period }) as Record<string, string>;
    super(scope, id, { ...backup, triggers });
    this.period = period;
    if ("from" in chosen) this.refuseLater(chosen);
    else this.node.addValidation({ validate: () => [sentenceOf(chosen)] });
  }

  /**
   * A backup from after the period, by the service's clock, shows that the period is over: neither
   * a clock that is behind nor an old synthesis takes one of a period gone by.
   */
  private refuseLater({ from, until }: Period): void {
    const { instanceIdInput, serverIdInput, provider, lifecycle = {} } = this.resource;
    const later = new DataErphostBackups(this, "Later", {
      createdAfter: until,
      limit: 1,
      ...(instanceIdInput !== undefined && { instanceId: instanceIdInput }),
      ...(serverIdInput !== undefined && { serverId: serverIdInput }),
      ...(provider && { provider }),
    });
    const none: Precondition = {
      condition: Op.lt(Fn.lengthOf(idsIn(later, "backups")), 1),
      errorMessage: sentenceOf(message("schedule_behind", { path: this.node.path, from, until })),
    };
    const precondition = [...(lifecycle.precondition ?? []), none];
    this.resource.lifecycle = { ...lifecycle, precondition };
  }
}

/** From when, and until when, ISO 8601 in UTC. */
interface Period {
  readonly from: string;
  readonly until: string;
}

/** Backups cannot be deleted, so that more of them would only fill the service. */
const EVERY_MS_MIN = 3_600_000;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** The period that a time is in, or what is wrong with the division. */
function periodAt(
  time: Date,
  { every, startingAt }: Readonly<Record<"every" | "startingAt", string>>,
): Period | Message {
  // A program in JavaScript may leave it out.
  const lengthMs = durationMs(String(every));
  if (lengthMs === undefined || lengthMs < EVERY_MS_MIN) {
    return message("schedule_every", {}, { path: ["every"] });
  }
  const anchorMs = TIMESTAMP.test(startingAt) ? Date.parse(startingAt) : Number.NaN;
  if (Number.isNaN(anchorMs)) return message("schedule_start", {}, { path: ["startingAt"] });
  const nowMs = time.getTime();
  if (Number.isNaN(nowMs)) return message("schedule_now", {}, { path: ["now"] });
  const fromMs = anchorMs + Math.floor((nowMs - anchorMs) / lengthMs) * lengthMs;
  return { from: textOf(fromMs), until: textOf(fromMs + lengthMs) };
}

const textOf = (timeMs: number): string => new Date(timeMs).toISOString().replace(".000Z", "Z");
