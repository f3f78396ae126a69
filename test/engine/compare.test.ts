/** Equality and difference: generated over every field of every kind. */
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { resolveContract, shapeOf, type Shape, type Values } from "../../provider/contract";
import {
  covers,
  diff as compared,
  differences,
  type Seen,
  type State,
} from "../../provider/engine";
import { plannedUpdate } from "../../provider/engine/plan/planned";
import { afterRead, afterWrite } from "../../provider/engine/values/state";
import { kinds, UNKNOWN, type Kind, type KindField } from "../../provider/resources";
import { textOf } from "../support/given";

const diff = (scope: object, prior: State, inputs: Values) =>
  compared(scope as Seen, prior, inputs);
const contract = resolveContract();
const account = { baseUrl: "http://host/v1", environment: "test" } as const;
const all = Object.values(kinds);
const json = fc.jsonValue({ maxDepth: 3 });

/** Texts that survive a service that trims and lowers. */
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/);

function valueOf(shape: Shape, field?: KindField): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case "string":
      return word;
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return fc.integer();
    case "any":
      return json.filter((value) => value !== null);
    case "map":
      return fc.dictionary(word, valueOf(shape.of), { minKeys: 1, maxKeys: 4 });
    case "list": {
      const { key } = field ?? {};
      const selector = (element: unknown) =>
        key === undefined ? JSON.stringify(element) : (element as Values)[key];
      return fc.uniqueArray(valueOf(shape.of), { minLength: 1, maxLength: 4, selector });
    }
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries(shape.fields).map(([name, member]) => [name, valueOf(member.shape)]),
        ),
      );
  }
}

const inputsOf = (kind: Kind): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      kind.inputs.map(([name, field]) => [name, valueOf(shapeOf(field.schema), field)]),
    ),
  );

const stateOf = (values: Values): State => ({
  id: "id_1",
  values,
  private: { account, profile: "none", managed: Object.keys(values), echo: {} },
});

const changesOf = (kind: Kind, state: State, inputs: Values) =>
  diff({ contract, account, kind }, state, inputs).changes;

describe.each(all.map((kind) => [kind.name, kind] as const))("%s", (_, kind) => {
  test("inputs that did not change are not a difference", () => {
    fc.assert(
      fc.property(inputsOf(kind), (inputs) => {
        expect(changesOf(kind, stateOf(inputs), structuredClone(inputs))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test("lists in another order are not a difference", () => {
    const turned = (value: unknown): unknown => (Array.isArray(value) ? value.toReversed() : value);
    fc.assert(
      fc.property(inputsOf(kind), (inputs) => {
        const next = Object.entries(inputs).map(([name, value]) => [name, turned(value)] as const);
        expect(changesOf(kind, stateOf(inputs), Object.fromEntries(next))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test.each(kind.inputs)("an edit of %s is one change, there and nowhere else", (name, field) => {
    const replaces = field.immutable || (kind.reading.replaceOn ?? []).includes(name);
    fc.assert(
      fc.property(inputsOf(kind), valueOf(shapeOf(field.schema), field), (inputs, edited) => {
        fc.pre(!covers(edited, inputs[name], field));
        const found = changesOf(kind, stateOf(inputs), { ...inputs, [name]: edited });
        expect(found.length).toBeGreaterThan(0);
        for (const change of found) {
          expect(change).toMatchObject({
            path: [name, ...change.path.slice(1)],
            replace: replaces,
            secret: field.secret === true,
          });
        }
      }),
      { numRuns: 20 },
    );
  });

  test.each(kind.inputs)("%s that was not in the state before is added", (name) => {
    fc.assert(
      fc.property(inputsOf(kind), (inputs) => {
        const { [name]: value, ...before } = inputs;
        const found = changesOf(kind, stateOf(before), inputs);
        const maps = ["properties", "secret_properties", "triggers"].includes(name);
        const keys = maps ? Object.keys(value as Values) : [];
        const paths = maps ? keys.map((key) => [name, key]) : [[name]];
        expect(found.map(({ path, kind: how }) => ({ path, how }))).toEqual(
          paths.map((path) => ({ path, how: "add" })),
        );
      }),
      { numRuns: 10 },
    );
  });

  test("an unknown value is a change of its field", () => {
    for (const [name] of kind.inputs) {
      expect(changesOf(kind, stateOf({ [name]: "before" }), { [name]: UNKNOWN })).toMatchObject([
        { path: [name], kind: "update" },
      ]);
    }
  });

  test("a service's field that is left out is no longer managed; an option falls back", () => {
    for (const [name, field] of kind.inputs) {
      const found = changesOf(kind, stateOf({ [name]: "before" }), {});
      const falls = field.origin === "option" && !/properties/.test(name);
      expect(found).toMatchObject(falls ? [{ path: [name], kind: "delete" }] : []);
    }
  });
});

test("covers and differences agree on every pair of JSON values", () => {
  fc.assert(
    fc.property(json, json, fc.boolean(), (next, now, unordered) => {
      const same = covers(next, now, { unordered });
      expect(differences(["p"], next, now, { unordered }).length === 0).toBe(same);
    }),
    { numRuns: 500 },
  );
});

test("a value covers its copy, and what holds more", () => {
  fc.assert(
    fc.property(json, json, (value, more) => {
      expect(covers(value, structuredClone(value))).toBe(true);
      expect(covers({ a: value }, { a: value, b: more })).toBe(true);
      fc.pre(value !== null);
      expect(covers({ a: value, b: 1 }, { a: value })).toBe(false);
    }),
  );
});

test("a set has no order; a list has one", () => {
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 2 }), (words) => {
      const turned = [...words].reverse();
      expect(covers(words, turned, { unordered: true })).toBe(true);
      expect(covers(words, turned)).toBe(false);
    }),
  );
});

test("members of a set are paired by their key, and paths lead to them", () => {
  const now = [{ email: "a", role: "x" }, { email: "b" }, { email: "c" }];
  const next = [{ email: "d" }, { email: "b", role: "y" }, { email: "a", role: "z" }];
  expect(differences(["members"], next, now, { unordered: true, key: "email" })).toEqual([
    { path: ["members", 0], kind: "add" },
    { path: ["members", 1, "role"], kind: "add" },
    { path: ["members", 2, "role"], kind: "update" },
    { path: ["members", 2], kind: "delete" },
  ]);
});

test("an unknown value never counts as equal", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(covers(UNKNOWN, value)).toBe(false);
      expect(covers({ a: UNKNOWN }, { a: value })).toBe(false);
    }),
  );
});

test("lists with different numbers of nulls differ", () => {
  expect(differences(["p"], [1], [1, null])).toEqual([{ path: ["p"], kind: "update" }]);
  expect(differences(["p"], [null], [])).toEqual([{ path: ["p"], kind: "update" }]);
});

test("-0 is 0 to JSON, and not a change", () => expect(covers(-0, 0)).toBe(true));

const server = kinds["server"] as Kind;
const after = (status: string, inputs: Values): unknown => {
  const state = stateOf({ name: "a", status });
  const planned = diff({ contract, account, kind: server }, state, inputs);
  return plannedUpdate(server, state, inputs, planned)["status"];
};

test("an object that is ready and will be waited for is planned as ready", () => {
  expect(after("running", { name: "b" })).toBe("running");
});

test.each<[when: string, status: string, inputs: Values]>([
  ["of an object that is not ready", "stopped", { name: "b" }],
  ["of an object that failed", "failed", { name: "b" }],
  ["that is not waited for", "running", { name: "b", wait: false }],
  ["with several ready states", "running", { name: "b", ready_states: ["running", "stopped"] }],
])("the status after an update %s is unknown", (_, status, inputs) => {
  expect(after(status, inputs)).toBe(UNKNOWN);
});

const had = stateOf({ name: "a", properties: { tier: { cpu: 2 }, old: "x" } });
const tier = { cpu: 2, ram: 4 };
test.each<[what: string, had: unknown, wanted: unknown, changed: string[]]>([
  ["are compared as deep as they are set", { tier }, { tier: { cpu: 2 } }, []],
  ["differ where they are set", { tier }, { tier: { cpu: 4 } }, ["update tier.cpu"]],
  ["may be an empty map, which is none", undefined, {}, []],
  ["may be none, which is an empty map", {}, undefined, []],
  ["that the service does not have any more can be left out", { old: null }, undefined, []],
  ["set to null are satisfied by an absent value", { old: null }, { old: null }, []],
  ["set to null clear what is there", { old: "x" }, { old: null }, ["delete old"]],
])("properties %s", (_, had, wanted, changed) => {
  const given = (properties: unknown) => ({ name: "a", ...(properties ? { properties } : {}) });
  const ours = { contract, account, kind: server };
  const { changes, notes } = diff(ours, stateOf(given(had)), given(wanted));
  expect(changes.map(({ path, kind }) => `${kind} ${path.slice(1).join(".")}`)).toEqual(changed);
  for (const { path, ...how } of changes) {
    expect([path[0], how]).toMatchObject(["properties", { replace: false, secret: false }]);
  }
  expect(notes).toEqual([]);
});

test("a property that is no longer set is a change of the state, and the plan says how to clear it", () => {
  const inputs = { name: "a", properties: { tier: { cpu: 2 } } };
  const found = diff({ contract, account, kind: server }, had, inputs);
  expect(found.changes).toEqual([
    { path: ["properties", "old"], kind: "delete", replace: false, secret: false },
  ]);
  expect(found.notes).toMatchObject([{ code: "unmanaged_key", path: ["properties", "old"] }]);
  expect(textOf(found.notes)).toContain("set it to null instead of leaving it out");
});

test.each(["constructor", "toString", "hasOwnProperty", "__proto__"])(
  "a property called %s is compared like any other",
  (name) => {
    const properties = Object.fromEntries([[name, "x"]]);
    expect(
      changesOf(server, stateOf({ name: "a", properties: {} }), { name: "a", properties }),
    ).toMatchObject([{ path: ["properties", name], kind: "add" }]);
    const holds = stateOf({ name: "a", properties });
    expect(changesOf(server, holds, { name: "a", properties })).toEqual([]);
    expect(changesOf(server, holds, { name: "a", properties: {} })).toMatchObject([
      { path: ["properties", name], kind: "delete" },
    ]);
  },
);

test("a property that is no longer set is sent as null where the profile says so, which is a change", () => {
  const nulling = resolveContract({ unset: "null" });
  const state = { ...had, private: { ...had.private, profile: nulling.hash } };
  const found = diff({ contract: nulling, account, kind: server }, state, { name: "a" });
  expect(found.changes.map(({ path, kind }) => ({ path, kind }))).toEqual([
    { path: ["properties", "tier"], kind: "delete" },
    { path: ["properties", "old"], kind: "delete" },
  ]);
  const imported = { ...state, private: { ...state.private, managed: ["name"] } };
  const taken = diff({ contract: nulling, account, kind: server }, imported, { name: "a" });
  expect(taken.changes).toEqual([]);
});

describe("a service that answers other values than it was sent", () => {
  const instance = kinds["instance"] as Kind;
  const ours = { contract, account, kind: instance };
  const inputs = { name: " ERP ", server_id: "s", properties: { Region: "EU", tags: ["b", "a"] } };
  const record = (version?: string, name = "erp") => ({
    id: "i",
    fields: { id: "i", name, server_id: "s", ...(version !== undefined && { version }) },
    properties: { Region: "eu", tags: ["a", "b"], labels: {} },
  });
  const sent = new Set(["name", "server_id", "properties.Region", "properties.tags"]);
  const written: State = { id: "i", ...afterWrite(ours, record(), { inputs, sent }) };
  const read = (state: State, from: Parameters<typeof afterRead>[2] = record()): State => ({
    id: "i",
    ...afterRead(ours, state, from),
  });

  test("a state shows what was configured while the service's normalised answer stays the same", () => {
    expect(written.values).toMatchObject(inputs);
    expect(read(read(written)).values).toMatchObject(inputs);
    expect(changesOf(instance, read(written), inputs)).toEqual([]);
  });

  test("a state shows the service's value as soon as it changes", () => {
    const drifted = read(written, record(undefined, "other"));
    expect(drifted.values["name"]).toBe("other");
    expect(changesOf(instance, drifted, inputs)).toMatchObject([{ path: ["name"] }]);
  });

  test("a normalised value that comes back by itself is not a difference", () => {
    const back = read(read(written, record(undefined, "other")));
    expect(changesOf(instance, back, inputs)).toEqual([]);
  });

  test("an edit of the program is a difference, even to what the service stores", () => {
    expect(changesOf(instance, read(written), { ...inputs, name: "ERP2" })).toMatchObject([
      { path: ["name"] },
    ]);
  });

  test("what an answer left out counts as it was sent until it is shown, and no longer", () => {
    const bare = { id: "i", fields: { id: "i" }, properties: {} };
    const shown = { ...bare, fields: inputs, properties: inputs.properties };
    const left = read({ id: "i", ...afterWrite(ours, bare, { inputs, sent }) }, bare);
    expect(changesOf(instance, left, inputs)).toEqual([]);
    expect(changesOf(instance, read(read(left, shown), bare), inputs)).toHaveLength(4);
  });

  test("an edit that is answered as before is planned again, unless the service hides the value", () => {
    const edited = { ...inputs, name: "Shop", secret_properties: { pin: "2" } };
    const hidden = { ...record(), properties: { ...record().properties, pin: "***" } };
    const first = { ...inputs, secret_properties: { pin: "1" } };
    const prior = { id: "i", ...afterWrite(ours, hidden, { inputs: first }) };
    const again = new Set(["name", "secret_properties.pin"]);
    const now = { id: "i", ...afterWrite(ours, hidden, { inputs: edited, sent: again, prior }) };
    expect(changesOf(instance, now, edited)).toMatchObject([{ path: ["name"] }]);
    expect(changesOf(instance, now, { ...edited, name: inputs.name })).toEqual([]);
  });

  test.each([
    ["hides", "***", "1", "2"],
    ["writes in another form", true, "true", "TRUE"],
  ])("an edit of a property that the service %s has no difference left", (_, got, one, two) => {
    const shown = { ...record(), properties: { pin: got } };
    const of = (pin: string) => ({ ...inputs, properties: { pin } });
    const prior = { id: "i", ...afterWrite(ours, shown, { inputs: of(one) }) };
    const again = new Set(["properties.pin"]);
    const now = { id: "i", ...afterWrite(ours, shown, { inputs: of(two), sent: again, prior }) };
    expect(changesOf(instance, now, of(two))).toEqual([]);
  });

  test("a state keeps hashes of normalised values, never the values", () => {
    expect(JSON.stringify(written.private)).not.toMatch(/ERP|"EU"/);
  });
});
