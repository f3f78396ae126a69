import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { Names } from "../../../cli/import/program/names";
import { attributeLines, quoted } from "../../../cli/import/write/terraform/hcl";

const claimed = (...texts: string[]): string[] => new Names("server").claimAll(texts);

describe("names of declarations", () => {
  test.each([
    // Words of the object's own, in plain letters.
    ["ERP Zürich (2),erpProduction,Straße,Łódź-1", "erp_zurich_2,erp_production,strasse,lodz_1"],
    // What has no plain letters, or begins with a digit, is called by its kind.
    ["日本,,1st,🙂", "server,server_2,server_1st,server_3"],
    // The first keeps its name, and no number collides with a name that is there.
    ["main,main,main 2,Main", "main,main_3,main_2,main_4"],
  ])("objects that are called %j are declared as %s", (texts, names) => {
    expect(claimed(...texts.split(","))).toEqual(names.split(","));
  });

  test("a name that is declared already is given to no other object", () => {
    const names = new Names("server");
    names.reserve("main");
    expect(names.claim("main")).toBe("main_2");
  });

  test("a long name is cut at the end of a word", () => {
    expect(claimed(`${"word ".repeat(20)}`)).toEqual([Array(12).fill("word").join("_")]);
  });

  test("whatever objects are called, names are identifiers, unique in any case, and the same in each run", () => {
    const texts = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.string()), { maxLength: 30 });
    fc.assert(
      fc.property(texts, (all) => {
        const names = claimed(...all);
        expect(names).toEqual(claimed(...all));
        expect(new Set(names.map((name) => name.replaceAll("_", ""))).size).toBe(all.length);
        for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      }),
    );
  });
});

/** Reads a quoted text as HCL says that it is read; a template is an error. */
function read(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
  let value = "";
  const body = text.slice(1, -1);
  for (let index = 0; index < body.length;) {
    const rest = body.slice(index);
    const [sequence = "", hex] =
      /^(?:\\u([\da-f]{4})|\\U([\da-f]{8}))/.exec(rest)?.filter(Boolean) ?? [];
    if (hex !== undefined) value += String.fromCodePoint(Number.parseInt(hex, 16));
    else if (/^\\/.test(rest)) value += escapes[rest[1] ?? ""] ?? rest[1];
    else if (/^(?:\$\$|%%)\{/.test(rest)) value += rest.slice(1, 3);
    else if (/^[$%]\{|^["\n\r]/.test(rest)) throw new Error(`${rest} ends the text`);
    else value += rest[0];
    const plain = /^\\/.test(rest) ? 2 : /^(?:\$\$|%%)\{/.test(rest) ? 3 : 1;
    index += hex === undefined ? plain : sequence.length;
  }
  return value;
}

describe("texts in HCL", () => {
  test("any text is read back as it was, and no template begins in it", () => {
    const odd = fc.string({ unit: fc.constantFrom(...'ab${}%"\\\n\r\t\u0000é日🙂\u2028\u202E') });
    fc.assert(
      fc.property(fc.oneof(odd, fc.string({ unit: "binary" })), (text) => {
        fc.pre(text.isWellFormed());
        expect(read(quoted(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("characters that nobody sees are written as escapes", () => {
    expect(quoted("a\u202Eb\uFEFF\u0000")).toBe('"a\\u202eb\\ufeff\\u0000"');
  });

  test("the equals signs of neighbours are in one column, and one of several lines stands alone", () => {
    const values = { a: ["1"], long: ["2"], list: ["[", "  3,", "]"], b: ["4"] };
    const lines = attributeLines(Object.entries(values));
    expect(lines).toEqual(["a    = 1", "long = 2", "list = [", "  3,", "]", "b = 4"]);
  });
});
