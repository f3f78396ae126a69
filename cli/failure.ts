/** A failure of a command, as its exit code and in words. Loaded only where there is one. */
import { InvalidInput } from "../provider";
import { maskSecrets } from "../provider/contract";
import { EngineError } from "../provider/engine";
import { errorText } from "./voice";

const FAILED = 1;
const INVALID_INPUT = 2;

/** @public Loaded by name, where something failed. The text is whole sentences. */
export const failureOf = (error: unknown) => ({
  code: isInvalidInput(error) ? INVALID_INPUT : FAILED,
  text: errorText(error),
  stack: maskSecrets(stackOf(error), "[redacted]"),
});

const isInvalidInput = (error: unknown): boolean =>
  error instanceof InvalidInput || (error instanceof EngineError && error.code === "invalid_input");

const stackOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "";
  const { cause } = error;
  const origin = cause instanceof Error ? `\nfrom ${cause.stack ?? cause.message}` : "";
  return `${error.stack ?? error.message}${origin}`;
};
