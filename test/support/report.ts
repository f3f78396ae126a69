/** What the long runs print. */

/** A plain table; cells are padded to the width of their column. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => "─".repeat(width));
  return [head, rule, ...rows]
    .map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)))
    .map((cells) => cells.join("  ").trimEnd())
    .join("\n");
}
