import * as z from "zod";
import { emailAddress, record } from "../definition/common";
import { optional, required, resource } from "../definition/define";
import { scopesOf } from "../service/scopes";

const member = z.object({
  email: emailAddress.describe("Email address of the member."),
  role: z.string().min(1).optional().describe("Role in the team, such as `admin` or `member`."),
});

export const team = resource({
  name: "team",
  plural: "teams",
  path: "/teams",
  doc: "A team and its members. The service cannot delete it.",
  idPrefix: "team",
  operations: { create: "documented", list: "documented", update: "documented" },
  scopes: scopesOf("teams"),
  fields: {
    ...record,
    name: required("assumed", z.string().min(1).max(255), "Name of the team.", {
      example: "operations",
    }),
    members: optional("assumed", z.array(member), "Members, in no order, one per email address.", {
      unordered: true,
      key: "email",
      example: [{ email: "ada@example.com", role: "admin" }],
    }),
  },
});
