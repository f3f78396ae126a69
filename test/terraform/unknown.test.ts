/** A plan with values that are not known yet, and the one of the apply, which knows them. */
import { expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { UNKNOWN } from "../../provider/resources";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import { dynamic, eachWithProvider, said, type TestProvider } from "./support/provider";

const AGE = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

let emulator: Emulator;
let provider: TestProvider;

eachWithProvider((place) => ({ emulator, provider } = place));

const key: RawObject = { name: "ci", permissions: ["servers:read"] };
const released = { ...key, triggers: { n: "1" } };
const due = { ...released, rotate_after: "90d" };
const hidden: RawObject = { name: "web", secret_properties_wo: dynamic({ pin: "1" }) };

test.each<[kind: string, unknown: string, made: RawObject, edited: RawObject]>([
  ["api_key", "recipient", { ...key, recipient: AGE }, key],
  ["api_key", "recipient", due, released],
  ["api_key", "triggers", due, released],
  ["api_key", "rotate_after", due, due],
  ["server", "wait", { name: "web" }, { name: "erp", wait: false }],
  ["server", "ready_states", { name: "web" }, { name: "erp", ready_states: ["stopped"] }],
  ["server", "secret_properties", hidden, hidden],
])(
  "what the plan of a %s knows while %s is unknown stays so once that is known (%#)",
  async (kind, unknown, made, edited) => {
    const { state, private: own } = await provider.apply(kind, made);
    emulator.advance("91d");
    await provider.use(emulator);
    const held = await provider.read(kind, { state, private: own });
    const first = await provider.plan(kind, { ...edited, [unknown]: UNKNOWN }, held);
    expect(first.planned).toMatchObject({ [unknown]: UNKNOWN });
    expect(said(first.diagnostics)).not.toContain("Symbol");
    const stays = Object.entries(first.planned ?? {}).filter(([, value]) => value !== UNKNOWN);
    const second = await provider.plan(kind, edited, held);
    expect(second.planned).toMatchObject(Object.fromEntries(stays));
  },
);
