import { expect, test } from "@jest/globals";
import { countLine, failures, rowsTable, type Row } from "./stage";

const works: Row = {
  face: "CLI",
  platform: "linux-x64, Node.js 22.19.0",
  command: "npm install erphost",
  seconds: 4.04,
  megabytes: 18,
  outcome: "works",
  seen: "--version, whoami",
};
const fails: Row = {
  ...works,
  outcome: "fails",
  seen: "npx erphost exits with 1:\nError: Cannot find module 'hono'\n",
};

test("a row of the rehearsal shows what an installation took, what it weighs, and that it works", () => {
  const [head = "", , row = ""] = rowsTable([works]).split("\n");
  expect(head.split(/ {2,}/)).toEqual([
    ...["face", "platform", "command", "seconds", "MB", "outcome"],
  ]);
  expect(row.split(/ {2,}/)).toEqual([
    ...["CLI", "linux-x64, Node.js 22.19.0", "npm install erphost", "4.0", "18.0"],
    "works: --version, whoami",
  ]);
});

test("a failure of the rehearsal has its first line in the table, and all of them below it", () => {
  expect(rowsTable([fails])).toMatch(/fails: npx erphost exits with 1:$/m);
  expect(failures([works, fails])).toEqual([
    "✗ CLI: npm install erphost\nnpx erphost exits with 1:\nError: Cannot find module 'hono'",
  ]);
});

test("the rehearsal's last line counts what works and what fails", () => {
  expect(countLine([works, fails])).toBe("1 works, 1 fails");
  expect(countLine([works, works])).toBe("2 work, 0 fail");
});
