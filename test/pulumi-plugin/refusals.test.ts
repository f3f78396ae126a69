/** A change that the engine refuses must never reach Pulumi as one that can be made. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { diffAnswerOf, kindOf, openPlugin, outputsOf, type Properties } from "./support";

const plugin = openPlugin();
afterAll(() => plugin.close());

const instance = kindOf("instance");
const diffed = (olds: Properties, news: Properties) => diffAnswerOf(plugin, instance, olds, news);

describe("the plugin's diff fails, and plans no replacement, when the engine refuses the change:", () => {
  const args = { name: "erp", serverId: "srv_1", deletionProtection: true };

  test.each([
    ["a protected instance moves to another server", { deletionProtection: true }],
    ["its protection is turned off together with the move", { deletionProtection: false }],
  ])("%s", async (_, more) => {
    const moved = { ...args, serverId: "srv_2", ...more };
    await expect(diffed(outputsOf(args), moved)).rejects.toThrow(
      /^deletionProtection prevents replacing instance id_1/,
    );
  });

  test("the state belongs to another account", async () => {
    const state = JSON.parse(String(outputsOf(args)["__state"])) as Properties;
    const account = { baseUrl: "https://other.example.com/v1", environment: "test" };
    const olds = { ...outputsOf(args), __state: JSON.stringify({ ...state, account }) };
    await expect(diffed(olds, { ...args, name: "new" })).rejects.toThrow(
      /Instance id_1 belongs to the account at https:\/\/other\.example\.com\/v1/,
    );
  });
});

test("the plugin's diff replaces an instance that is not protected when it moves to another server", async () => {
  const args = { name: "erp", serverId: "srv_1", deletionProtection: false };
  const { replaces } = await diffed(outputsOf(args), { ...args, serverId: "srv_2" });
  expect(replaces).toEqual(["serverId"]);
});
