import * as z from "zod";
import { record } from "../definition/common";
import { output, resource } from "../definition/define";

export const invoice = resource({
  name: "invoice",
  plural: "invoices",
  path: "/invoices",
  doc: "An invoice. The service only lists them.",
  idPrefix: "inv",
  operations: { list: "documented" },
  scopes: { list: { scope: "billing:read", source: "documented" } },
  fields: {
    ...record,
    status: output("assumed", z.string(), "State of the invoice."),
  },
});
