/** One page of a list: asked for, checked against itself, its records decoded. */
import { decodeRecord, isOdd, paginationSchema, parse } from "../../contract";
import type { OddRecord, Pagination, ResolvedResource, ServiceRecord } from "../../contract";
import type { FetchPage, Page, Query } from "../api";
import type { Answer } from "../chain/call";
import { ErpHostError } from "../errors";
import { message, pathText, type Message } from "../../messages";

/** Times that a page which contradicts itself is asked for again: it may have changed under us. */
const CONTRADICTION_RETRIES = 2;

/** `/servers?page=1&per_page=100&sort=created_at&order=asc` */
function listPath(path: string, query: Query, page: number, perPage: number): string {
  let text = `${path}?page=${page}&per_page=${perPage}`;
  for (const [name, value] of Object.entries(query)) {
    text += `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return text;
}

export function pageFetcher(
  resource: ResolvedResource,
  query: Query,
  get: (path: string) => Promise<Answer>,
): FetchPage {
  const operation = `GET ${resource.path}`;
  return async (number, perPage) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await get(listPath(resource.path, query, number, perPage));
      if (!Array.isArray(answer.data)) {
        throw new ErpHostError({
          code: "invalid_response",
          operation,
          status: answer.status,
          why: message("response_without_records", { page: number }),
          requestId: answer.meta?.request_id,
        });
      }
      const problem = contradiction(answer.pagination, number, perPage, answer.data.length);
      if (problem === undefined) return pageOf(resource, answer, number, answer.data);
      if (attempt > CONTRADICTION_RETRIES) {
        throw new ErpHostError({
          code: "invalid_pagination",
          operation,
          status: answer.status,
          why: message("page_contradicts_itself", { page: number, why: problem }),
          requestId: answer.meta?.request_id,
          attempts: attempt,
        });
      }
    }
  };
}

function pageOf(
  resource: ResolvedResource,
  answer: Answer,
  number: number,
  items: readonly unknown[],
): Page {
  const records: ServiceRecord[] = [];
  const odd: OddRecord[] = [];
  for (const item of items) {
    const read = decodeRecord(resource, item);
    if (isOdd(read)) odd.push(read);
    else records.push(read);
  }
  return {
    number,
    records,
    odd,
    size: items.length,
    // `contradiction` has parsed it.
    pagination: answer.pagination as Pagination | undefined,
    serviceTime: answer.meta?.timestamp,
  };
}

/** What is wrong with a page's `pagination`; undefined where nothing is. */
export function contradiction(
  given: unknown,
  page: number,
  perPage: number,
  size: number,
): Message | undefined {
  if (given === undefined) return undefined;
  const parsed = parse(paginationSchema, given);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return (
      issue &&
      message("malformed_pagination", {
        at: pathText(["pagination", ...issue.path]),
        why: { code: issue.code, parts: issue.parts },
      })
    );
  }
  const pagination = parsed.data;
  if (pagination.current_page !== page) return wrong("current_page", pagination.current_page, page);
  if (pagination.per_page > perPage)
    return wrong("per_page", pagination.per_page, `at most ${perPage}`);
  const pages = Math.ceil(pagination.total_items / pagination.per_page);
  // An empty list may count as no page or as one.
  if (pagination.total_pages !== pages && !(pages === 0 && pagination.total_pages === 1)) {
    return wrong("total_pages", pagination.total_pages, pages);
  }
  const next = page < pagination.total_pages;
  if (pagination.has_next !== next) return wrong("has_next", pagination.has_next, next);
  // Beyond the end both answers make sense.
  if (pagination.has_previous !== page > 1 && page <= Math.max(1, pagination.total_pages)) {
    return wrong("has_previous", pagination.has_previous, page > 1);
  }
  const expected = Math.max(
    0,
    Math.min(pagination.per_page, pagination.total_items - (page - 1) * pagination.per_page),
  );
  return size === expected ? undefined : wrong("the number of items", size, expected);
}

const wrong = (
  member: string,
  is: number | boolean,
  expected: number | boolean | string,
): Message => message("wrong_pagination", { member, is, expected });
