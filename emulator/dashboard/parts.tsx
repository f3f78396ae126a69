/** What all views are made of. */
import type { ComponentChildren as Children } from "preact";
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
export const Time = ({ at }: { at: unknown }) =>
  typeof at === "string" ? (
    <time dateTime={at}>{at.replace("T", " ").replace(/(?:\.\d+)?Z$/, "")}</time>
  ) : (
    <span class="faint">never</span>
  );

const TONES: readonly [RegExp, string][] = [
  [/^(running|completed|paid|active|connected|delivered|2\d\d)$/, "good"],
  [/fail|error|expired|dropped|disabled|cut|^[45]\d\d$/, "bad"],
];

/** A state as a word with a colour. */
export const Badge = ({ of }: { of: unknown }) => {
  const tone = TONES.find(([pattern]) => pattern.test(String(of)))?.[1] ?? "wait";
  return <span class={`badge ${tone}`}>{String(of)}</span>;
};

/** A part of a view under a heading. */
export function Card(props: { heading: string; actions?: Children; children: Children }) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
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
    {typeof value === "string" ? pretty(value) : JSON.stringify(value, null, 2)}
  </pre>
);

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** A value as it is best read. */
export const plain = (value: unknown, name = ""): Children => {
  if (value === undefined || value === null || value === "") return "none";
  if (name === "status" || name === "state") return <Badge of={value} />;
  if (name === "now" || name.endsWith("_at")) return <Time at={value} />;
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) {
    return value.join(", ") || "none";
  }
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? <Json label={title(name)} value={value} /> : String(value);
};

interface FactsProps {
  readonly of: Data;
  /** Texts that may be long, which come last. */
  readonly long?: readonly string[];
  readonly show?: (value: unknown, name: string) => Children;
}

/** All that is known of something, and not empty. */
export function Facts({ of, long = [], show = plain }: FactsProps) {
  const facts = Object.entries(of).filter(
    ([name, value]) => !long.includes(name) && value !== null,
  );
  return (
    <>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{title(name)}</dt>
            <dd>{show(value, name)}</dd>
          </div>
        ))}
      </dl>
      {long.map((name) => (
        <div key={name}>
          <h3>{title(name)}</h3>
          {of[name] ? <Json label={title(name)} value={of[name]} /> : <p class="faint">none</p>}
        </div>
      ))}
    </>
  );
}

/** A field that filters what is below. */
export const Filter = (props: { value: string; onChange: (value: string) => void }) => (
  <input
    {...{ type: "search", "aria-label": "Filter", placeholder: "Filter", value: props.value }}
    onInput={(event) => props.onChange(event.currentTarget.value)}
  />
);

/** A heading, what is shown of a row, and whether it is left out where there is little room. */
export type Column<T> = readonly [
  name: string,
  show: (row: T) => Children,
  options?: { readonly wide?: boolean; readonly sort?: string },
];

/** How a table is sorted. */
export interface Sorting {
  readonly sort: string;
  readonly order: "asc" | "desc";
}

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
export function Table<T = Data>({
  columns,
  rows,
  keyOf,
  sorting,
  onSort,
  ...props
}: TableProps<T>) {
  const turned = sorting?.order === "asc" ? "desc" : "asc";
  const classOf = (options: Column<T>[2]) => (options?.wide ? "wide" : "");
  if (rows?.length === 0 && props.empty) return <p class="empty">{props.empty}</p>;
  return (
    <table>
      <caption>{props.caption}</caption>
      <thead>
        <tr>
          {columns.map(([name, , options]) => {
            const { sort = "" } = options ?? {};
            const way = sorting?.order === "asc" ? "ascending" : "descending";
            const isSorted = sort !== "" && sort === sorting?.sort;
            const by = (): void => onSort?.({ sort, order: isSorted ? turned : "asc" });
            return (
              <th class={classOf(options)} scope="col" aria-sort={isSorted ? way : undefined}>
                {sort === "" ? name : <Button name={name} onClick={by} />}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {rows?.map((row) => (
          <tr key={keyOf(row)} class={String(keyOf(row)) === props.selected ? "selected" : ""}>
            {columns.map(([, show, options]) => (
              <td class={classOf(options)}>{show(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ButtonProps {
  readonly name: string;
  readonly onClick: () => unknown;
  readonly class?: string | undefined;
  readonly disabled?: boolean;
}

/** A button that is no form's. */
export const Button = ({ name, ...props }: ButtonProps) => (
  <button type="button" {...props}>
    {name}
  </button>
);

/** A dialog that holds the focus until it is closed. */
export function Dialog(props: { heading: string; onClose: () => void; children: Children }) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
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

/** Plain HTTP to another host has no clipboard: there a selection is copied. */
function copySelected(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** Copies a text, and says so. */
export function CopyButton({ text, name = "Copy" }: { text: string; name?: string }) {
  const [said, say] = useState("");
  const copy = async (): Promise<void> => {
    if (!isSecureContext) copySelected(text);
    else await navigator.clipboard.writeText(text).catch(() => copySelected(text));
    say("Copied");
    setTimeout(() => say(""), 2_000);
  };
  return (
    <span class="row">
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
  const attempt = async (work: () => unknown): Promise<void> => {
    try {
      await work();
      setProblem("");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
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
