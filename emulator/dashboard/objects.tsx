/** Objects of each kind: lists that stay as they are there, every field, and changes out of band. */
import { useState } from "preact/hooks";
import { Form, FormButton, type Schema } from "./form";
import { call, useLive, type Data } from "./live";
import { type Column, Button, Card, Facts, Filter, plain, Tab, Table, title } from "./parts";

const PER_PAGE = 25;

type Kind = Readonly<Record<"kind" | "plural" | "doc", string>> & {
  /** What a profile calls the fields of the contract. */
  readonly names: Readonly<Record<string, string>>;
  readonly states: readonly string[];
  readonly schema: Schema;
};

type Forms = Readonly<Record<"key" | "webhook" | "clock" | "fault", Schema>> & {
  readonly kinds: readonly Kind[];
  readonly events: readonly string[];
};

/** What forms are made from. It never changes. */
export const useForms = () => useLive<Forms>("/forms", []);

/** Reads a field by the contract's name for it. */
export function useField() {
  const kinds = useForms()?.kinds;
  return (kind: string, object: Data, name: string) =>
    object[kinds?.find((each) => each.kind === kind)?.names[name] ?? name];
}

/** All kinds, one at a time. */
export function Objects({ route: [name = "server", id] }: { route: readonly string[] }) {
  const forms = useForms();
  const counts = useLive<{ objects: Record<string, number> }>("/objects", ["objects"])?.objects;
  const kind = forms?.kinds.find((each) => each.kind === name);
  return (
    <>
      <nav class="hstack" aria-label="Kinds">
        {forms?.kinds.map(({ kind: each, plural }) => (
          <Tab to={`objects/${each}`} isHere={each === name}>
            {title(plural)} <span class="text-light">{counts?.[each]}</span>
          </Tab>
        ))}
      </nav>
      {kind && <List key={name} kind={kind} selected={id} />}
    </>
  );
}

/** Where an object is shown. */
export const address = (kind: string, id: unknown) => `#/objects/${kind}/${String(id)}`;

function show({ kind, schema }: Kind, value: unknown, name = "") {
  const references = name === "id" ? kind : schema.properties?.[name]?.references;
  if (references === undefined || value === undefined) return plain(value, name);
  return <a href={address(references, value)}>{String(value)}</a>;
}

/** Fields that a list shows, next to references; the first three on a phone as well. */
const LISTED = ["id", "name", "status", "created_at"];

function columnsOf(kind: Kind): Column<Data>[] {
  const listed = LISTED.map((name) => kind.names[name]);
  return Object.entries(kind.schema.properties ?? {})
    .filter(([field, { references }]) => references ?? listed.includes(field))
    .toSorted(([one], [other]) => listed.indexOf(one) - listed.indexOf(other))
    .map(([field]) => {
      const wide = !listed.slice(0, 3).includes(field);
      return [title(field), (object) => show(kind, object[field], field), { wide, by: field }];
    });
}

function List({ kind, selected }: { kind: Kind; selected: string | undefined }) {
  const [text, setText] = useState("");
  const [page, setPage] = useState(1);
  const sorts = useState({ sort: "created_at", order: "desc" });
  const pageOf = { per_page: `${PER_PAGE}`, page: `${page}`, text, ...sorts[0] };
  const path = `/objects/${kind.kind}`;
  const list = useLive<{ objects: Data[]; total: number }>(
    `${path}?${new URLSearchParams(pageOf)}`,
    ["objects"],
  );
  const pages = Math.max(1, Math.ceil((list?.total ?? 0) / PER_PAGE));
  // Others may have deleted the rest.
  if (page > pages) setPage(pages);
  const create = async (value: Data): Promise<void> => {
    location.hash = address(kind.kind, (await call("POST", path, value))["id"]);
  };
  const filter = (next: string): void => (setPage(1), setText(next));
  const actions = (
    <>
      <Filter value={text} set={filter} />
      {kind.kind !== "api_key" && (
        <FormButton
          {...{ name: `Create ${title(kind.kind).toLowerCase()}`, submit: "Create", tone: "main" }}
          {...{ schema: kind.schema, onSubmit: create }}
        />
      )}
    </>
  );
  return (
    <div class="split">
      {selected !== undefined && <Details key={selected} kind={kind} id={selected} />}
      <Card heading={title(kind.plural)} actions={actions}>
        <p class="text-light">{kind.doc}</p>
        <Table
          {...{ columns: columnsOf(kind), rows: list?.objects, selected, sorts }}
          empty={text ? "Nothing matches the filter." : "None yet."}
        />
        <div class="hstack">
          <Button name="Previous" disabled={page <= 1} onClick={() => setPage(page - 1)} />
          {`Page ${page} of ${pages}`}
          <Button name="Next" disabled={page >= pages} onClick={() => setPage(page + 1)} />
        </div>
      </Card>
    </div>
  );
}

function Details({ kind, id }: { kind: Kind; id: string }) {
  const path = `/objects/${kind.kind}/${encodeURIComponent(id)}`;
  const object = useLive<Data>(path, ["objects"]);
  const status = kind.names["status"] ?? "";
  if (object === undefined) return null;
  const change = (next: Data, opened: Data) => {
    const changed = Object.entries(next).filter(([name, value]) => value !== opened[name]);
    // A field that was emptied is removed.
    return call("PATCH", path, Object.fromEntries(changed.map(([name, to]) => [name, to ?? null])));
  };
  const remove = async (): Promise<void> => {
    await call("DELETE", path);
    location.hash = `#/objects/${kind.kind}`;
  };
  const actions = (
    <>
      <FormButton
        {...{ name: "Edit", submit: "Save", schema: kind.schema, value: object, onSubmit: change }}
      />
      <FormButton
        {...{ name: "Delete", submit: "Delete", tone: "danger", onSubmit: remove }}
        ask={`This deletes ${id} as somebody else would, even if others refer to it.`}
      />
    </>
  );
  return (
    <Card isDetail heading={id} actions={object && actions}>
      <Facts of={object} show={(value, name) => show(kind, value, name)} />
      {object && kind.states.length > 0 && (
        <Form
          schema={{ properties: { state: { enum: kind.states } }, required: ["state"] }}
          {...{ value: { state: object[status] }, submit: "Set state" }}
          onSubmit={({ state }) => call("PATCH", path, { [status]: state })}
        />
      )}
    </Card>
  );
}
