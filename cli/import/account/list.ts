/** One list of the account, read once and page by page. */
import type { Resource } from "../../../provider/contract";
import type { Page } from "../../../provider/engine";
import type { KeptPages } from "./kept-pages";
import { accountPage, type AccountPage, type AccountRecord } from "./page";

export interface AccountList {
  readonly records: readonly AccountRecord[];
  readonly odd: readonly { readonly id: string; readonly why: string }[];
  /** It changed each time that it was read: something may be missing. */
  readonly moved: boolean;
}

/** Where a list comes from, and who hears of its pages. */
export interface ListSource {
  readonly definition: Resource;
  readonly fetchPage: (number: number, perPage: number) => Promise<Page>;
  readonly kept: KeptPages;
  readonly report: (line: string) => void;
}

const PER_PAGE = 100;
const PAGES_MAX = 100_000;
/** How often a list that changes meanwhile is read. */
const ROUNDS_MAX = 3;
/** Pages between two reports of progress. */
const REPORTED_EVERY = 10;

/**
 * From the first page to the last, oldest objects first: new ones come at the end. An object that is
 * deleted meanwhile moves those after it, so that one could be skipped; then the list is read again.
 */
export async function readList(source: ListSource): Promise<AccountList> {
  const { plural } = source.definition;
  for (let round = 1; ; round += 1) {
    const pages = await readPages(source);
    const list = joined(pages);
    const moved = hasMoved(pages, list);
    if (!moved || round >= ROUNDS_MAX) return { ...list, moved };
    source.report(`${plural} changed while they were read, and are read again.`);
    source.kept.forget(plural, pages.length);
  }
}

async function readPages(source: ListSource): Promise<AccountPage[]> {
  const { definition, fetchPage, kept, report } = source;
  const { plural } = definition;
  const pages: AccountPage[] = [];
  let perPage = PER_PAGE;
  for (let number = 1; number <= PAGES_MAX; number += 1) {
    const known = kept.get(plural, number);
    const page = known ?? accountPage(definition, await fetchPage(number, perPage), report);
    if (!known) kept.put(plural, number, page);
    // A service without pagination that takes no notice of `page` answers the same for ever.
    if (page.total === undefined && page.size > 0 && isRepeated(page, pages)) break;
    pages.push(page);
    perPage = page.perPage ?? perPage;
    const last = page.total === undefined ? "?" : Math.max(1, Math.ceil(page.total / perPage));
    if (number % REPORTED_EVERY === 0) report(`${plural}: page ${number} of ${last}`);
    if (!(page.hasNext ?? page.size > 0)) break;
  }
  return pages;
}

const isRepeated = ({ records }: AccountPage, before: readonly AccountPage[]): boolean => {
  const seen = new Set(before.flatMap((page) => page.records.map(({ id }) => id)));
  return records.length > 0 && records.every(({ id }) => seen.has(id));
};

function joined(pages: readonly AccountPage[]): Omit<AccountList, "moved"> {
  const records = new Map(pages.flatMap((page) => page.records.map((each) => [each.id, each])));
  return { records: [...records.values()], odd: pages.flatMap(({ odd }) => odd) };
}

function hasMoved(pages: readonly AccountPage[], list: Omit<AccountList, "moved">): boolean {
  const totals = new Set(pages.map(({ total }) => total));
  const sizes = pages.reduce((sum, { size }) => sum + size, 0);
  if (totals.size > 1) return true;
  const [first] = pages;
  if (pages.length < 2 || first?.total === undefined) return false;
  if (sizes !== first.total || list.records.length + list.odd.length < first.total) return true;
  // As many were deleted as were created: only the time of the new ones shows it.
  const begunMs = Date.parse(first.serviceTime ?? "");
  return list.records.some(({ fields }) => Date.parse(String(fields["created_at"])) > begunMs);
}
