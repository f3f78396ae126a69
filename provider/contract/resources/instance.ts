import * as z from "zod";
import { record } from "../definition/common";
import { optional, output, required, resource } from "../definition/define";
import { scopesOf } from "../service/scopes";

export const instance = resource({
  name: "instance",
  plural: "instances",
  path: "/instances",
  doc: "An installation of the ERP application on a server.",
  idPrefix: "ins",
  operations: {
    create: "documented",
    list: "documented",
    update: "documented",
    delete: "documented",
  },
  scopes: scopesOf("instances"),
  fields: {
    ...record,
    name: required("assumed", z.string().min(1).max(255), "Name of the instance.", {
      example: "erp",
    }),
    server_id: required("assumed", z.string().min(1), "Id of the server that hosts the instance.", {
      immutable: true,
      references: "server",
      restricts: true,
      example: "srv_1",
    }),
    version: optional("documented", z.string().min(1), "Release number, such as `17.0`.", {
      filter: "service",
      example: "17.0",
    }),
    edition: optional("documented", z.string().min(1), "Edition name, such as `community`.", {
      filter: "service",
      example: "community",
    }),
    status: output("documented", z.string(), "State of the instance; `running` when it is ready.", {
      always: true,
    }),
  },
  states: {
    source: "assumed",
    initial: "provisioning",
    ready: ["running"],
    failed: ["failed", "error"],
    other: ["stopped"],
  },
  events: { ready: "instance.deployed", "state:stopped": "instance.stopped" },
});
