/** The outputs that README.md shows are what Pulumi prints for its TypeScript, which ts-node runs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import type { PulumiStack } from "../../../harness/pulumi-stack";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone } from "../../support/output";
import { openStack } from "../../pulumi/stack";

const readme = readFileSync(join(__dirname, "../../../..", "README.md"), "utf8");
/** The first block after a sentence. */
const blockAfter = (sentence: string): string =>
  /```\w+\n([^]*?)```/.exec(readme.slice(readme.indexOf(sentence)))?.[1] ?? "no such block";
const program = blockAfter("## A first program");

let stack: PulumiStack;
beforeAll(async () => {
  stack = opened(await openStack("one", await openedEmulator()));
  stack.write("index.ts", program);
  expectDone(await stack.up());
});

test("the preview that README.md shows is the preview of its program", async () => {
  stack.write("index.ts", program.replace("17.0", "18.0"));
  const { output } = expectDone(await stack.preview("--diff"));
  const [diff = "", counts = ""] = blockAfter("`pulumi preview --diff` says").split("Resources:");
  // The page leaves out the lines with URNs.
  const printed = output.split("\n").filter((line) => !line.includes("[urn="));
  expect(printed.join("\n")).toContain(diff);
  expect(output).toContain(`Resources:${counts}`);
});

test("the refusal of a bad input that README.md shows is the one that Pulumi prints", async () => {
  stack.write("index.ts", program.replace("90d", "90x"));
  const { code, output } = await stack.preview();
  expect(code).not.toBe(0);
  expect(output).toContain(blockAfter("Bad input is refused before any call").trim());
});
