/** Schemas and fields that several resources share. */
import * as z from "zod";
import { output } from "./define";
import { scopeNameSchema } from "../service/scopes";

/** ISO 8601 with an offset, as the contract shows its timestamps in UTC. */
export const timestamp = z.iso.datetime({ offset: true });

/** A filter bound: a timestamp, or a bare date, which means 00:00Z of that day. */
export const dateBound = z
  .string()
  .refine(
    (text) => timestamp.safeParse(text).success || z.iso.date().safeParse(text).success,
    "must be an ISO 8601 timestamp or date, such as 2026-01-31",
  );

/** The fields that every listed record carries. */
export const record = {
  id: output("assumed", z.string().min(1), "Opaque identifier."),
  created_at: output("documented", timestamp, "When it was created, ISO 8601 in UTC.", {
    always: true,
  }),
};

/** A number of days with the unit letter: `90d`. The contract shows no other unit. */
export const period = z
  .string()
  .regex(/^[1-9][0-9]{0,4}d$/, "must be a number of days followed by the letter d, such as 90d");

/** Milliseconds in a period such as `90d`; the text has passed `period`. */
export const periodMs = (text: string): number => Number.parseInt(text, 10) * 86_400_000;

/** An e-mail address. Without look-ahead, so that tools can make examples of it. */
export const emailAddress = z.email({
  pattern:
    /^[A-Za-z0-9_'+-]+(?:\.[A-Za-z0-9_'+-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/,
});

export const addressForms = [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()] as const;
const address = z.union(addressForms);

/** An IPv4 address, an IPv6 address or a CIDR range. */
export const addressOrRange = z
  .string()
  .refine(
    (text) => address.safeParse(text).success,
    "must be an IPv4 address, an IPv6 address or a CIDR range such as 203.0.113.0/24",
  );

export const scopeList = z.array(scopeNameSchema).min(1);
