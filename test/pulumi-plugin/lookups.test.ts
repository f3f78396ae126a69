/** The plugin's functions: the suite of lookups that every face shares. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../emulator";
import { camel, resources } from "../../provider/contract";
import { listKey, listToken, oneToken } from "../../provider/pulumi/plugin/values/tokens";
import { found, furnish, refused, type Selected } from "../support/finding";
import { openPlugin, type Plugin } from "./support";
import { decode, invoke } from "./wire";

let emulator: Emulator;
let plugin: Plugin;
beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 0 });
  furnish(emulator);
  plugin = openPlugin({ baseUrl: emulator.baseUrl, apiKey: emulator.adminKey });
});
afterAll(async () => {
  await plugin.close();
  await emulator.close();
});

type Asked = Pick<(typeof found)[number], "kind" | "form"> & { readonly by: Selected };

const ask = ({ kind, form, by }: Asked) => {
  const tok = (form === "one" ? oneToken : listToken)(resources[kind]);
  const args = Object.fromEntries(Object.entries(by).map(([key, value]) => [camel(key), value]));
  return invoke(plugin.session, { tok, args });
};

describe("a function", () => {
  test.each(found)("$claim", async ({ ids, ...lookup }) => {
    const { values } = decode((await ask(lookup)).getReturn());
    const list = lookup.form === "one" ? [values] : values[listKey(resources[lookup.kind])];
    expect((list as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  });

  test.each(refused)("$claim", async ({ place, says, early, ...lookup }) => {
    emulator.clearJournal();
    const asked = ask(lookup).then((response) =>
      response.getFailuresList().map((failure) => failure.toObject()),
    );
    if (!early) return expect(asked).rejects.toThrow(says);
    const [failure, ...more] = await asked;
    expect(failure?.property).toBe(camel(place));
    expect(failure?.reason).toMatch(says);
    expect(more).toEqual([]);
    expect(emulator.journal()).toEqual([]);
  });
});
