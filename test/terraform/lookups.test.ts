/** Data sources, functions and the ephemeral resource, as the protocol's calls answer, on the emulator. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../emulator";
import * as m from "../../provider/terraform/wire/messages";
import type { Raw } from "../../provider/terraform/wire/msgpack";
import { encoded, placeOf, TestProvider } from "./support/provider";

let emulator: Emulator;
let provider: TestProvider;

beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 5 });
  provider = new TestProvider({});
  await provider.configure({ api_key: emulator.adminKey, base_url: emulator.baseUrl });
});
afterAll(async () => {
  await provider.close();
  await emulator.close();
});

describe("data sources, functions and the ephemeral resource", () => {
  test("data sources and the ephemeral resource return what the service lists, never a secret", async () => {
    emulator.createObjects("server", [
      { name: "a", status: "running", region: "eu" },
      { name: "b", status: "failed" },
    ]);
    const read = async (type_name: string, config: Record<string, Raw>) => {
      const answer = await provider.call("ReadDataSource", m.typedConfigRequest, m.dataResponse, {
        type_name,
        config: encoded(config),
      });
      return { ...answer, text: JSON.stringify(answer.state?.msgpack?.toString("latin1") ?? "") };
    };
    const all = await read("erphost_servers", { status: "running" });
    expect(all.text).toContain("region");
    expect(all.text).not.toContain("failed");
    expect((await read("erphost_server", { name: "none" })).diagnostics.map(placeOf)).toEqual([
      "name",
    ]);
    expect((await read("erphost_api_keys", {})).text).not.toContain(emulator.adminKey);
    const opened = await provider.call(
      "OpenEphemeralResource",
      m.typedConfigRequest,
      m.openResponse,
      {
        type_name: "erphost_auth",
        config: encoded({}),
      },
    );
    expect(opened.result?.msgpack?.toString("latin1")).toContain("authenticated");
  });

  test("functions split keys and periods, and refuse other strings without repeating them", async () => {
    const run = (name: string, argument: Raw) =>
      provider.call("CallFunction", m.callRequest, m.callResponse, {
        name,
        arguments: [encoded(argument)],
      });
    expect((await run("parse_period", "90d")).result?.msgpack?.toString("latin1")).toContain(
      "seconds",
    );
    const refused = await run("parse_api_key", "hunter2");
    expect(refused.error?.text).toMatch(/^key is not a valid API key/);
    expect(refused.error?.text).not.toContain("hunter2");
  });
});
