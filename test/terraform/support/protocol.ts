/** The official protocol of Terraform's plugins, as `descriptors/protocol.txt` lists it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../../provider/grpc";

interface OfficialField {
  readonly number: number;
  readonly label: string;
  /** A scalar, or the name of a message or an enum. */
  readonly type: string;
}

interface OfficialMethod {
  readonly kind: string;
  readonly request: string;
  readonly answer: string;
}

const SCALARS = new Set(["string", "bytes", "bool", "double"]);
/** Encoded alike, as none of them is negative. */
const INTEGERS = new Set(["int32", "int64", "uint32", "uint64"]);

type FieldSpec = Message<unknown>["fields"][number][1];

/** A table, and the official name of the message that it describes. */
export interface Compared {
  readonly table: Message<unknown>;
  readonly official: string;
}

export class Protocol {
  /** By path. */
  readonly methods = new Map<string, OfficialMethod>();
  /** Numbers by `enum.name`. */
  readonly constants = new Map<string, number>();
  private readonly fields = new Map<string, OfficialField>();
  private readonly enums = new Set<string>();
  private readonly messages = new Set<string>();

  constructor() {
    const file = join(__dirname, "descriptors", "protocol.txt");
    for (const line of readFileSync(file, "utf8").split("\n")) this.add(line.split(" "));
  }

  private add([what = "", a = "", b = "", c = "", d = "", e = ""]: readonly string[]): void {
    if (what === "method") this.methods.set(a, { kind: b, request: c, answer: d });
    if (what === "message") this.messages.add(a);
    if (what === "field") this.fields.set(`${a}.${b}`, { number: Number(c), label: d, type: e });
    if (what === "enum") {
      this.enums.add(a);
      this.constants.set(`${a}.${b}`, Number(c));
    }
  }

  /** What is wrong with a table, read as this official message. A table may lack fields. */
  differences({ table, official }: Compared): string[] {
    if (!this.messages.has(official)) return [`${official} does not exist`];
    return table.fields.flatMap(([name, spec]) => {
      const field = this.fields.get(`${official}.${name}`);
      const wrong = field ? this.mistakes(spec, field) : ["does not exist"];
      return wrong.map((mistake) => `${official}.${name} ${mistake}`);
    });
  }

  /** A table with all that lie in it, each with the official message that it describes. */
  tablesIn(compared: Compared, found: Compared[] = []): Compared[] {
    const { table, official } = compared;
    if (found.some((each) => each.table === table && each.official === official)) return found;
    found.push(compared);
    for (const [name, [, type]] of table.fields) {
      const field = this.fields.get(`${official}.${name}`);
      if (typeof type !== "function") continue;
      this.tablesIn({ table: type(), official: field?.type ?? name }, found);
    }
    return found;
  }

  private mistakes([number, type, many]: FieldSpec, field: OfficialField): string[] {
    const wrong: string[] = [];
    const label: string = many ?? "single";
    if (number !== field.number) wrong.push(`has the number ${field.number}`);
    // What the protocol may leave out, a table may read as its default.
    if (label !== field.label && !(label === "single" && field.label === "optional")) {
      wrong.push(`is ${field.label}`);
    }
    const fits =
      typeof type === "function" ? this.messages.has(field.type) : this.isOf(field, type);
    if (!fits) wrong.push(`is of the type ${field.type}`);
    return wrong;
  }

  private isOf({ type }: OfficialField, ours: string): boolean {
    if (ours === "integer") return INTEGERS.has(type) || this.enums.has(type);
    return SCALARS.has(type) && type === ours;
  }
}
