/** A change that the engine refuses must fail the plan: core would otherwise apply it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../emulator";
import { SEVERITY_ERROR } from "../../provider/terraform/wire/messages";
import { placeOf, TestProvider, type Held } from "./support/provider";

const TYPE = "erphost_instance";
const config = { name: "erp", server_id: "srv_1", deletion_protection: true };

let emulator: Emulator;
let provider: TestProvider;
let held: Held;

beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 0 });
});
afterAll(() => emulator.close());
beforeEach(async () => {
  emulator.reset();
  emulator.createObjects("server", { name: "one", status: "running" });
  provider = new TestProvider({});
  await provider.configure({ api_key: emulator.adminKey, base_url: emulator.baseUrl });
  const made = await provider.apply(TYPE, config);
  expect(made.diagnostics).toEqual([]);
  held = made;
});
afterEach(() => provider.close());

const errorsOf = async (next: typeof config) => {
  const { diagnostics } = await provider.plan(TYPE, next, held);
  return diagnostics.filter(({ severity }) => severity === SEVERITY_ERROR);
};

describe("a plan fails at deletion_protection", () => {
  test.each([
    ["when a protected instance would be replaced", true],
    ["when its protection is turned off together with the change that replaces it", false],
  ])("%s", async (_, deletion_protection) => {
    const errors = await errorsOf({ ...config, server_id: "srv_2", deletion_protection });
    expect(errors.map(placeOf)).toEqual(["deletion_protection"]);
    expect(errors[0]?.detail).toMatch(/prevents replacing instance/);
  });
});

test("a plan fails when the state belongs to another account", async () => {
  const other = await startEmulator({ provisionMs: 0 });
  try {
    await provider.configure({ api_key: other.adminKey, base_url: other.baseUrl });
    const errors = await errorsOf({ ...config, name: "new" });
    expect(errors.map(({ detail }) => detail).join()).toMatch(/belongs to .* but this run/);
  } finally {
    await other.close();
  }
});

test("a plan passes when a protected instance is changed in place, or only its protection is turned off", async () => {
  expect(await errorsOf({ ...config, name: "new" })).toEqual([]);
  expect(await errorsOf({ ...config, deletion_protection: false })).toEqual([]);
});
