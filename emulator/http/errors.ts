/** Refusals and their two forms on the wire (contract, part 7). */
import { errorCodes, isRecord } from "../../provider/contract";

/** Codes that the emulator answers with. */
export type ServiceErrorCode = keyof typeof errorCodes;

/** What is sent of a refusal. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** Of its envelope. */
  readonly form: "a" | "b";
  /** Members of `error` besides `code` and `message`. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Thrown anywhere in an operation; `Api` turns it into an answer. */
export class ServiceError extends Error implements Refusal {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly form: "a" | "b";

  constructor(
    readonly code: ServiceErrorCode,
    message: string,
    readonly extra: Refusal["extra"] = {},
    readonly headers: Refusal["headers"] = {},
  ) {
    super(message);
    ({ status: this.status, form: this.form } = errorCodes[code]);
  }
}

/** What SQLite says of a disk without space. */
const SQLITE_FULL = 13;

/** What any error is to the client. One that is nobody's refusal is a fault of the emulator. */
export function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isRecord(error) && error["errcode"] === SQLITE_FULL) {
    const message =
      "the disk with the emulator's state is full, and nothing was changed. Free some space, and try again";
    return new ServiceError("insufficient_storage", message);
  }
  // Its text helps whoever runs it.
  return new ServiceError("internal_error", `the emulator failed: ${String(error)}`);
}

/** The field that an error is about, and what is wrong with it; empty where it names none. */
export function detailsOf({ extra }: ServiceError): { field?: string; reason?: string } {
  const { details } = extra;
  const text = (name: string) =>
    isRecord(details) && typeof details[name] === "string" ? { [name]: details[name] } : {};
  return { ...text("field"), ...text("reason") };
}

/** 422 for one field. */
export const invalid = (field: string, reason: string): ServiceError =>
  new ServiceError("validation_error", `${field} ${reason}`, { details: { field, reason } });

/** 404. */
export const notFound = (what: string): ServiceError =>
  new ServiceError("not_found", `${what} does not exist`);

/**
 * The error envelope. Form B has `status` and no `success`. With `generic`, a 401 or 403 has the
 * generic code in form A, which the contract documents as well.
 */
export function errorEnvelope(
  { code, message, status, form, extra }: Refusal,
  meta: unknown,
  generic: boolean,
): unknown {
  if (form === "a") return { success: false, error: { code, message, ...extra }, meta };
  if (!generic) return { error: { code, message, status, ...extra }, meta };
  const shown = status === 401 ? "unauthorized" : "forbidden";
  return { success: false, error: { code: shown, message }, meta };
}
