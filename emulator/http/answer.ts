/** Answers as text, and the envelope of a success (contract, part 2). */
import { errorEnvelope, type Refusal } from "./errors";

/** What is sent, unless a fault alters it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** JSON texts of the records in the body, separated by commas there. */
  readonly records?: readonly string[] | undefined;
}

/** What `pagination` is computed from. */
export interface Page {
  readonly page: number;
  readonly perPage: number;
  readonly count: number;
}

/** The result of an operation. `data` is JSON text, so that stored records need no parsing. */
export interface Outcome {
  readonly status: number;
  readonly data: string;
  readonly records?: readonly string[];
  readonly page?: Page;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `meta` of every answer. */
export interface Meta {
  readonly timestamp: string;
  readonly request_id: string;
}

/** Headers of every answer with a JSON body. */
const JSON_HEADERS = { "Content-Type": "application/json; charset=utf-8" } as const;

const pagination = ({ page, perPage, count }: Page) => {
  const pages = Math.ceil(count / perPage);
  return {
    current_page: page,
    per_page: perPage,
    total_pages: pages,
    total_items: count,
    has_next: page < pages,
    has_previous: page > 1 && pages > 0,
  };
};

/** The answer of an operation that succeeded. */
export function successAnswer(outcome: Outcome, meta: Meta): Answer {
  const tail = outcome.page ? `,"pagination":${JSON.stringify(pagination(outcome.page))}` : "";
  return {
    records: outcome.records,
    status: outcome.status,
    headers: { ...JSON_HEADERS, ...outcome.headers },
    body: `{"success":true,"data":${outcome.data},"meta":${JSON.stringify(meta)}${tail}}`,
  };
}

/** How to sign in, which every 401 says (RFC 6750); nothing for other answers. */
export const challengeFor = (status: number, code: string): Record<string, string> =>
  status === 401
    ? { "WWW-Authenticate": KEYLESS.has(code) ? "Bearer" : 'Bearer error="invalid_token"' }
    : {};

/** Without a key there is nothing to say of it. */
const KEYLESS: ReadonlySet<string> = new Set(["authentication_required", "unauthorized"]);

/** The answer to a refused request; `generic` as in `errorEnvelope`. */
export function errorAnswer(error: Refusal, meta: Meta, generic: boolean): Answer {
  return {
    status: error.status,
    headers: { ...JSON_HEADERS, ...challengeFor(error.status, error.code), ...error.headers },
    body: JSON.stringify(errorEnvelope(error, meta, generic)),
  };
}
