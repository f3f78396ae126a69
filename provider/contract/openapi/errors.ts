/** Both forms of an error, and which codes each status may carry. */
import { pascal } from "../definition/naming";
import { errorCodes, type ErrorFacts } from "../service/errors";
import { answerHeaders } from "./headers";
import { content, jsonSchema, reference, type Json } from "./json";

const codes = (): readonly (readonly [string, ErrorFacts])[] => Object.entries(errorCodes);

const statuses = (): number[] =>
  [...new Set(codes().map(([, { status }]) => status))].sort((a, b) => a - b);

const codesOf = (status: number): string[] =>
  codes()
    .filter(([, entry]) => entry.status === status)
    .map(([code]) => code);

const schemaOf = (code: string): string => `${pascal(code)}Answer`;

/**
 * The schema of a status. Where it is any of several codes it is named after the status; a union
 * of one would be a second name for the same thing, which generators of clients stumble over.
 */
const schemaOfStatus = (status: number): string => {
  const [only = "", ...others] = codesOf(status);
  return others.length === 0 ? schemaOf(only) : `Answer${status}`;
};

/** A schema per code, and one per status that may be any of several. */
export const errorSchemas = (): Json => ({
  ...Object.fromEntries(codes().map(([code, entry]) => [schemaOf(code), errorSchema(code, entry)])),
  ...Object.fromEntries(
    statuses()
      .filter((status) => codesOf(status).length > 1)
      .map((status) => [
        `Answer${status}`,
        { anyOf: codesOf(status).map((code) => reference(schemaOf(code))) },
      ]),
  ),
  OtherAnswer: {
    type: "object",
    description: "Codes are open: an error of either form whose code is not listed.",
    properties: {
      error: {
        type: "object",
        properties: { code: { type: "string" }, message: { type: "string" } },
        required: ["code", "message"],
      },
      meta: reference("Meta"),
    },
    required: ["error"],
  },
});

function errorSchema(code: string, { status, source, condition, form, extra }: ErrorFacts): Json {
  const more = extra ? jsonSchema(extra) : {};
  return {
    type: "object",
    description: `${condition} (form ${form.toUpperCase()})`,
    "x-said-by": source,
    properties: {
      ...(form === "a" && { success: { const: false } }),
      error: {
        type: "object",
        properties: {
          code: { const: code },
          message: { type: "string" },
          ...(form === "b" && { status: { const: status } }),
          ...more.properties,
        },
        required: [
          "code",
          "message",
          ...(form === "b" ? ["status"] : []),
          ...(more.required ?? []),
        ],
      },
      meta: reference("Meta"),
    },
    required: [...(form === "a" ? ["success"] : []), "error"],
  };
}

/** What the answers of a status carry besides the usual headers. */
const headersOf: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  409: ["Retry-After"],
  429: ["Retry-After"],
};

/** Answers that operations may give instead of a success, by status. */
export const errorAnswers = (): Json => ({
  ...Object.fromEntries(
    statuses().map((status) => [
      `Error${status}`,
      {
        description: codesOf(status).join(", "),
        headers: answerHeaders(...(headersOf[status] ?? [])),
        content: content(reference(schemaOfStatus(status))),
      },
    ]),
  ),
  OtherError: { description: "any other error", content: content(reference("OtherAnswer")) },
});

/** References to those that an operation may give; `default` is any other. */
export const errorResponses = (wanted: readonly number[]): Json => ({
  ...Object.fromEntries(
    statuses()
      .filter((status) => wanted.includes(status))
      .map((status) => [String(status), { $ref: `#/components/responses/Error${status}` }]),
  ),
  default: { $ref: "#/components/responses/OtherError" },
});
