/** Whoever opens the page for the first time gets from it all that the README's program needs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { startEmulator } from "../../../emulator";
import { Browser } from "../../harness/browser";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone } from "../support/output";

const readme = readFileSync(join(__dirname, "../../..", "README.md"), "utf8");
const program = /## A first program\n+```ts\n([^]*?)```/.exec(readme)?.[1] ?? "no such block";

/** The variables that lines for a shell set. */
const variablesIn = (lines: string): Record<string, string> =>
  Object.fromEntries(
    [...lines.matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );

test("the README's program runs with what a first visit to the page shows", async () => {
  const emulator = await startEmulator({ provisionMs: 5 });
  const browser = await Browser.open();
  let stack: PulumiStack | undefined;
  try {
    const visit = await browser.visit(emulator.url);
    await visit.click("Create key");
    await visit.submit({ Name: "first" }, "Create");
    expect(await visit.value("Secret")).toMatch(/^erp_test_/);
    const lines = await visit.evaluate('document.querySelector("dialog pre").textContent');
    const env = variablesIn(String(lines));
    expect(Object.keys(env)).toEqual(["ERPHOST_BASE_URL", "ERPHOST_API_KEY"]);
    stack = await PulumiStack.create({ program: join(__dirname, "../pulumi/programs/one"), env });
    stack.write("index.ts", program);
    expectDone(await stack.up());
    await visit.press("Escape");
    await visit.sees("erp-main");
    expect(emulator.counts()).toMatchObject({ server: 1, instance: 1 });
  } finally {
    stack?.remove();
    await browser.close();
    await emulator.close();
  }
});
