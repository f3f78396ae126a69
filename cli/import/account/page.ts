/** One page of a list as it is kept on disk: what a program may need of it, and no secret. */
import * as z from "zod";
import { isRecord, type Resource, type Values } from "../../../provider/contract";
import { secretNames, type Page } from "../../../provider/engine";
import { textOf } from "../../voice";

const values = z.record(z.string(), z.unknown());

const recordSchema = z.object({
  id: z.string(),
  /** Fields of the definition, without secret ones. */
  fields: values,
  /** Free fields that hold no secret, as far as their names and texts show. */
  properties: values,
  /** Names of the free fields that were left out. */
  secrets: z.array(z.string()),
});

/** An object of the account, without its secrets. */
export type AccountRecord = z.output<typeof recordSchema>;

/** What a page of this process or of an interrupted one holds. */
export const pageSchema = z.object({
  records: z.array(recordSchema),
  /** Records that cannot be read, with the reason. */
  odd: z.array(z.object({ id: z.string(), why: z.string() })),
  /** Items on it, odd ones included. */
  size: z.number(),
  perPage: z.number().optional(),
  /** Objects in the whole list. */
  total: z.number().optional(),
  hasNext: z.boolean().optional(),
  /** The service's own time of the answer, ISO 8601. */
  serviceTime: z.string().optional(),
});

export type AccountPage = z.output<typeof pageSchema>;

/** The part of a page that may be written to disk. */
export function accountPage({ fields }: Resource, page: Page): AccountPage {
  const { pagination, serviceTime } = page;
  const open = (values: Values): Record<string, unknown> =>
    Object.fromEntries(Object.entries(values).filter(([name]) => fields[name]?.secret !== true));
  return {
    records: page.records.map((record) => {
      const secrets = secretNames(record.properties);
      return {
        id: record.id,
        fields: open(record.fields),
        properties: without(record.properties, secrets),
        secrets,
      };
    }),
    odd: page.odd.map(({ id = "", problem }) => ({ id, why: textOf(problem) })),
    size: page.size,
    ...(pagination && {
      perPage: pagination.per_page,
      total: pagination.total_items,
      hasNext: pagination.has_next,
    }),
    ...(serviceTime !== undefined && { serviceTime }),
  };
}

const without = (all: Values, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));

/** A page that was kept; undefined where the text is none. */
export function parsedPage(text: string): AccountPage | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? pageSchema.safeParse(parsed).data : undefined;
  } catch {
    return undefined;
  }
}
