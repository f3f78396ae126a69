/** What a comment says of a plan that changes nothing, or almost nothing, in the service. */
import { expect, test } from "@jest/globals";
import { reviewText, summaryIn } from "../../../cli/pipeline/review";

const URN = "urn:pulumi:prod::shop::erphost:index:Server::web";

/** A preview of a server that stays as it is, but for its protection. */
function preview(op: string, before: boolean, after: boolean): string {
  const state = (protect: boolean) => {
    const values = { name: "web" };
    return {
      urn: URN,
      id: "srv_1",
      type: "erphost:index:Server",
      inputs: values,
      outputs: values,
      protect,
    };
  };
  const steps = [{ op, urn: URN, oldState: state(before), newState: state(after) }];
  return JSON.stringify({ steps, changeSummary: { same: 1 } });
}

const comment = (json: string, changesState = false): string =>
  reviewText({
    summary: summaryIn(json, "prod"),
    changesState,
    commit: "c".repeat(40),
    broken: [],
  });

test("a plan that only ends Pulumi's protection names the object that loses it", () => {
  const json = preview("same", true, false);
  const text = comment(json, true);
  expect(text).toContain("\n1 to unprotect.\n");
  expect(text).toContain("**Warning:** 1 object loses its deletion protection.");
  expect(text).toContain(
    "#### Protected no more\n\n- `web`: server `web` `srv_1`; protected; loses its protection",
  );
  expect(text).not.toContain("Nothing to do");
  expect(summaryIn(json, "prod")).toMatchObject({ changes: true, calls: { writes: 0 } });
});

test.each([
  ["is protected as before", "same", true, true],
  ["is protected from now on", "same", false, true],
  ["was never protected", "same", false, false],
])("a plan whose object %s ends no protection", (_, op, before, after) => {
  const json = preview(op, before, after);
  expect(comment(json)).toContain("\nNothing to do; 1 without a change.\n");
  expect(summaryIn(json, "prod")).toMatchObject({ changes: false, plans: [{ objects: [] }] });
});

test("a plan that only changes the state says so", () => {
  const json = JSON.stringify({ format_version: "1.2", resource_changes: [] });
  expect(comment(json, true)).toContain(
    "\nNothing to do in the service; only the state changes (outputs, addresses or protection).\n",
  );
  expect(comment(json)).toContain("\nNothing to do.\n");
});

test("a comment says that the apply does what it shows, and not that it is all or nothing", () => {
  const json = JSON.stringify({ format_version: "1.2", resource_changes: [] });
  expect(comment(json)).toMatch(/the apply job applies this and nothing else\.$/);
});
