/** The account: every list that objects are taken from, each read once. */
import { hasCode, isPermissionError, type CallOptions } from "../../../provider";
import { resources, type Resource } from "../../../provider/contract";
import { reasonOf, type Engine } from "../../../provider/engine";
import { textOf } from "../../voice";
import type { Kind } from "../../../provider/resources";
import { readList, type AccountList, type ListSource } from "./list";

/** A kind, and what the service lists of it; or why it cannot be had. */
export interface KindOfAccount {
  readonly kind: Kind;
  readonly list: AccountList | undefined;
  readonly why: string | undefined;
}

interface Reader extends Pick<ListSource, "kept" | "report"> {
  readonly engine: Engine;
  readonly calls: CallOptions;
}

/**
 * Reads the lists of these kinds. One that the key may not read, or that the service does not have,
 * is left out with the reason, unless it was `asked` for.
 * @throws ErpHostError where reading fails otherwise; what was read until then is kept
 */
export async function readAccount(
  { engine, calls, kept, report }: Reader,
  kinds: readonly Kind[],
  asked: readonly string[],
): Promise<readonly KindOfAccount[]> {
  const lists: KindOfAccount[] = [];
  for (const kind of kinds) {
    if (kind.resource === undefined) continue;
    const definition: Resource = resources[kind.resource];
    try {
      const fetchPage = engine.lookupPages(kind.resource, calls);
      const list = await readList({ definition, fetchPage, kept, report });
      report(`${definition.plural}: ${list.records.length.toLocaleString("en")}`);
      lists.push({ kind, list, why: undefined });
    } catch (error) {
      if (asked.includes(kind.name) || !isOutOfReach(error)) throw error;
      const why = textOf(reasonOf(error));
      report(`warning: ${definition.plural} are left out: ${why}`);
      lists.push({ kind, list: undefined, why });
    }
  }
  return lists;
}

/** The key or the service does not give this list; other lists it may. */
const isOutOfReach = (error: unknown): boolean =>
  isPermissionError(error) || hasCode(error, "not_offered") || hasCode(error, "not_found");
