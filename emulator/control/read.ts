/** Input of `/_emulator`, held against its schema. */
import type { z } from "zod";
import { InvalidInput, parse } from "../../provider/contract";

/** Reads input from outside; throws an InvalidInput that says what does not fit, and where. */
export function read<S extends z.ZodType>(subject: string, schema: S, value: unknown): z.output<S> {
  const result = parse(schema, value);
  if (result.success) return result.data;
  throw new InvalidInput(subject, result.issues);
}
