/** How many attempts a call has. */
import type { ErpHostError } from "../errors";

/** Times a call is sent again after a fault of the network or the service. */
export const RETRY_COUNT_MAX = 8;

/** Attempts that a call has at most, after this failure. */
export const attemptCountMax = (_: ErpHostError | undefined): number => RETRY_COUNT_MAX + 1;
