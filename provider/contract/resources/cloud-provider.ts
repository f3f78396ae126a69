import * as z from "zod";
import { record } from "../definition/common";
import { output, resource } from "../definition/define";
import { scopesOf } from "../service/scopes";

export const cloudProvider = resource({
  name: "cloud_provider",
  plural: "cloud_providers",
  path: "/providers",
  doc: "A connection to a cloud provider. The service only lists them.",
  idPrefix: "prv",
  operations: { list: "documented" },
  scopes: scopesOf("providers", ["list"]),
  fields: {
    ...record,
    name: output("assumed", z.string(), "Name of the connection."),
    status: output("assumed", z.string(), "State of the connection."),
  },
});
