/** The reference pages are complete: what the definitions and the exports have is on them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import * as bindings from "../../cdktf-bindings";
import { camel } from "../../provider/contract";
import { kinds, type Kind } from "../../provider/resources";
import { settings } from "../../provider/settings";

const folder = join(__dirname, "../../docs/cdktf");
const index = readFileSync(join(folder, "reference/index.md"), "utf8");
const fileOf = (name: string): string =>
  `${name.replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.md`;
const pageOf = (name: string): string =>
  readFileSync(join(folder, "reference", fileOf(name)), "utf8");

/** Of a prop: its type, its default, and what it is. */
type Row = readonly string[];

/** The props in a page's tables, by table and name. */
const tablesOf = (page: string): Map<string, Map<string, Row>> =>
  new Map(
    page
      .split(/^### /m)
      .slice(1)
      .map((section) => {
        const rows = [...section.matchAll(/^\| `(\w+)` *\|(.*)\|$/gm)].map(
          ([, name = "", cells = ""]) =>
            [name, cells.split(/(?<!\\)\|/).map((cell) => cell.trim())] as const,
        );
        return [section.split("\n", 1)[0] ?? "", new Map(rows)];
      }),
  );

// Neither a construct nor a function, and what constructs extend.
const { l1: _, Declared: __, DeclaredKey: ___, ...exported } = bindings;

/** Props that stand for the id of another object. */
const RENAMED: Readonly<Record<string, string>> = {
  "api_key_rotation.key_id": "key",
  "backup.instance_id": "instance",
  "backup.server_id": "server",
  "instance.server_id": "server",
};
const classOf = (kind: Kind): string =>
  kind.name === "api_key_rotation" ? "RotatedApiKey" : kind.title;

test.each(Object.keys(exported))("%s has a page, which the index links", (name) => {
  expect(index).toContain(`(${fileOf(name)})`);
  expect(pageOf(name)).toContain(`# ${name}\n`);
});

const pages = Object.values(kinds).map((kind) => [classOf(kind), kind] as const);
describe.each(pages)("the page of %s", (name, kind) => {
  const rows = tablesOf(pageOf(name)).get(`${name}Props`);
  const rowOf = (field: string): Row | undefined =>
    rows?.get(RENAMED[`${kind.name}.${field}`] ?? camel(field));

  test(`every input of ${name}, and what it has of Terraform's, is on its page, with a type, a default and what it is`, () => {
    const inputs = kind.inputs.map(([field]) => field);
    const terraforms = ["depends_on", "lifecycle", "provider", "idempotency_token"];
    const timeouts = inputs.includes("wait") ? ["timeouts"] : [];
    const missing = [...inputs, ...terraforms, ...timeouts].filter(
      (field) => rowOf(field)?.every(Boolean) !== true,
    );
    expect(missing).toEqual([]);
    expect(rows?.has("timeouts")).toBe(timeouts.length > 0);
    expect(pageOf(name)).toContain("- `fqn: string`");
  });

  test(`the page of ${name} says what forces replacement, and of nothing else`, () => {
    const replacing = kind.inputs
      .filter(([field, { immutable }]) => immutable || kind.reading.replaceOn?.includes(field))
      .map(([field]) => rowOf(field));
    const said = [...(rows?.values() ?? [])].filter(([, , doc]) =>
      doc?.includes("forces replacement"),
    );
    expect(new Set(said)).toEqual(new Set(replacing));
  });
});

test("every setting of the provider is on its page, and on that of a stack", () => {
  for (const [name, table] of [
    ["ErphostProvider", "ErphostProviderConfig"],
    ["ErphostStack", "AccountSettings"],
  ] as const) {
    const rows = tablesOf(pageOf(name)).get(table);
    expect(Object.keys(settings).filter((each) => !rows?.has(each))).toEqual([]);
  }
});

test("no row of any page is empty, and no prop has Terraform's name", () => {
  const faulty = Object.keys(exported).flatMap((name) =>
    [...tablesOf(pageOf(name))].flatMap(([table, rows]) =>
      [...rows]
        .filter(([prop, row]) => prop.includes("_") || row.includes(""))
        .map(([prop]) => `${name}: ${table}.${prop}`),
    ),
  );
  expect(faulty).toEqual([]);
});

test("defaults that a construct sets itself are on its page", () => {
  const fallback = (name: string, prop: string) =>
    tablesOf(pageOf(name)).get(`${name}Props`)?.get(prop)?.[1];
  expect(fallback("Instance", "backupBeforeUpgrade")).toBe("true");
  expect(fallback("RotatedApiKey", "rotateAfter")).toBe("`90d`");
  expect(fallback("SealedApiKey", "gracePeriod")).toBe("`7d`");
  expect(fallback("SealedApiKey", "recipient")).toBe("required");
});
