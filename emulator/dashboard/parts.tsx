/** What all views are made of. */
import type { ComponentChildren as Children, ComponentProps } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Data } from "./live";

export type { Children };

const ACRONYMS = /\b(?:ip|id|url|api)\b/g;

/** `expires_at` → `Expires at`. */
export const title = (name: string): string => {
  const apart = name.replace(/_|(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  const words = apart.replace(ACRONYMS, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A time, to the second. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at}>{at.replace("T", "\u00a0").replace(/(?:\.\d+)?Z$/, "")}</time>
);

const GOOD = /^(running|completed|paid|active|connected|delivered|2\d\d)$/;
const BAD = /fail|error|expired|dropped|disabled|cut|^[45]\d\d$/;

/** A state as a word with a colour. */
export const Badge = ({ of }: { of: unknown }) => {
  const tone = GOOD.test(String(of)) ? "good" : BAD.test(String(of)) ? "bad" : "wait";
  return <span class={`badge ${tone}`}>{String(of)}</span>;
};

/** A part of a view under a heading. */
export function Card(props: { heading: string; actions?: Children; children: Children }) {
  const id = useId();
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    // Where there is one column, details are above the row that was chosen.
    const isNarrow = matchMedia("(max-width: 60rem)").matches;
    if (isNarrow && card.current?.matches(".split > :nth-child(2)")) card.current.scrollIntoView();
  }, []);
  return (
    <section class="card" ref={card} aria-labelledby={id}>
      <header>
        <h2 id={id}>{props.heading}</h2>
        <div class="row">{props.actions}</div>
      </header>
      {props.children}
    </section>
  );
}

/** What was refused. */
export const Problem = ({ text }: { text: string }) =>
  text === "" ? null : <p {...{ class: "problem", role: "alert" }}>{text}</p>;

/** JSON, or the text that it came in. */
export const Json = ({ label, value }: { label: string; value: unknown }) => (
  <pre tabIndex={0} aria-label={label} role="region">
    {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
  </pre>
);

/** What a JSON text says; another text is itself. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** A value as it is best read, by the name of its field. */
export function plain(value: unknown, name = ""): Children {
  if (value === undefined || value === null || value === "") return "none";
  if (name === "status" || name === "state") return <Badge of={value} />;
  if (name === "now" || name.endsWith("_at")) return <Time at={String(value)} />;
  if (name === "due_ms") return <Time at={new Date(Number(value)).toISOString()} />;
  if (name.endsWith("body")) return <Json label={title(name)} value={parsed(String(value))} />;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return String(value);
  const isFlat = Array.isArray(value) && value.every((each) => typeof each !== "object");
  return isFlat ? value.join(", ") || "none" : <Json label={title(name)} value={value} />;
}

/** All that is known of something, or that somebody has deleted it. */
export const Facts = ({ of, show = plain }: { of: Data | null; show?: typeof plain }) => (
  <dl>
    {of === null && "It does not exist any more."}
    {Object.entries(of ?? {}).map(([name, value]) => (
      <div key={name}>
        <dt>{title(name)}</dt>
        <dd>{show(value, name)}</dd>
      </div>
    ))}
  </dl>
);

/** A field that filters what is below. */
export const Filter = ({ value, set }: { value: string; set: (value: string) => void }) => (
  <input
    {...{ type: "search", "aria-label": "Filter", placeholder: "Filter", value }}
    onInput={(event) => set(event.currentTarget.value)}
  />
);

/** A heading, what is shown of a row, and whether only where there is room. */
export type Column<T> = readonly [string, (row: T) => Children, { wide?: boolean; sort?: string }?];

/** How a table is sorted. */
export type Sorting = Readonly<Record<"sort" | "order", string>>;

interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[] | undefined;
  readonly keyOf: (row: T) => unknown;
  readonly selected?: string | undefined;
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
  /** What is said where there is no row. */
  readonly empty?: Children;
}

/** Rows under headings, which sort where they can. */
export function Table<T = Data>(props: TableProps<T>) {
  const { columns, rows, keyOf, sorting, onSort } = props;
  const turned = sorting?.order === "asc" ? "desc" : "asc";
  const way = sorting?.order === "asc" ? "ascending" : "descending";
  const headingOf = ([name, , { wide, sort } = {}]: Column<T>) => {
    const isSorted = sort !== undefined && sort === sorting?.sort;
    const by = () => onSort?.({ sort: sort ?? "", order: isSorted ? turned : "asc" });
    return (
      <th class={wide ? "wide" : ""} scope="col" aria-sort={isSorted ? way : undefined}>
        {sort === undefined ? name : <Button name={name} onClick={by} />}
      </th>
    );
  };
  if (rows?.length === 0 && props.empty) return <p class="empty">{props.empty}</p>;
  return (
    <table>
      <caption>{props.caption}</caption>
      <thead>
        <tr>{columns.map(headingOf)}</tr>
      </thead>
      <tbody>
        {rows?.map((row) => (
          <tr key={keyOf(row)} class={String(keyOf(row)) === props.selected ? "selected" : ""}>
            {columns.map(([, show, options]) => (
              <td class={options?.wide ? "wide" : ""}>{show(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A button that is no form's. */
export const Button = ({ name, ...props }: ComponentProps<"button"> & { name: string }) => (
  <button {...props} type="button">
    {name}
  </button>
);

/** A dialog that holds the focus until it is closed. */
export function Dialog(props: { heading: string; onClose: () => void; children: Children }) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("form :is(input, select)")?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={props.onClose}>
      <header>
        <h2 id={id}>{props.heading}</h2>
        <Button name="Close" class="quiet" onClick={props.onClose} />
      </header>
      {props.children}
    </dialog>
  );
}

/** Copies a text, and says so; plain HTTP to another host has no clipboard but a selection. */
export function CopyButton({ text, name = "Copy" }: { text: string; name?: string }) {
  const [said, say] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  const copy = async (): Promise<void> => {
    const { activeElement: button } = document;
    const clipboard = isSecureContext
      ? navigator.clipboard.writeText(text)
      : Promise.reject(new Error());
    await clipboard.catch(() => (area.current?.select(), document.execCommand("copy")));
    if (button instanceof HTMLElement) button.focus();
    say("Copied");
    setTimeout(() => say(""), 2_000);
  };
  return (
    <span class="row">
      <textarea {...{ ref: area, class: "unseen", tabIndex: -1, "aria-hidden": true }}>
        {text}
      </textarea>
      <Button name={name} onClick={copy} />
      <span {...{ class: "good", role: "status" }}>{said}</span>
    </span>
  );
}

/** A secret that is shown this once. */
export function Secret({ value }: { value: unknown }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Secret</label>
      <div class="row">
        <input {...{ id, value: String(value), readOnly: true, class: "code" }} />
        <CopyButton text={String(value)} />
      </div>
      <p class="hint">It is not shown again.</p>
    </div>
  );
}

/** What was refused last, and a way to run what may be. */
export function useTry(): [string, (work: () => unknown) => Promise<void>] {
  const [problem, setProblem] = useState("");
  const refused = (error: unknown): void =>
    setProblem(error instanceof Error ? error.message : String(error));
  const attempt = (work: () => unknown): Promise<void> => {
    const done = Promise.resolve().then(work);
    return done.then(() => setProblem(""), refused);
  };
  return [problem, attempt];
}

/** A button for what takes a moment; says what was refused. */
export function Action({ name, run }: { name: string; run: () => unknown }) {
  const [problem, attempt] = useTry();
  return (
    <>
      <Button name={name} onClick={() => attempt(run)} />
      <Problem text={problem} />
    </>
  );
}
