/** An account to find things in, and what lookups find there: the same through every face. */
import type { Emulator } from "../../emulator";
import type { ResourceName } from "../../provider/contract";

/** Two servers, three instances and five backups; ids count from 1 in the order of creation. */
export function furnish(emulator: Emulator): void {
  const day = (number: number, time = "00:00:00.000") => `2026-01-0${number}T${time}Z`;
  emulator.createObjects("server", [
    { name: "web", status: "running", created_at: day(1) },
    { name: "web", status: "failed", created_at: day(2) },
  ]);
  const instance = (name: string, server: number, version: string, created_at: string) => ({
    ...{ name, server_id: `srv_${server}`, version, edition: "community", status: "running" },
    created_at,
  });
  emulator.createObjects("instance", [
    instance("erp", 1, "17.0", day(1)),
    instance("crm", 1, "18.0", day(2)),
    instance("shop", 2, "18.0", day(3)),
  ]);
  const backup = (number: number, status: string, created_at: string) => ({
    ...{ instance_id: `ins_${number}`, status, created_at },
  });
  emulator.createObjects("backup", [
    backup(1, "completed", day(1)),
    backup(1, "completed", day(2)),
    backup(1, "failed", day(3)),
    backup(2, "completed", day(4)),
    backup(2, "completed", day(4)),
  ]);
}

/** What a lookup is given, under the contract's names. */
export type Selected = Readonly<Record<string, string | number | boolean>>;

interface Lookup {
  readonly kind: ResourceName;
  readonly form: "one" | "many";
  readonly by: Selected;
}

const one = (kind: ResourceName, by: Selected) => ({ kind, form: "one", by }) as const;
const many = (kind: ResourceName, by: Selected) => ({ kind, form: "many", by }) as const;

/** Lookups, and the ids that they answer. */
export const found: readonly (Lookup & { readonly claim: string; readonly ids: string[] })[] = [
  {
    claim: "the newest completed backup of an instance is found",
    ...one("backup", { instance_id: "ins_1", status: "completed", most_recent: true }),
    ids: ["bak_2"],
  },
  {
    claim: "the one object that matches needs no most_recent",
    ...one("instance", { server_id: "srv_1", name: "crm" }),
    ids: ["ins_2"],
  },
  {
    claim: "most_recent may take the only object that matches",
    ...one("server", { id: "srv_1", most_recent: true }),
    ids: ["srv_1"],
  },
  {
    claim: "most_recent takes the last of several that were created at the same time",
    ...one("backup", { instance_id: "ins_2", most_recent: true }),
    ids: ["bak_5"],
  },
  {
    claim: "a list is in the order of creation, newest first",
    ...many("backup", {}),
    ids: ["bak_5", "bak_4", "bak_3", "bak_2", "bak_1"],
  },
  {
    claim: "a limit keeps the newest",
    ...many("backup", { instance_id: "ins_1", limit: 2 }),
    ids: ["bak_3", "bak_2"],
  },
  {
    claim: "a list that nothing matches is empty",
    ...many("backup", { instance_id: "ins_3" }),
    ids: [],
  },
  {
    claim: "instances are found by their server",
    ...many("instance", { server_id: "srv_1" }),
    ids: ["ins_2", "ins_1"],
  },
  {
    claim: "what the service narrows by is joined with what it does not",
    ...many("instance", { version: "18.0", server_id: "srv_2" }),
    ids: ["ins_3"],
  },
  {
    claim: "bounds of the time of creation are exclusive where the service knows them",
    ...many("backup", { created_after: "2026-01-01", created_before: "2026-01-03" }),
    ids: ["bak_2"],
  },
  {
    claim: "bounds of the time of creation are exclusive where a shared walk is searched",
    ...many("instance", { created_after: "2026-01-01", created_before: "2026-01-03" }),
    ids: ["ins_2"],
  },
  {
    claim: "times are compared as moments, whatever their zone",
    ...many("instance", { created_after: "2026-01-02T01:00:00+01:00" }),
    ids: ["ins_3"],
  },
  {
    claim: "times are compared as moments, however precise they are",
    ...many("instance", { created_before: "2026-01-02T00:00:00Z" }),
    ids: ["ins_1"],
  },
];

/** Lookups that are refused: for which argument, and in what words without the names of fields. */
export const refused: readonly (Lookup & {
  readonly claim: string;
  /** Empty: none in particular. */
  readonly place: string;
  readonly says: RegExp;
  /** Whether nothing is asked of the service. */
  readonly early: boolean;
})[] = [
  {
    claim: "several matches are refused with their ids and with what tells them apart",
    ...one("backup", { instance_id: "ins_1" }),
    place: "instance_id",
    says: /3 backups match .*"ins_1": bak_3, bak_2, bak_1\. Narrow the lookup by id, status, created.*fter or created.*efore, or set most.*ecent to true/,
    early: false,
  },
  {
    claim: "no match is refused with what there is without one of the criteria",
    ...one("backup", { instance_id: "ins_2", status: "failed" }),
    place: "instance_id",
    says: /no backup matches .*"ins_2" and status "failed"\. Without status, the lookup matches bak_5, bak_4\./i,
    early: false,
  },
  {
    claim: "no match is refused also where only one criterion was given",
    ...one("server", { name: "nobody" }),
    place: "name",
    says: /no server matches name "nobody"\. Check/i,
    early: false,
  },
  {
    claim: "the value of a key, given in place of its id, is not repeated",
    ...one("api_key", { id: ["acme", "live", "n3xtn3xtn3xt"].join("_") }),
    place: "id",
    says: /no API key matches id "\[redacted\]"\. Check/i,
    early: false,
  },
  {
    claim: "the newest of nothing is refused",
    ...one("backup", { instance_id: "ins_3", most_recent: true }),
    place: "instance_id",
    says: /no backup matches/i,
    early: false,
  },
  {
    claim: "a lookup of one object that says nothing about it is refused before any call",
    ...one("backup", { most_recent: true }),
    place: "",
    says: /at least one of id, instance.*d, server.*d, status, created.*fter or created.*efore is required/i,
    early: true,
  },
  {
    claim: "a time that is none is refused before any call",
    ...many("instance", { created_after: "yesterday" }),
    place: "created_after",
    says: /must be an ISO 8601 timestamp or date, such as 2026-01-31/,
    early: true,
  },
  {
    claim: "a day that the calendar does not have is refused before any call",
    ...one("backup", { instance_id: "ins_1", created_before: "2026-02-30" }),
    place: "created_before",
    says: /must be an ISO 8601 timestamp or date/,
    early: true,
  },
  {
    claim: "a limit of nothing is refused before any call",
    ...many("backup", { limit: 0 }),
    place: "limit",
    says: /at least 1/,
    early: true,
  },
];
