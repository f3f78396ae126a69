/** A report as Markdown. */
import { capital, noun, visible } from "../../../provider/messages";
import type { KindReport, Report, Unavailable } from "./report";

/** The whole page, with a line break at its end. */
export function markdown({ account, kinds, unavailable }: Report): string {
  const sections = [
    `# Objects of the ${account.environment} account at ${account.baseUrl}`,
    summary(kinds),
    ...(kinds.some(({ incomplete }) => incomplete) ? [incompleteNote(kinds)] : []),
    ...unmanagedSection(kinds),
    ...unavailableSection(unavailable),
    ...freeFieldsSection(kinds),
  ];
  return `${sections.join("\n\n")}\n`;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

const summary = (kinds: readonly KindReport[]): string =>
  table(
    ["Kind", "In the service", "Managed", "Taken over now", "Unmanaged"],
    kinds.map(({ kind, listed, managed, taken, unmanaged }) => [
      capital(noun(kind)),
      listed === null ? "unknown" : String(listed),
      String(managed.program + managed.state),
      String(taken.length),
      listed === null ? "unknown" : String(unmanaged.length),
    ]),
  );

const incompleteNote = (kinds: readonly KindReport[]): string => {
  const names = kinds.filter(({ incomplete }) => incomplete).map(({ kind }) => noun(kind));
  return `Lists that changed each time they were read, so that an object may be missing here: ${names.join(", ")}. Run the command again.`;
};

function unmanagedSection(kinds: readonly KindReport[]): string[] {
  const rows = kinds.flatMap(({ kind, unmanaged }) =>
    unmanaged.map(({ id, name, why }) => [
      capital(noun(kind)),
      code(id),
      name === null ? "" : code(name),
      cell(why),
    ]),
  );
  return rows.length === 0 ? [] : ["## Unmanaged", table(["Kind", "Id", "Name", "Why"], rows)];
}

/** More ids than these are counted. */
const IDS_MAX = 20;

function unavailableSection(unavailable: readonly Unavailable[]): string[] {
  if (unavailable.length === 0) return [];
  const lines = unavailable.map(({ what, ids, why }) => {
    const more = ids.length > IDS_MAX ? ` and ${ids.length - IDS_MAX} more` : "";
    const about = ids.length === 0 ? "" : ` (${ids.slice(0, IDS_MAX).map(code).join(", ")}${more})`;
    return `- ${code(what)}${about}: ${cell(why)}`;
  });
  return ["## What an import cannot give", lines.join("\n")];
}

function freeFieldsSection(kinds: readonly KindReport[]): string[] {
  const rows = kinds.flatMap(({ kind, freeFields }) =>
    Object.entries(freeFields).map(([name, count]) => [
      capital(noun(kind)),
      code(name),
      String(count),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    "## Further fields of the service",
    "They are written to `properties` where `--property` names them.",
    table(["Kind", "Field", "Objects"], rows),
  ];
}

/** Text of the service inside a table: it can neither end a cell nor begin markup. */
const cell = (text: string): string => visible(text).replace(/[|<>]/g, "\\$&");

/** Text of the service as code, whatever backticks it holds. */
function code(text: string): string {
  const shown = visible(text).replaceAll("|", "\\|");
  if (shown.trim() === "") return "(empty)";
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}
