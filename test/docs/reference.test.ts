import { expect, test } from "@jest/globals";
import { camel, pascal, resolveContract } from "../../provider/contract";
import { check, kinds, lookups, selectorsOf } from "../../provider/resources";
import { exampleInputs } from "../../scripts/generate/reference/example";
import { referenceDocs } from "../../scripts/generate/reference/pages";

const pages = referenceDocs();
const all = Object.values(kinds);
const pageOf = (name: string): string =>
  pages[`docs/reference/${name.replace(/_/g, "-")}.md`] ?? "";

const line = (page: string, name: string): string =>
  page.split("\n").find((each) => each.startsWith(`| \`${name}\` |`)) ?? "";

test.each(all)("the reference has a page for $title with every input and output", (kind) => {
  const absent = (field: string) => line(pageOf(kind.name), camel(field)) === "";
  expect(Object.keys(kind.fields).filter(absent)).toEqual([]);
});

test.each(all)("the reference says which inputs of $title are required", (kind) => {
  const page = pageOf(kind.name);
  const given = kind.inputs.filter(([name]) => line(page, camel(name)).includes("| always |"));
  const required = kind.inputs.filter(([, { use }]) => use === "required");
  expect(given.map(([name]) => name)).toEqual(required.map(([name]) => name));
});

test.each(all)("the reference marks the secrets of $title", (kind) => {
  const page = pageOf(kind.name);
  const marked = Object.keys(kind.fields).filter((name) =>
    line(page, camel(name)).includes("**Secret:**"),
  );
  const secret = Object.entries(kind.fields).filter(([, field]) => field.secret === true);
  expect(marked).toEqual(secret.map(([name]) => name));
});

test("the reference marks exactly the inputs whose change forces replacement", () => {
  const inputs = all.flatMap((kind) => kind.inputs.map(([name]) => [kind.name, name] as const));
  const doc = "Changing this forces replacement";
  const marked = inputs
    .filter(([kind, name]) => line(pageOf(kind), camel(name)).includes(doc))
    .map((input) => input.join("."));
  expect(marked.sort()).toEqual([
    "api_key_rotation.key_id",
    "backup.instance_id",
    "backup.server_id",
    "backup.triggers",
    "instance.server_id",
  ]);
});

test.each(all)("the reference shows an example of $title that the engine accepts", (kind) => {
  expect(check(resolveContract(), kind, exampleInputs(kind)).issues).toEqual([]);
  expect(pageOf(kind.name)).toContain(`new erphost.${kind.title}(`);
});

test.each(lookups)("the reference has every filter and result of $plural", (resource) => {
  const page = pages["docs/reference/lookups.md"] ?? "";
  expect(page).toContain(`get${pascal(resource.plural)}`);
  expect(page).toContain(`get${pascal(resource.name)}`);
  const names = [
    ...Object.keys(resource.fields),
    ...selectorsOf(resource, "one").map(({ name }) => name),
    ...selectorsOf(resource, "many").map(({ name }) => name),
  ];
  expect(names.filter((name) => line(page, camel(name)) === "")).toEqual([]);
});

test("the index of the reference lists every kind", () => {
  const index = pages["docs/reference/index.md"] ?? "";
  expect(all.filter(({ title }) => !index.includes(`[${title}](`))).toEqual([]);
});
