/** What all views are made of. */
import type { ComponentChildren as Children, ComponentProps } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Data } from "./live";

/** `expires_at` → `Expires at`. */
export const title = (name: string): string => {
  const apart = name.replace(/_|(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  const words = apart.replace(/\b(?:ip|id|url|api)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A time, to the second. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at}>{at.replace("T", "\u00a0").replace(/(?:\.\d+)?Z$/, "")}</time>
);

const GOOD = /^(running|completed|paid|active|connected|delivered|2\d\d|Live)$/;
const BAD = /fail|error|expired|dropped|disabled|cut|^[45]\d\d$|^Not/;

/** A state as a word with a colour. */
export const Badge = ({ of }: { of: unknown }) => {
  const variant = GOOD.test(String(of)) ? "success" : BAD.test(String(of)) ? "danger" : "warning";
  return <span {...{ class: "badge", "data-variant": variant }}>{String(of)}</span>;
};

/** A link to a view or a part of one. */
export const Tab = (props: { to: string; isHere: boolean; children: Children }) => (
  <a
    {...{ class: `button ${props.isHere ? "outline" : "ghost"}`, href: `#/${props.to}` }}
    aria-current={props.isHere ? "page" : undefined}
    children={props.children}
  />
);

interface CardProps {
  readonly heading: Children;
  readonly actions?: Children;
  /** Whether it is what a link of a list has just opened. */
  readonly isDetail?: boolean;
  readonly children: Children;
}

/** A part of a view under a heading. */
export function Card({ heading, actions, isDetail, children }: CardProps) {
  const id = useId();
  const top = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (isDetail) top.current?.scrollIntoView({ block: "nearest" });
    if (isDetail && document.activeElement !== document.body) top.current?.focus();
  }, []);
  return (
    <section class="card vstack" aria-labelledby={id}>
      <header class="hstack">
        <h2 {...{ id, ref: top, tabIndex: -1 }}>{heading}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** JSON, or the text that it came in. */
export const Json = ({ label, value }: { label: string; value: unknown }) => (
  <pre tabIndex={0} aria-label={label} role="region">
    {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
  </pre>
);

/** What a JSON text says; another text is itself. */
export const jsonOrText = (text: string): unknown => {
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
  if (name.endsWith("body")) return <Json label={title(name)} value={jsonOrText(String(value))} />;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return String(value);
  const isFlat = Array.isArray(value) && value.every((each) => typeof each !== "object");
  return isFlat ? value.join(", ") || "none" : <Json label={title(name)} value={value} />;
}

/** All that is known of something, or that somebody has deleted it. */
export const Facts = ({ of, show = plain }: { of: Data | null; show?: typeof plain }) => (
  <dl class="columns">
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

/** A heading, what is shown of a row, and whether only where there is room, or sorted by what. */
export type Column<T> = readonly [string, (row: T) => Children, { wide?: boolean; by?: string }?];

type Sorting = Readonly<Record<"sort" | "order", string>>;

interface TableProps<T> {
  readonly columns: readonly Column<T>[];
  /** Each has an id, a number or a time that is its own. */
  readonly rows: readonly T[] | undefined;
  readonly selected?: string | undefined;
  readonly sorts?: readonly [Sorting, (next: Sorting) => void];
  /** What is said where there is no row. */
  readonly empty?: Children;
}

/** Rows under headings, which sort where they can. */
export function Table<T extends Data = Data>(props: TableProps<T>) {
  const { columns, rows, sorts: [sorting, sort] = [] } = props;
  const keyOf = ({ id, seq, at }: T) => String(id ?? seq ?? at);
  const isUp = sorting?.order === "asc";
  const headingOf = ([name, , { wide, by } = {}]: Column<T>) => {
    const isSorted = by !== undefined && by === sorting?.sort;
    const turn = () => sort?.({ sort: by ?? "", order: isSorted && isUp ? "desc" : "asc" });
    const way = isUp ? "ascending" : "descending";
    return (
      <th class={wide ? "wide" : ""} scope="col" aria-sort={isSorted ? way : undefined}>
        {by === undefined ? name : <Button {...{ name, class: "ghost", onClick: turn }} />}
        {isSorted && (isUp ? " ↑" : " ↓")}
      </th>
    );
  };
  if (rows?.length === 0 && props.empty) return <p class="text-light">{props.empty}</p>;
  return (
    <table>
      <thead>
        <tr>{columns.map(headingOf)}</tr>
      </thead>
      <tbody>
        {rows?.map((row) => (
          <tr key={keyOf(row)} aria-current={keyOf(row) === props.selected || undefined}>
            {columns.map(([, show, options]) => (
              <td class={options?.wide ? "wide" : ""}>{show(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A button that is no form's; only the one that matters most has no class. */
export const Button = ({ name, ...props }: ComponentProps<"button"> & { name: string }) => (
  <button {...{ class: "outline", ...props }} type="button">
    {name}
  </button>
);

interface DialogProps {
  readonly heading: string;
  readonly onClose: () => void;
  readonly children: Children;
}

/** A dialog that holds the focus until it is closed, and then gives it back. */
export function Dialog(props: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>("form :is(input, select)")?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog class="card vstack" ref={dialog} aria-labelledby={id} onClose={props.onClose}>
      <header class="hstack">
        <h2 id={id}>{props.heading}</h2>
        <Button name="Close" class="ghost" onClick={props.onClose} />
      </header>
      {props.children}
    </dialog>
  );
}

/** Copies by an event: over plain HTTP from another host there is no other way. */
async function copy(text: string): Promise<void> {
  const put = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.clipboardData?.setData("text/plain", text);
  };
  document.addEventListener("copy", put);
  const isCopied = document.execCommand("copy");
  document.removeEventListener("copy", put);
  if (!isCopied) await navigator.clipboard.writeText(text);
}

/** Copies a text, and says so. */
export const CopyButton = ({ text, name = "Copy" }: { text: string; name?: string }) => (
  <Action {...{ name, done: "Copied", run: () => copy(text) }} />
);

/** A dialog with a secret that is shown this once, and what it is for; without one, nothing. */
export function NewSecret({ value, children, ...props }: DialogProps & { value: unknown }) {
  const id = useId();
  if (value === undefined) return null;
  return (
    <Dialog {...props}>
      <div class="vstack">
        <label for={id}>Secret</label>
        <input {...{ id, value: String(value), readOnly: true }} />
        <CopyButton text={String(value)} />
      </div>
      <p>It is not shown again. {children}</p>
    </Dialog>
  );
}

/** What was refused last, and a way to run what may be; once, however often it is asked for. */
export function useTry(): [Children, (work: () => unknown) => Promise<void>] {
  const [problem, setProblem] = useState<Error>();
  const running = useRef<Promise<void> | undefined>(undefined);
  const attempt = (work: () => unknown): Promise<void> =>
    (running.current ??= Promise.resolve()
      .then(work)
      .then(() => setProblem(undefined), setProblem)
      .finally(() => (running.current = undefined)));
  return [problem && <p role="alert" data-variant="danger" children={problem.message} />, attempt];
}

/** A button for what takes a moment; says what was refused, or what is done. */
export function Action(props: { name: string; run: () => unknown; done?: string }) {
  const [done, setDone] = useState<string>();
  const [problem, attempt] = useTry();
  const run = () => Promise.resolve(props.run()).then(() => setDone(props.done));
  return (
    <span class="hstack">
      <Button name={props.name} onClick={() => attempt(run)} />
      {props.done && <span role="status">{done}</span>}
      {problem}
    </span>
  );
}
