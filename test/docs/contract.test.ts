import { expect, test } from "@jest/globals";
import { assumptions, errorCodes, events, keyClasses, levels } from "../../provider/contract";
import { listParameters, plans, resources, scopes, wildcards } from "../../provider/contract";
import type { Resource } from "../../provider/contract";
import { contractDocs } from "../../scripts/generate/contract/page";
import { profileMembers } from "../../scripts/generate/contract/profile";

const page = contractDocs()["docs/reference/contract.md"] ?? "";
const all: readonly Resource[] = Object.values(resources);

/** The rows of the page's tables, without their bars. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.slice(2, -2).split(" | "));
const rowsOf = (...cells: readonly string[]) =>
  rows.filter((row) => cells.every((cell) => row.includes(cell)));

/** The part of the page between a heading and the next of the same depth. */
function part(heading: string): string {
  const depth = heading.slice(0, heading.indexOf(" ") + 1);
  const after = page.slice(page.indexOf(`${heading}\n`));
  const next = after.indexOf(`\n${depth}`, 1);
  return next < 0 ? after : after.slice(0, next);
}

/** Topics of the fields that this source speaks of. */
const fieldsWith = (source: string) =>
  all.flatMap(({ name, fields }) =>
    Object.entries(fields)
      .filter(([, field]) => field.source === source)
      .map(([field]) => `field: \`${name}.${field}\``),
  );

test.each(
  all.flatMap((each) =>
    Object.entries(each.fields).map(([name, field]) => ({ each, name, field })),
  ),
)("the contract page shows $each.name.$name and its source", ({ name, field }) => {
  expect(rowsOf(`\`${name}\``, field.source).length).toBeGreaterThan(0);
  expect(page).toContain(field.doc.replace(/\|/g, "\\|"));
});

test.each(all)("the contract page shows the operations of $name, and their scopes", (resource) => {
  for (const [operation, source] of Object.entries(resource.operations)) {
    const calls = rowsOf(operation, source).map(([, call]) => call);
    expect(calls).toContainEqual(expect.stringContaining(resource.path));
  }
  for (const { scope, source } of Object.values(resource.scopes)) {
    expect(rowsOf(`\`${scope}\``, source).length).toBeGreaterThan(0);
  }
  for (const name of Object.keys(resource.filters ?? {})) {
    expect(rowsOf(`\`${name}\``).length).toBeGreaterThan(0);
  }
});

const errors = Object.entries(errorCodes);
test.each(errors)("the contract page shows the error %s, its status and form", (name, entry) => {
  const cells = [`\`${name}\``, String(entry.status), entry.form.toUpperCase(), entry.source];
  const [row, ...others] = rowsOf(...cells);
  expect(others).toEqual([]);
  const members = "extra" in entry ? Object.keys(entry.extra.shape) : [];
  for (const member of members) expect(row?.at(-1)).toContain(`\`${member}\`:`);
});

test.each(["a", "b"] as const)("the contract page shows form %s of an error as sent", (form) => {
  const blocks = [...part("## Errors").matchAll(/```json\n([^`]+)```/g)].map(
    ([, text = ""]) => JSON.parse(text) as { success?: boolean; error: { status?: number } },
  );
  const shown = blocks.filter(({ success }) => (success === false) === (form === "a"));
  expect(shown.length).toBeGreaterThan(0);
  const odd = shown.filter(({ error }) => (error.status === undefined) === (form === "b"));
  expect(odd).toEqual([]);
});

test("the contract page lists every assumption with the member of a profile that overrides it", () => {
  const text = part("## Assumptions");
  for (const { topic, assumed, profile } of assumptions) {
    const member = profile === undefined ? "none" : `\`${profile}\``;
    expect(text).toContain(`| ${topic} | ${assumed} | ${member} |`);
  }
});

test("the contract page lists everything that is marked as assumed", () => {
  const text = part("## Assumptions");
  const marked = [
    ...fieldsWith("assumed"),
    ...all.flatMap(({ name, operations }) =>
      Object.entries(operations)
        .filter(([, source]) => source === "assumed")
        .map(([operation]) => `operation: ${operation} of \`${name}\``),
    ),
    ...[...scopes, ...wildcards]
      .filter(({ source }) => source === "assumed")
      .map(({ name }) => `: \`${name}\``),
    ...Object.entries(errorCodes)
      .filter(([, { source }]) => source === "assumed")
      .map(([name]) => `error: \`${name}\``),
  ];
  expect(marked.length).toBeGreaterThan(20);
  expect(marked.filter((each) => !text.includes(each))).toEqual([]);
});

test("the contract page lists nothing as assumed that is documented", () => {
  const text = part("## Assumptions");
  expect(fieldsWith("documented").filter((each) => text.includes(each))).toEqual([]);
});

test("the contract page says what is announced: OAuth 2.0, official libraries, six months' notice", () => {
  const text = part("## The service");
  for (const fact of ["OAuth 2.0", "Official client libraries", "at least 6 months ahead"]) {
    expect(text).toContain(fact);
  }
});

test("the four levels and the id of an API key count as documented", () => {
  for (const name of Object.keys(levels))
    expect(rowsOf(`\`${name}\``, "documented")).toHaveLength(1);
  const text = part("## Assumptions");
  expect(text).not.toContain("`api_key.id`");
  expect(text).toContain("`server.id`");
});

test("the contract page explains every member of a profile", () => {
  const members = profileMembers().map(([path]) => path);
  expect(members).toContain("resources.KIND.operations.get");
  const text = part("## Contract profiles");
  expect(members.filter((path) => !text.includes(`| \`${path}\` |`))).toEqual([]);
});

test("the contract page names no unknown member of a profile", () => {
  const members = profileMembers().map(([path]) => path);
  const named = assumptions.flatMap(({ profile }) => profile ?? []);
  const known = (path: string) =>
    members.some((member) => {
      const general = path.replace(/^resources\.\w+/, "resources.KIND");
      return member === general || member.startsWith(`${general}.`);
    });
  expect(named.filter((path) => !known(path))).toEqual([]);
});

test("the contract page shows every event, list parameter, plan and key type", () => {
  const names = [events, listParameters, plans, keyClasses].flatMap((each) => Object.keys(each));
  expect(names.filter((name) => rowsOf(`\`${name}\``).length === 0)).toEqual([]);
});
