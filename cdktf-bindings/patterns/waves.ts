/** In which order the members of a fleet change. */
import { message, type Message } from "../../provider/messages";

/** How many change at a time: a number, or a share of those after the canaries. */
export type WaveSize = number | `${number}%`;

/** How members are divided. */
interface Layout {
  /** Default: the first member. */
  readonly canaries: readonly string[] | undefined;
  /** Default: all at once. */
  readonly waveSize: WaveSize | undefined;
}

/** Waves of keys, the first one being the canaries; and what is wrong with the layout. */
interface Waves {
  readonly waves: readonly (readonly string[])[];
  readonly faults: readonly Message[];
}

/** Divides members, in their order: first the canaries, then the others in waves of one size. */
export function wavesOf(keys: readonly string[], { canaries, waveSize }: Layout): Waves {
  const first = canaries ?? keys.slice(0, 1);
  const unknown = first.filter((key) => !keys.includes(key));
  const others = keys.filter((key) => !first.includes(key));
  const size = sizeOf(others.length, waveSize);
  const isWithout = first.length === 0 && keys.length > 0;
  const faults = [
    ...(isWithout ? [message("canary_missing", {}, { path: ["canaries"] })] : []),
    ...unknown.map((id) => message("canary_unknown", { id, known: keys }, { path: ["canaries"] })),
    ...(size === undefined ? [message("wave_size", {}, { path: ["waveSize"] })] : []),
  ];
  const waves = [keys.filter((key) => first.includes(key)), ...chunks(others, size ?? 1)];
  return { waves: waves.filter(({ length }) => length > 0), faults };
}

/** At least one; undefined for what is neither a number of members nor a share of them. */
function sizeOf(count: number, given: WaveSize | undefined): number | undefined {
  if (given === undefined) return Math.max(1, count);
  if (typeof given === "number") return Number.isInteger(given) && given > 0 ? given : undefined;
  const share = /^\d{1,3}(?:\.\d+)?%$/.test(given) ? Number.parseFloat(given) : 0;
  return share > 0 && share <= 100 ? Math.max(1, Math.ceil((count * share) / 100)) : undefined;
}

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
