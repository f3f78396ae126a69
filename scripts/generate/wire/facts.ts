/** What the official sources say of the messages of both plugin protocols. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A field of a message, as it travels. */
export interface Field {
  readonly number: number;
  /** "optional" tells a value that is left out from the default. */
  readonly label: "single" | "optional" | "list" | "map";
  /** A scalar of Protocol Buffers, or the full name of a message or an enum. */
  readonly type: string;
}

/** A protocol, read once. */
export interface Facts {
  readonly messages: ReadonlySet<string>;
  /** By `message.field`, as `fieldKey` spells it. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Numbers by name, by enum. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Calls by path, with full names of messages; `held` is a stream that the client writes to. */
  readonly methods: ReadonlyMap<string, Readonly<Record<"kind" | "request" | "answer", string>>>;
}

/** Pulumi's SDK has lost how its protocol spells `deleteBeforeReplace` and `replace_with`. */
export const fieldKey = (message: string, field: string): string =>
  `${message}.${field.replaceAll("_", "").toLowerCase()}`;

const DESCRIPTORS = join(__dirname, "../../../test/terraform/support/descriptors/protocol.txt");

/** Terraform's protocol, from the list of HashiCorp's descriptors. */
export function terraformFacts(): Facts {
  const lines = readFileSync(DESCRIPTORS, "utf8").split("\n");
  const of = (what: string): readonly string[][] =>
    lines.filter((line) => line.startsWith(`${what} `)).map((line) => line.split(" ").slice(1));
  return {
    messages: new Set(of("message").flat()),
    fields: new Map(
      of("field").map(([message = "", name = "", number, label, type = ""]) => [
        fieldKey(message, name),
        // The words of the list are the members of the type.
        { number: Number(number), label: label as Field["label"], type },
      ]),
    ),
    enums: grouped(of("enum").map(([name = "", member = "", value]) => [name, member, value])),
    methods: new Map(
      of("method").map(([path = "", kind = "", request = "", answer = ""]) => [
        path,
        { kind, request, answer },
      ]),
    ),
  };
}

const PULUMI_FILES = ["provider", "plugin", "alias", "engine", "resource", "status"];

/** Pulumi's protocol, from the readers of messages in its SDK for Node.js. */
export function pulumiFacts(): Facts {
  const files = [
    ...PULUMI_FILES.map((name) => `@pulumi/pulumi/proto/${name}_pb`),
    ...["any", "empty", "struct"].map((name) => `google-protobuf/google/protobuf/${name}_pb`),
  ];
  const text = files.map((name) => readFileSync(require.resolve(name), "utf8")).join("\n");
  const readers = [
    ...text.matchAll(/^proto\.([\w.]+)\.deserializeBinaryFromReader = [^]*?\n};$/gm),
  ].map(([reader, name = ""]) => [name, reader] as const);
  const present = new Set(
    [...text.matchAll(/^proto\.([\w.]+)\.prototype\.has(\w+) =/gm)].map(
      ([, message = "", name = ""]) => fieldKey(message, name),
    ),
  );
  const enums = [...text.matchAll(/^proto\.([\w.]+) = \{\n([^}]*)\};$/gm)];
  return {
    messages: new Set(readers.map(([name]) => name)),
    fields: new Map(readers.flatMap(([name, reader]) => fieldsIn(name, reader, present))),
    enums: grouped(
      enums.flatMap(([, name = "", members = ""]) =>
        [...members.matchAll(/(\w+): (\d+)/g)].map(([, member = "", value]) => [
          name,
          member,
          value,
        ]),
      ),
    ),
    methods: new Map(),
  };
}

/** The cases of a reader: each reads one field, and puts it into the message. */
function fieldsIn(
  message: string,
  reader: string,
  present: ReadonlySet<string>,
): [key: string, field: Field][] {
  return reader
    .split(/\n {4}case /)
    .slice(1)
    .map((text) => {
      const [, verb, name = "", map] = /msg\.(get|set|add)(\w+?)(Map)?\(/.exec(text) ?? [];
      const nested = /new ([\w.]+?)(?:\(\))?[;)]/.exec(text)?.[1];
      const scalar = [...text.matchAll(/\.read(\w+)/g)].at(-1)?.[1] ?? "";
      const key = fieldKey(message, name);
      const label = map
        ? "map"
        : verb === "add"
          ? "list"
          : present.has(key)
            ? "optional"
            : "single";
      const type = nested
        ?.replace(/^google_protobuf_\w+_pb\./, "google.protobuf.")
        .replace(/^pulumi_\w+_pb\./, "pulumirpc.")
        .replace(/^proto\./, "");
      return [
        key,
        { number: Number.parseInt(text, 10), label, type: type ?? scalar.toLowerCase() },
      ];
    });
}

function grouped(
  rows: readonly (readonly [name: string, member: string, value: string | undefined])[],
): Map<string, Map<string, number>> {
  const found = new Map<string, Map<string, number>>();
  for (const [name, member, value] of rows) {
    found.set(name, (found.get(name) ?? new Map<string, number>()).set(member, Number(value)));
  }
  return found;
}
