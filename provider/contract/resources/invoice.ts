import * as z from "zod";
import { record } from "../definition/common";
import { output, resource } from "../definition/define";
import { scopesOf } from "../service/scopes";

export const invoice = resource({
  name: "invoice",
  plural: "invoices",
  path: "/invoices",
  doc: "An invoice. The service only lists them.",
  idPrefix: "inv",
  operations: { list: "documented" },
  scopes: scopesOf("billing", ["list"]),
  fields: { ...record, status: output("assumed", z.string(), "State of the invoice.") },
});
