/** One form for everything: made from the JSON Schema of what it is to send. */
import { useId, useState } from "preact/hooks";
import type { Data } from "./live";
import { Button, Dialog, jsonOrText, title, useTry } from "./parts";

type Optional<Names extends string, T> = Readonly<Partial<Record<Names, T>>>;
type Texts = Optional<"type" | "format" | "const" | "description" | "references", string>;
type Lists = Optional<"enum" | "required", readonly string[]>;

/** The part of JSON Schema that forms are made from; `references` is the kind whose ids it takes. */
export interface Schema extends Texts, Lists {
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

/** Names of a list of the contract, by a click or as text. */
function Choices(props: FieldProps & { choices: readonly string[] }) {
  const [turns, setTurns] = useState(0);
  const names = listOf(shown(props.value));
  const toggle = (name: string, isOn: boolean): void => {
    setTurns(turns + 1);
    props.onChange([...names.filter((each) => each !== name), ...(isOn ? [name] : [])]);
  };
  return (
    <>
      <Input key={turns} {...props} />
      <details>
        <summary>Choose from a list</summary>
        <div class="hstack">
          {props.choices.map((name) => (
            <label key={name}>
              <input
                {...{ type: "checkbox", checked: names.includes(name) }}
                onChange={(e) => toggle(name, e.currentTarget.checked)}
              />
              {name}
            </label>
          ))}
        </div>
      </details>
    </>
  );
}

function Items({ name, schema: { items: schema = {} }, value, onChange }: FieldProps) {
  const items = Array.isArray(value) ? (value as Data[]) : [];
  return (
    <fieldset class="vstack">
      <legend>{title(name)}</legend>
      {items.map((item, at) => (
        <fieldset class="vstack" key={`${at} of ${items.length}`}>
          <Fields
            {...{ schema, value: item }}
            onChange={(next) => onChange(items.with(at, next))}
          />
          <Button name="Remove" onClick={() => onChange(items.toSpliced(at, 1))} />
        </fieldset>
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

/** What a text stands for: a bare date is its first moment. */
function read({ type, format, enum: names }: Schema, text: string): unknown {
  if (text === "") return undefined;
  if (type === "array") return listOf(text);
  if (type === "number" || type === "integer") return Number(text);
  if (type === "boolean") return text === "true";
  const isDate = format === "date-time" && /^\d{4}-\d\d-\d\d$/.test(text);
  if (type === "string" || names) return isDate ? `${text}T00:00:00Z` : text;
  return jsonOrText(text);
}

function Input({ name, schema, value, isRequired, onChange }: FieldProps) {
  const id = useId();
  const { type, format, description, examples } = schema;
  const choices = schema.enum ?? (type === "boolean" ? ["true", "false"] : undefined);
  const isNumber = type === "number" || type === "integer";
  const kind = isNumber ? { type: "number", step: "any" } : { type: format };
  const onInput = (event: { currentTarget: { value: string } }) =>
    onChange(read(schema, event.currentTarget.value.trim()));
  const attributes = { id, required: isRequired, onInput, "aria-describedby": `${id}-hint` };
  return (
    <div data-field>
      <label for={id}>{title(name)}</label>
      {choices ? (
        <select {...attributes} value={shown(value)}>
          {!(isRequired && value !== undefined) && <option value="">not set</option>}
          {choices.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      ) : (
        <input
          {...{ ...attributes, placeholder: shown(examples?.[0]), defaultValue: shown(value) }}
          // The library's types have an input for each type, and this may be any.
          {...(kind as { type?: "text" })}
        />
      )}
      <small class="text-light" id={`${id}-hint`}>
        {description?.replaceAll("`", "")}
      </small>
    </div>
  );
}

function FieldOf(props: FieldProps) {
  const { schema, value, onChange } = props;
  if (schema.oneOf) return <OneOf {...props} />;
  if (schema.items?.enum) return <Choices {...props} choices={schema.items.enum} />;
  if (schema.items?.properties) return <Items {...props} />;
  if (!schema.properties) return <Input {...props} />;
  return (
    <fieldset class="vstack">
      <legend>{title(props.name)}</legend>
      <Fields {...{ schema, onChange, value: (value ?? {}) as Data }} />
    </fieldset>
  );
}

type FieldsProps = Pick<FieldProps, "schema"> & { value: Data; onChange: (value: Data) => void };

const Fields = ({ schema: { properties = {}, required }, value, onChange }: FieldsProps) =>
  Object.entries(properties)
    .filter(([, { readOnly }]) => !readOnly)
    .map(([name, schema]) => (
      <FieldOf
        {...{ key: name, name, schema, value: value[name] ?? schema.default }}
        isRequired={required?.includes(name) === true && schema.default === undefined}
        onChange={(next) => onChange({ ...value, [name]: next })}
      />
    ));

interface FormProps {
  readonly submit: string;
  readonly onSubmit: (value: Data, opened: Data) => unknown;
  readonly schema?: Schema | undefined;
  readonly value?: Data | null;
  readonly tone?: "main" | "danger";
}

/** A form that sends what it holds, and shows what was refused. */
export function Form({ schema = {}, value, submit, onSubmit, tone }: FormProps) {
  const [opened] = useState(value ?? {});
  const [draft, setDraft] = useState(opened);
  const [problem, attempt] = useTry();
  return (
    <form
      class="vstack"
      onSubmit={(event) => (event.preventDefault(), attempt(() => onSubmit(draft, opened)))}
    >
      <Fields {...{ schema, value: draft, onChange: setDraft }} />
      {problem}
      <button data-variant={tone}>{submit}</button>
    </form>
  );
}

/** A button that opens a dialog with a form, or a question alone, which a success closes. */
export function FormButton({ name, ask, ...form }: FormProps & { name: string; ask?: string }) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const onSubmit: FormProps["onSubmit"] = async (...given) => {
    await form.onSubmit(...given);
    close();
  };
  return (
    <>
      <Button
        {...{ name, "data-variant": form.tone, onClick: () => setOpen(true) }}
        class={form.tone === "main" ? "" : "outline"}
      />
      {isOpen && (
        <Dialog heading={name} onClose={close}>
          {ask && <p>{ask}</p>}
          <Form {...form} onSubmit={onSubmit} />
        </Dialog>
      )}
    </>
  );
}
