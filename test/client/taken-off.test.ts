/* eslint-disable @typescript-eslint/unbound-method -- that they work unbound is the claim */
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../emulator";
import { ErpHost } from "../../provider";

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ provisionMs: 0 });
});
afterEach(() => emulator.close());

test("a program can take the client's methods off their objects", async () => {
  const erphost = new ErpHost({ apiKey: emulator.adminKey, baseUrl: emulator.baseUrl });
  const { close, useKey, servers, apiKeys } = erphost;
  const { create, list, get, update, delete: remove } = servers;
  useKey(emulator.adminKey);
  const made = await Promise.all(["a", "b"].map((name) => create({ name })));
  const [first] = made;
  if (!first) throw new Error("nothing was created");
  expect((await update(first.id, { name: "c" })).name).toBe("c");
  expect((await get(first.id))?.name).toBe("c");
  expect(await remove(first.id)).toBe("deleted");
  const names: unknown[] = [];
  for await (const { name } of list()) names.push(name);
  expect(names).toEqual(["b"]);
  const { create: createKey, rotate } = apiKeys;
  const key = await createKey({ name: "ci", permissions: ["servers:read"] });
  expect((await rotate(key.id)).oldKey.id).toBe(key.id);
  await close();
});

test("the client's option timeoutMs, which is timeout now, is refused by name", () => {
  const options = { apiKey: emulator.adminKey, baseUrl: emulator.baseUrl, timeoutMs: 500 };
  expect(() => new ErpHost(options)).toThrow("timeoutMs is not a setting. Use timeout.");
});

test("a program can take the emulator's methods off it", async () => {
  const { advance, objects, createKey, close } = emulator;
  advance("1h");
  expect(createKey({ name: "ci", permissions: ["servers:read"] }).value).toMatch(/_test_/);
  expect(objects("server")).toEqual([]);
  await close();
});
