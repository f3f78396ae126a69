/** Lengths of time and limits as people write them. */

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `30`, `30s`, `500ms`, `2m`, `1h`, `1d` as milliseconds; a bare number is seconds. */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim());
  const unit = UNITS_MS[match?.[2] ?? "s"];
  return match && unit !== undefined ? Number(match[1]) * unit : undefined;
}

/** `100/2s` as a window: so many requests in so long. */
export function parseLimit(text: string): { requests: number; windowMs: number } | undefined {
  const match = /^(\d+)\s*\/\s*(\d*)(ms|s|m|h|d)$/.exec(text.trim());
  const unit = UNITS_MS[match?.[3] ?? ""];
  if (!match || unit === undefined) return undefined;
  return { requests: Number(match[1]), windowMs: (match[2] === "" ? 1 : Number(match[2])) * unit };
}
