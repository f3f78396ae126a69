/** A picture of what a plan touches, in Mermaid. Ids are ours, and no name is anything but a label. */
import { visible } from "../../provider/messages";
import { alike, type Group } from "./alike";
import type { ObjectSummary, PlanSummary } from "./schema";
import { number } from "./words";

/** More than that nobody sees at once. */
const NODES_MAX = 60;
const LABEL_LENGTH_MAX = 40;

/** Distinguished by their sign and their form, and not by a colour. The first is shown first. */
const FORMS: Readonly<Record<string, readonly [sign: string, open: string, close: string]>> = {
  delete: ["− deleted", "[/", "\\]"],
  replace: ["± replaced", "{{", "}}"],
  rotate: ["↻ rotated", "[[", "]]"],
  retain: ["○ left to the service", "[(", ")]"],
  none: ["! protected no more", ">", "]"],
  update: ["~ changed", "[", "]"],
  create: ["+ created", "([", "])"],
  import: ["< imported", "(", ")"],
};
const KINDS = [
  ["server", "servers"],
  ["instance", "instances"],
  ["backup", "backups"],
  ["api_key", "keys"],
  ["api_key_rotation", "rotations of keys"],
] as const;

/** Lines of Mermaid; none where nothing of these kinds is touched. */
export function pictureOf({ objects }: PlanSummary): string[] {
  const shown = Object.keys(FORMS)
    .flatMap((action) => objects.filter((object) => object.action === action))
    .filter(({ kind }) => KINDS.some(([name]) => name === kind));
  const groups = alike(shown, ({ kind, action, references }) =>
    JSON.stringify([kind, action, references]),
  );
  const most = groups.length > NODES_MAX ? NODES_MAX - 1 : NODES_MAX;
  const nodes = groups.slice(0, most).map((group, index) => ({ id: `n${index}`, group }));
  if (nodes.length === 0) return [];
  const idOf = new Map(
    nodes.flatMap(({ id, group }) => group.items.map((object) => [object.id, id] as const)),
  );
  const boxes = KINDS.flatMap(([kind, plural], index) => {
    const own = nodes.filter(({ group }) => group.items[0].kind === kind);
    if (own.length === 0) return [];
    return [
      `  subgraph k${index}["${plural}"]`,
      ...own.map(({ id, group }) => `    ${nodeOf(id, group)}`),
      "  end",
    ];
  });
  const edges = nodes.flatMap(({ id, group }) =>
    group.items[0].references.flatMap((parent) => {
      const of = idOf.get(parent);
      return of === undefined ? [] : [`  ${of} --- ${id}`];
    }),
  );
  const more = groups.length - nodes.length;
  const rest = more > 0 ? [`  more["… and ${number(more)} more"]`] : [];
  return ["flowchart LR", ...boxes, ...rest, ...edges];
}

function nodeOf(id: string, { address, items }: Group<ObjectSummary>): string {
  const [sign, open, close] = FORMS[items[0].action] ?? ["", "[", "]"];
  const count = items.length > 1 ? `${number(items.length)} × ` : "";
  const name = items.length > 1 ? address : (items[0].name ?? address);
  return `${id}${open}"${sign}: ${count}${label(name)}"${close}`;
}

/** Letters and digits of English as they are, everything else as the code of its character. */
function label(text: string): string {
  const characters = [...visible(text)];
  const cut = characters.slice(0, LABEL_LENGTH_MAX);
  const codes = cut.map((one) => (/[\w .-]/.test(one) ? one : `#${one.codePointAt(0) ?? 0};`));
  return `${codes.join("")}${characters.length > cut.length ? "…" : ""}`;
}
