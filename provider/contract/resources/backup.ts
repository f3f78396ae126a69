import * as z from "zod";
import { dateBound, record } from "../definition/common";
import { optional, output, resource } from "../definition/define";
import { scopesOf } from "../service/scopes";

export const backup = resource({
  name: "backup",
  plural: "backups",
  path: "/backups",
  doc: "A backup snapshot of an instance or of a server. It cannot be changed after creation, and the service cannot delete it.",
  idPrefix: "bak",
  operations: { create: "documented", list: "documented" },
  scopes: scopesOf("backups", ["list", "create", "delete"]),
  fields: {
    ...record,
    instance_id: optional("assumed", z.string().min(1), "Instance to back up.", {
      immutable: true,
      references: "instance",
      example: "ins_1",
    }),
    server_id: optional("assumed", z.string().min(1), "Server to back up.", {
      immutable: true,
      references: "server",
      example: "srv_1",
    }),
    status: output("assumed", z.string(), "State of the backup; `completed` when it is finished."),
  },
  filters: {
    created_after: {
      source: "documented",
      schema: dateBound,
      doc: "Only backups created after this time; a bare date means 00:00Z.",
    },
    created_before: {
      source: "documented",
      schema: dateBound,
      doc: "Only backups created before this time; a bare date means 00:00Z.",
    },
  },
  // Assumption: Target of a backup.
  exactlyOne: ["instance_id", "server_id"],
  states: {
    source: "assumed",
    initial: "pending",
    ready: ["completed"],
    failed: ["failed", "error"],
    other: [],
  },
  events: { ready: "backup.completed", failed: "backup.failed" },
});
