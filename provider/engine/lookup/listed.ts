/** Objects of the account as imports would have them, for hosts that take them one after the other. */
import { walkQuery, type FetchPage } from "../../client";
import { resources, type ServiceRecord, type Values } from "../../contract";
import { message, type Message } from "../../messages";
import { engineError } from "../errors";
import { afterImport } from "../values/state";
import { isServed, type Operation, type Served } from "../service/operation";
import { keyState } from "../verbs/key";
import { newest } from "../values/age";
import type { OperationOptions, State } from "../types";
import { freshPages, type Fresh } from "./fresh-pages";
import { selectionOf } from "./lookups";
import { selected } from "./select";

export interface ListOptions extends OperationOptions {
  /** How many are wanted at most; 0: all. */
  readonly limit: number;
}

/** An object, and what is to be said with it; or, at the end, only the latter. */
export interface Listed {
  /** Without any secret. */
  readonly state?: State;
  readonly notes: readonly Message[];
}

/**
 * All that match, oldest first; of a key's line the newest key, and none that has expired. The next
 * page is asked for when the last object was taken, and none after the limit; keys are read first.
 * @throws InvalidInput before any call
 */
export async function* listObjects(
  op: Operation,
  given: Values,
  limit: number,
): AsyncGenerator<Listed, void> {
  if (!isServed(op)) throw engineError("not_importable", { kind: op.kind.name });
  const selection = selectionOf(op.kind.resource, "many", given);
  const { plural } = resources[op.kind.resource];
  const isKey = op.kind.reading.rotates === "own-key";
  const isLocal = selection.selectors.some(({ sent }) => !sent);
  const pages = freshPages(pagesOf(op, selection));
  let count = 0;
  for await (const page of isKey ? newestOfLines(pages) : pages) {
    const nowMs = Date.parse(page.serviceTime ?? "") || op.run.clock.wallMs();
    const current = isKey
      ? page.records.filter((record) => !hasExpired(record, nowMs))
      : page.records;
    const matching = selected(selection, current);
    for (const [index, record] of matching.entries()) {
      count += 1;
      const isLast = count === limit;
      const isMore = index < matching.length - 1;
      const notes =
        isLast && (isMore || page.hasNext)
          ? [message("list_limited", { plural, limit, isSure: isMore || !isLocal })]
          : [];
      yield { state: await stateOf(op, record), notes };
      if (isLast) return;
    }
    if (page.mayLack) yield { notes: [message("list_may_lack", { plural })] };
  }
}

function pagesOf(
  { core, kind, resource, calls }: Operation<Served>,
  { selectors, wanted }: ReturnType<typeof selectionOf>,
): FetchPage {
  const sent = selectors.flatMap(({ name, sent: isSent }) =>
    isSent ? [[resource.wireNames[name] ?? name, String(wanted[name])] as const] : [],
  );
  return core.pages(kind.resource, { ...Object.fromEntries(sent), ...walkQuery(resource) }, calls);
}

/** A page of the key that is managed of each line: keys are few, and only the last page decides. */
async function* newestOfLines(pages: AsyncIterable<Fresh>): AsyncGenerator<Fresh, void> {
  const lines = new Map<unknown, ServiceRecord>();
  let last: Fresh | undefined;
  for await (last of pages) {
    for (const record of last.records) {
      const line = record.fields["lineage_id"] ?? record.id;
      const known = lines.get(line);
      lines.set(line, (known && newest([known, record])) ?? record);
    }
  }
  if (last) yield { ...last, records: [...lines.values()], hasNext: false };
}

const hasExpired = ({ fields }: ServiceRecord, nowMs: number): boolean =>
  Date.parse(String(fields["expires_at"])) <= nowMs;

async function stateOf(op: Operation<Served>, record: ServiceRecord): Promise<State> {
  const open = Object.entries(record.fields).filter(
    ([name]) => op.kind.fields[name]?.secret !== true,
  );
  const shown = { ...record, fields: Object.fromEntries(open) };
  const state = { id: record.id, ...afterImport(op, shown) };
  const seen = { record: shown, serviceTime: undefined };
  return op.kind.reading.rotates === "own-key" ? keyState(op, state, seen, {}) : state;
}
