/** Headers of requests and answers. */
import { debugHeaders, IDEMPOTENCY_KEY_LENGTH_MAX } from "../service/envelope";
import { rateHeaders } from "../service/limits";
import { parameter, type Json } from "./json";

/** On the answer to a POST that repeats an earlier one. */
export const replayedHeader = "Idempotent-Replayed";

interface Header {
  readonly description: string;
  readonly schema: Json;
  readonly required?: true;
}

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };

const known = (): Readonly<Record<string, Header>> => ({
  [rateHeaders.limit]: {
    description: "Requests that the window allows. Absent for a key without limits.",
    schema: count,
  },
  [rateHeaders.remaining]: { description: "Requests that are left of them.", schema: count },
  [rateHeaders.reset]: { description: "When the window ends, in Unix seconds.", schema: count },
  ...Object.fromEntries(
    Object.entries(debugHeaders).map(([name, description]) => [
      name,
      { description: `${description} Only where X-Debug-Auth was sent.`, schema: text },
    ]),
  ),
  [replayedHeader]: {
    description: "`true` where the answer is that of an earlier request with the same key.",
    schema: { const: "true" },
  },
  "Retry-After": { description: "Seconds to wait before the next attempt.", schema: count },
  "WWW-Authenticate": {
    description: "`Bearer`, with an error where a key was sent.",
    schema: text,
    required: true,
  },
  Allow: { description: "Methods that the path has.", schema: text },
});

export const headerComponents = (): Json => known();

/** References to headers of an answer: those that every answer may carry, and these. */
export const answerHeaders = (...more: readonly string[]): Json =>
  Object.fromEntries(
    [...Object.values(rateHeaders), ...Object.keys(debugHeaders), ...more].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );

export const debugParameter = (): Json =>
  parameter("header", "X-Debug-Auth", "`true` asks for the X-Auth headers.", text);

export const idempotencyParameter = (): Json =>
  parameter(
    "header",
    "Idempotency-Key",
    "A string that the client chooses, the same on every retry.",
    { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH_MAX },
  );
