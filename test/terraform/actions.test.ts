/** Actions, asked for as Terraform 1.14 and later ask for them. */
import { beforeEach, expect, test } from "@jest/globals";
import { decodeMessage, encodeMessage } from "../../provider/grpc";
import { streamsOf } from "../../provider/terraform/server/methods";
import * as m from "../../provider/terraform/wire/messages.gen";
import { UNKNOWN } from "../../provider/resources";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import { emulator, encoded, placeOf, provider, said, setUp } from "./support/provider";

setUp();

const NOTHING_GIVEN = {
  ...{ instance: null, instance_id: null, purpose: null },
  ...{ server: null, server_id: null, timeout: null },
};
const request = (given: RawObject) => ({
  action_type: "erphost_backup",
  config: encoded({ ...NOTHING_GIVEN, ...given }),
});

const ask = (call: "ValidateActionConfig" | "PlanAction", given: RawObject) =>
  provider.call(call, m.actionRequest, m.diagnosed, request(given));

/** What an invocation tells before it ends, and its diagnostics. */
async function invoke(
  given: RawObject,
  signal = new AbortController().signal,
  onProgress = (): void => undefined,
) {
  const { InvokeAction } = streamsOf(provider.session);
  const reported: string[] = [];
  let completed: m.InvokeCompleted | undefined;
  const bytes = encodeMessage(m.actionRequest, request(given));
  for await (const each of InvokeAction?.(bytes, signal) ?? []) {
    const event = decodeMessage(m.invokeEvent, each);
    if (event.progress) {
      reported.push(event.progress.message);
      onProgress();
    }
    completed = event.completed;
  }
  return { reported, diagnostics: completed?.diagnostics };
}

let server: string;
beforeEach(() => {
  const [box] = emulator.createObjects("server", [{ name: "box" }]);
  server = String(box?.["id"]);
});
const backups = () => emulator.objects("backup");

test.each<[string, RawObject, string[]]>([
  ["an id", { server_id: "srv_1", timeout: "1h" }, []],
  ["a name that is not known yet", { server: UNKNOWN }, []],
  ["two, one of which is not known yet", { server: UNKNOWN, instance: "erp" }, []],
  ["no config block", {}, []],
  ["nothing but a purpose", { purpose: "x" }, [""]],
  ["two", { server: "box", instance: "erp" }, ["server"]],
  ["an empty name", { server: "" }, ["server"]],
  ["no duration", { server: "box", timeout: "5 min" }, ["timeout"]],
])("an action's configuration is checked before any call: %s", async (_, given, places) => {
  expect((await ask("ValidateActionConfig", given)).diagnostics.map(placeOf)).toEqual(places);
});

test("an action without a target is refused when it is invoked, because its validation cannot say so", async () => {
  const { reported, diagnostics } = await invoke({});
  expect(said(diagnostics ?? [])).toContain("Exactly one of instance, instance_id, server and");
  expect({ reported, backups: backups() }).toEqual({ reported: [], backups: [] });
});

test.each(["server", "server_id"])(
  "an action takes a backup by its %s, and reports how it continues",
  async (by) => {
    const { reported, diagnostics } = await invoke({ [by]: by === "server" ? "box" : server });
    expect(diagnostics).toEqual([]);
    expect(backups()).toMatchObject([{ server_id: server, status: "completed" }]);
    expect(reported.at(0)).toMatch(/^Backup bak_\w+ of server srv_\w+ is pending\.$/);
    expect(reported.at(-1)).toMatch(/^Backup bak_\w+ of server srv_\w+ is completed\.$/);
  },
);

test("a key that may not take backups is refused in the plan, where the settings ask for that", async () => {
  const reader = emulator.createKey({ name: "reader", permissions: ["servers:read"] });
  await provider.use({ ...emulator, adminKey: reader.value }, { preflight: "error" });
  const { diagnostics } = await ask("PlanAction", { server: UNKNOWN });
  expect(said(diagnostics)).toContain("backups:write");
});

test("an interruption ends the wait and says that the backup continues, and so does a peer that goes away", async () => {
  const effect = { type: "provision", outcome: "never" } as const;
  emulator.setFaults([{ match: { method: "POST", path: "/backups" }, effect }]);
  const stopped = await invoke({ server_id: server }, undefined, () => provider.session.stop());
  expect(said(stopped.diagnostics ?? [])).toMatch(
    /^Backup not finished: The run was interrupted .* backup bak_\w+ .*which continues in the service/,
  );
  await provider.use(emulator);
  const gone = new AbortController();
  const { diagnostics } = await invoke({ server_id: server }, gone.signal, () => gone.abort());
  expect(said(diagnostics ?? [])).toContain("continues in the service");
});
