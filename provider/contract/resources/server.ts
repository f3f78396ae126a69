import * as z from "zod";
import { record } from "../definition/common";
import { output, required, resource } from "../definition/define";
import { scopesOf } from "../service/scopes";

export const server = resource({
  name: "server",
  plural: "servers",
  path: "/servers",
  doc: "A virtual machine that hosts the ERP application.",
  idPrefix: "srv",
  operations: {
    create: "documented",
    list: "documented",
    update: "documented",
    delete: "documented",
  },
  scopes: scopesOf("servers"),
  fields: {
    ...record,
    name: required("documented", z.string().min(1).max(255), "Name of the server.", {
      example: "erp-production",
    }),
    status: output("documented", z.string(), "State of the server; `running` when it is ready.", {
      filter: "equality",
      always: true,
    }),
  },
  states: {
    source: "assumed",
    initial: "provisioning",
    ready: ["running"],
    failed: ["failed", "error"],
    other: [],
  },
  events: { ready: "server.created", deleted: "server.deleted" },
});
