/** A guess at what was meant, for messages. */

/** The known name that is nearest to a wrong one; undefined where none is near. */
export function nearest(
  name: string,
  known: readonly string[],
  editsMax = Math.max(2, Math.floor(name.length / 3)),
): string | undefined {
  const scored = known
    .map((candidate) => ({ candidate, distance: distance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const best = scored[0];
  return best && best.distance <= editsMax ? best.candidate : undefined;
}

/** Levenshtein's distance; names are short. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitute));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
