import * as z from "zod";
import { addressOrRange, emailAddress, period, record, scopeList } from "../definition/common";
import { timestamp } from "../definition/common";
import { optional, output, required, resource } from "../definition/define";
import { scopesOf } from "../service/scopes";

export const apiKey = resource({
  name: "api_key",
  plural: "api_keys",
  path: "/api-keys",
  doc: "A credential of a client, with its scopes and its rotation.",
  idPrefix: "key",
  operations: { create: "assumed", list: "assumed", update: "assumed", delete: "assumed" },
  scopes: scopesOf("api-keys"),
  fields: {
    ...record,
    id: output("documented", z.string().min(1), "Opaque identifier."),
    name: required("documented", z.string().min(1).max(255), "Descriptive label.", {
      example: "pipeline",
    }),
    permissions: required("documented", scopeList, "Scopes, wildcards or levels of the key.", {
      unordered: true,
      example: ["servers:read", "instances:*"],
    }),
    ip_whitelist: optional(
      "documented",
      z.array(addressOrRange),
      "Addresses that may use the key: IPv4, IPv6 or CIDR. Default: all.",
      { unordered: true, example: ["203.0.113.0/24"] },
    ),
    expires_at: optional("documented", timestamp, "When the key expires, ISO 8601 in UTC.", {
      example: "2027-01-01T00:00:00Z",
    }),
    auto_rotate: optional("documented", z.boolean(), "Whether the service rotates the key itself."),
    rotation_enabled: optional("documented", z.boolean(), "Whether automatic rotation is on."),
    rotation_period: optional(
      "documented",
      period,
      "Days between automatic rotations, such as `90d`.",
      { example: "90d" },
    ),
    grace_period: optional(
      "documented",
      period,
      "Days that the old key keeps working after a rotation, such as `7d`.",
      { example: "7d" },
    ),
    notification_email: optional(
      "documented",
      emailAddress,
      "E-mail address that is notified of rotations.",
      { example: "ops@example.com" },
    ),
    lineage_id: output(
      "assumed",
      z.string(),
      "Id of the first key of the line of rotations; the same for all its keys.",
    ),
    value: output("documented", z.string(), "The secret, returned only on creation and rotation.", {
      secret: true,
    }),
  },
});
