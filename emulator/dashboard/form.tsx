/** One form for everything: made from the JSON Schema of what it is to send. */
import { useId, useState } from "preact/hooks";
import { useObjects, type Data } from "./live";
import { Button, Dialog, parsed, Problem, title, useTry, type Children } from "./parts";

type Optional<Names extends string, T> = Readonly<Partial<Record<Names, T>>>;
type Texts = Optional<"type" | "format" | "const" | "description" | "references", string>;
type Lists = Optional<"enum" | "required", readonly string[]>;

/** The part of JSON Schema that forms are made from; `references` is the kind whose ids it takes. */
export interface Schema extends Texts, Lists, Optional<"minimum" | "maximum", number> {
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
  readonly readOnly?: boolean;
}

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly isRequired?: boolean;
  readonly onChange: (value: unknown) => void;
}

const shown = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && typeof value[0] !== "object") return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((each) => each !== "");

type Attributes = Data & { readonly id: string };

function Labelled(props: FieldProps & { children: (attributes: Attributes) => Children }) {
  const id = useId();
  const { description, examples } = props.schema;
  const attributes = { id, required: props.isRequired, placeholder: shown(examples?.[0]) };
  const hint = description?.replaceAll("`", "");
  return (
    <div class="field">
      <label for={id}>{title(props.name)}</label>
      {props.children({ ...attributes, "aria-describedby": hint && `${id}-hint` })}
      {hint && <p {...{ class: "hint", id: `${id}-hint` }}>{hint}</p>}
    </div>
  );
}

/** Names of a list of the contract, by a click or as text. */
function Choices(props: FieldProps & { choices: readonly string[] }) {
  const [text, setText] = useState(shown(props.value));
  const change = (next: string): void => {
    setText(next);
    props.onChange(next.trim() === "" ? undefined : listOf(next));
  };
  const toggle = (name: string, isOn: boolean): void =>
    change([...listOf(text).filter((each) => each !== name), ...(isOn ? [name] : [])].join(", "));
  return (
    <div class="field">
      <Labelled {...props}>
        {(attributes) => (
          <input {...attributes} value={text} onInput={(e) => change(e.currentTarget.value)} />
        )}
      </Labelled>
      <details class="choices">
        <summary>Choose from a list</summary>
        {props.choices.map((name) => (
          <label key={name}>
            <input
              {...{ type: "checkbox", checked: listOf(text).includes(name) }}
              onChange={(e) => toggle(name, e.currentTarget.checked)}
            />
            {name}
          </label>
        ))}
      </details>
    </div>
  );
}

function Items({ name, schema: { items: schema = {} }, value, onChange }: FieldProps) {
  const items = Array.isArray(value) ? (value as Data[]) : [];
  return (
    <fieldset>
      <legend>{title(name)}</legend>
      {items.map((item, at) => (
        <div class="item" key={`${at} of ${items.length}`}>
          <Fields
            {...{ schema, value: item }}
            onChange={(next) => onChange(items.with(at, next))}
          />
          <Button name="Remove" onClick={() => onChange(items.toSpliced(at, 1))} />
        </div>
      ))}
      <Button name="Add" onClick={() => onChange([...items, {}])} />
    </fieldset>
  );
}

/** One of several shapes, by the name of its type. */
function OneOf({ name, schema, value, onChange }: FieldProps) {
  const shapes = schema.oneOf ?? [];
  const nameOf = (shape: Schema | undefined) => shape?.properties?.["type"]?.const ?? "";
  const current = (value ?? {}) as Data;
  const shape = shapes.find((each) => nameOf(each) === current["type"]) ?? {};
  const { type: kind, ...properties } = shape.properties ?? {};
  const choice = { enum: shapes.map(nameOf), description: kind?.description ?? "" };
  const rest = { ...shape, properties };
  const typed = { value: current["type"], isRequired: true };
  const toOther = (type: unknown): void => onChange({ type });
  return (
    <>
      <FieldOf {...{ ...typed, name, schema: choice, onChange: toOther }} />
      <Fields key={nameOf(shape)} {...{ schema: rest, value: current, onChange }} />
    </>
  );
}

const IdsOf = ({ kind, id }: { kind: string; id: string }) => (
  <datalist id={id}>
    {useObjects(kind)?.objects.map((each) => (
      <option value={String(each["id"])} label={shown(each["name"])} />
    ))}
  </datalist>
);

/** What a text stands for: a bare date is its first moment. */
function read({ type, format, enum: names }: Schema, text: string): unknown {
  if (text === "") return undefined;
  if (type === "array") return listOf(text);
  if (type === "number" || type === "integer") return Number(text);
  if (type === "boolean") return text === "true";
  const isDate = format === "date-time" && /^\d{4}-\d\d-\d\d$/.test(text);
  if (type === "string" || names) return isDate ? `${text}T00:00:00Z` : text;
  return parsed(text);
}

function Input(props: FieldProps) {
  const { schema, value, isRequired } = props;
  const { type = "", references, minimum: min, maximum: max } = schema;
  const choices = schema.enum ?? (type === "boolean" ? ["true", "false"] : undefined);
  const onInput = (event: { currentTarget: { value: string } }) =>
    props.onChange(read(schema, event.currentTarget.value.trim()));
  const listOfIds = ({ id }: Attributes) => `${id}-ids`;
  const own = (attributes: Attributes) => ({
    ...{ ...attributes, defaultValue: shown(value), onInput },
    ...(/^(?:number|integer)$/.test(type) && { type: "number", step: "any", min, max }),
    ...(schema.format === "password" && { type: "password", autocomplete: "off" }),
    ...(references && { list: listOfIds(attributes) }),
  });
  const select = (attributes: Attributes) => (
    <select {...attributes} value={shown(value)} onChange={onInput}>
      {!(isRequired && value !== undefined) && <option value="">not set</option>}
      {choices?.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
  const input = (attributes: Attributes) => (
    <>
      {/* The library's types have an input for each type, and this may be any. */}
      <input {...(own(attributes) as { type?: "text" })} />
      {references && <IdsOf kind={references} id={listOfIds(attributes)} />}
    </>
  );
  return <Labelled {...props}>{choices ? select : input}</Labelled>;
}

function FieldOf(props: FieldProps) {
  const { schema, value, onChange } = props;
  if (schema.oneOf) return <OneOf {...props} />;
  if (schema.items?.enum) return <Choices {...props} choices={schema.items.enum} />;
  if (schema.items?.properties) return <Items {...props} />;
  if (!schema.properties) return <Input {...props} />;
  return (
    <fieldset>
      <legend>{title(props.name)}</legend>
      <Fields {...{ schema, onChange, value: (value ?? {}) as Data }} />
    </fieldset>
  );
}

type FieldsProps = Required<Pick<FormProps, "schema" | "value">> & Pick<FormProps, "first">;

function Fields(props: FieldsProps & { onChange: (value: Data) => void }) {
  const { schema = {}, value, onChange, first = Infinity } = props;
  const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => (
    <FieldOf
      {...{ key: name, name, schema: inner, value: value[name] ?? inner.default }}
      isRequired={schema.required?.includes(name) === true && inner.default === undefined}
      onChange={(next) => onChange({ ...value, [name]: next })}
    />
  ));
  return (
    <>
      {fields.slice(0, first)}
      {fields.length > first && (
        <details>
          <summary>More</summary>
          {fields.slice(first)}
        </details>
      )}
    </>
  );
}

interface FormProps {
  readonly submit: string;
  readonly onSubmit: (value: Data) => unknown;
  readonly schema?: Schema | undefined;
  readonly value?: Data;
  /** How many fields are not folded away; default: all. */
  readonly first?: number | undefined;
  readonly tone?: string;
}

/** A form that sends what it holds, and shows what was refused. */
export function Form({ schema = {}, value = {}, submit, onSubmit, first, tone }: FormProps) {
  const [draft, setDraft] = useState(value);
  const [problem, attempt] = useTry();
  return (
    <form onSubmit={(event) => (event.preventDefault(), attempt(() => onSubmit(draft)))}>
      <Fields {...{ schema, value: draft, onChange: setDraft, first }} />
      <Problem text={problem} />
      <footer>
        <button class={tone ?? "main"}>{submit}</button>
      </footer>
    </form>
  );
}

/** A button that opens a dialog with a form, or a question alone, which a success closes. */
export function FormButton({ name, ask, ...form }: FormProps & { name: string; ask?: string }) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const onSubmit = (value: Data) => Promise.resolve(form.onSubmit(value)).then(close);
  return (
    <>
      <Button {...{ name, class: form.tone, onClick: () => setOpen(true) }} />
      {isOpen && (
        <Dialog heading={name} onClose={close}>
          {ask && <p>{ask}</p>}
          <Form {...form} onSubmit={onSubmit} />
        </Dialog>
      )}
    </>
  );
}
