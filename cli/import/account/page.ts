/** One page of a list as it is kept on disk: without what looks like a secret. */
import * as z from "zod";
import { jsonOf, maskSecrets, secretNames } from "../../../provider/contract";
import type { Resource, Values } from "../../../provider/contract";
import type { Page } from "../../../provider/engine";
import { shallow } from "../../account/depth";
import { textOf } from "../../voice";

const values = z.record(z.string(), z.unknown());

const recordSchema = z.object({
  id: z.string(),
  /** Fields of the definition, without secret ones. */
  fields: values,
  /** Free fields that do not look like a secret. */
  properties: values,
  /** Names of the free fields that were left out. */
  secrets: z.array(z.string()),
});

/** An object of the account, without what looks like a secret. */
export type AccountRecord = z.output<typeof recordSchema>;

/** What a page of this process or of an interrupted one holds. */
export const pageSchema = z.object({
  records: z.array(recordSchema),
  /** Records that cannot be read, with the reason. */
  odd: z.array(z.object({ id: z.string(), why: z.string() })),
  /** Items on it, odd ones included. */
  size: z.number(),
  perPage: z.number().optional(),
  total: z.number().optional(),
  hasNext: z.boolean().optional(),
  /** The service's own time of the answer, ISO 8601. */
  serviceTime: z.string().optional(),
});

export type AccountPage = z.output<typeof pageSchema>;

/** The part of a page that may be written to disk. */
export function accountPage({ fields }: Resource, page: Page, report: (line: string) => void) {
  const { pagination, serviceTime } = page;
  const open = (values: Values): Record<string, unknown> =>
    Object.fromEntries(Object.entries(values).filter(([name]) => fields[name]?.secret !== true));
  return {
    records: page.records.map((record) =>
      withoutSecrets({
        id: record.id,
        fields: open(record.fields),
        properties: shallow(record, report).properties,
        secrets: [],
      }),
    ),
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

function withoutSecrets(record: AccountRecord): AccountRecord {
  const secrets = secretNames(record.properties);
  const open = Object.entries(record.properties).filter(([name]) => !secrets.includes(name));
  return {
    ...record,
    properties: Object.fromEntries(open),
    // A name may be a token itself.
    secrets: [...record.secrets, ...secrets.map((name) => maskSecrets(name, "[redacted]"))],
  };
}

/** Undefined where it is not a page. An earlier version may have known less of what a secret is. */
export function parsedPage(text: string): AccountPage | undefined {
  const page = pageSchema.safeParse(jsonOf(text)).data;
  return page && { ...page, records: page.records.map(withoutSecrets) };
}
