/** Provider functions: they split strings of the contract into parts, and make no call. */
import { InvalidInput, issueAt, parse, parseApiKey, period, periodMs } from "../../contract";
import type { Type } from "./types";

export interface ProviderFunction {
  readonly name: string;
  readonly summary: string;
  readonly doc: string;
  readonly parameter: { readonly name: string; readonly doc: string };
  readonly returns: Type;
  /** An example call and its result, for documentation. */
  readonly example: { readonly argument: string; readonly result: string };
  /** @throws InvalidInput, whose issues name the parameter and do not repeat the argument */
  readonly run: (argument: string) => Readonly<Record<string, unknown>>;
}

const DAY_SECONDS = 86_400;

const all: readonly ProviderFunction[] = [
  {
    name: "parse_api_key",
    summary: "Splits an API key into its parts",
    doc: "Splits an API key of the form `<prefix>_<live or test>_<identifier>` into its parts. The parts of a sensitive key are sensitive.",
    parameter: { name: "key", doc: "An API key." },
    returns: ["object", { prefix: "string", environment: "string", unique: "string" }],
    example: {
      argument: "erp_test_4f9a",
      result: '{ prefix = "erp", environment = "test", unique = "4f9a" }',
    },
    run: (argument) => {
      const parts = parseApiKey(argument);
      if (parts) return { ...parts };
      throw new InvalidInput("parse_api_key", [issueAt(["key"], "malformed_key", {})]);
    },
  },
  {
    name: "parse_period",
    summary: "Splits a period into its parts",
    doc: "Splits a period such as `90d` into its parts. `rotate_after`, `rotation_period` and `grace_period` have this form.",
    parameter: { name: "period", doc: "A number of days followed by the letter d." },
    returns: ["object", { count: "number", unit: "string", seconds: "number" }],
    example: { argument: "90d", result: '{ count = 90, unit = "d", seconds = 7776000 }' },
    run: (argument) => {
      const parsed = parse(period, argument);
      if (!parsed.success) {
        const issues = parsed.issues.map((issue) => ({ ...issue, path: ["period"] }));
        throw new InvalidInput("parse_period", issues);
      }
      const count = Number.parseInt(argument, 10);
      return { count, unit: "d", seconds: (periodMs(argument) / periodMs("1d")) * DAY_SECONDS };
    },
  },
];

export const providerFunctions: ReadonlyMap<string, ProviderFunction> = new Map(
  all.map((definition) => [definition.name, definition]),
);
