/** Both forms of an error, and which codes each status may carry. */
import { metaSchema, pascal } from "../../../provider/contract";
import { codes, type Code } from "../contract/rules";
import { jsonSchema } from "../types";
import { content, reference, type Json } from "./schemas";

const statuses = [...new Set(codes.map(([, { status }]) => status))].sort((a, b) => a - b);

const nameOf = (code: string): string => `${pascal(code)}Error`;

/** A schema per code, and one per status that is any of its codes. */
export const errorSchemas = (): Json => ({
  ...Object.fromEntries(codes.map(([code, entry]) => [nameOf(code), errorSchema(code, entry)])),
  ...Object.fromEntries(
    statuses.map((status) => [
      `Error${status}`,
      {
        anyOf: codes
          .filter(([, entry]) => entry.status === status)
          .map(([code]) => reference(nameOf(code))),
      },
    ]),
  ),
  // Codes are open: a status that is not listed carries an error of either form.
  OtherError: {
    type: "object",
    properties: {
      error: {
        type: "object",
        properties: { code: { type: "string" }, message: { type: "string" } },
        required: ["code", "message"],
      },
      meta: jsonSchema(metaSchema),
    },
    required: ["error"],
  },
});

function errorSchema(code: string, { status, source, condition, form, extra }: Code): Json {
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

/** Answers that operations may give instead of a success, by status. */
export const errorAnswers = (): Json => ({
  ...Object.fromEntries(
    statuses.map((status) => [
      `Error${status}`,
      {
        description: codes
          .filter(([, entry]) => entry.status === status)
          .map(([code]) => code)
          .join(", "),
        content: content(reference(`Error${status}`)),
      },
    ]),
  ),
  OtherError: { description: "any other error", content: content(reference("OtherError")) },
});

/** References to those that an operation may give; `default` is any other. */
export const errorResponses = (wanted: readonly number[]): Json => ({
  ...Object.fromEntries(
    statuses
      .filter((status) => wanted.includes(status))
      .map((status) => [String(status), { $ref: `#/components/responses/Error${status}` }]),
  ),
  default: { $ref: "#/components/responses/OtherError" },
});
