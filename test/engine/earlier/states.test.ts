/**
 * States that an earlier release wrote are read as they are, and nothing is planned for them. The
 * fixture holds what each face of commit 0b58fec left in the state of its host: of a create, of an
 * update (an upgrade, a rotation) in a second run, of a value that the service answers in another
 * form, and of a secret that is encrypted. That commit itself read every one of them as it was and
 * planned nothing for it. OpenTofu's states are those of Terraform, and those of CDKTF have a token.
 */
import { expect, test } from "@jest/globals";
import type { State } from "../../../provider/engine";
import type { Raw, RawObject } from "../../../provider/terraform/wire/msgpack";
import recorded from "../../fixtures/earlier/states.json";
import { newProcess } from "../../pulumi/process";
import * as pulumi from "../../pulumi-plugin/support";
import { atEnd, type Service } from "../../support/given";
import { TestProvider } from "../../terraform/support/provider";
import { diffOf, kind } from "../support";
import { apiKey, scope, serviceOf, type Call } from "./left";

type Properties = Record<string, unknown>;

/** What a face recorded of one object, by its own words. */
interface Held {
  readonly kind: string;
  readonly title: string;
  readonly urn: string;
  readonly id: string;
  readonly inputs: Properties;
  readonly state: State & Properties;
  readonly outs: Properties;
  readonly outputs: Properties;
  readonly config: Properties;
  readonly private: string;
}

/** What is in the state, what a read makes of it, and what is planned for it. */
interface Kept {
  readonly held: unknown;
  readonly read: unknown;
  readonly changes: readonly unknown[];
}

type Face = (service: Service) => Promise<(one: Held) => Promise<Kept>>;

const engine =
  (options: object): Face =>
  async (service) => {
    const run = service.engine({ apiKey, options }).engine;
    return async ({ kind: name, inputs, state: held }) => {
      const { changes, refused } = await diffOf(run, kind(name), held, inputs);
      const { state: read, warnings } = await run.read(kind(name), held);
      return { held, read, changes: [...changes, ...warnings, refused] };
    };
  };

const dynamic: Face = async ({ emulator, intents }) => {
  process.env["ERPHOST_INTENTS_DIR"] = intents;
  const handler = await newProcess({ apiKey, baseUrl: emulator.baseUrl });
  return async ({ title, id, inputs, outs: held }) => {
    const { inputs: news, failures } = await handler(title).check(held, inputs);
    const { changes } = await handler(title).diff(id, held, news);
    const { props: read } = await handler(title).read(id, held);
    return { held, read, changes: [...failures, changes || undefined] };
  };
};

const plugin: Face = async ({ emulator }) => {
  const opened = pulumi.openPlugin({ apiKey, baseUrl: emulator.baseUrl });
  atEnd(() => opened.close());
  const { session } = opened;
  return async ({ urn, id, inputs, outputs: held }) => {
    const planned = await pulumi.diff(session, { urn, id, olds: held, news: inputs });
    const answer = await pulumi.read(session, { urn, id, properties: held, inputs });
    const read = pulumi.decode(answer.getProperties()).values;
    return { held, read, changes: planned.getDiffsList() };
  };
};

const terraform: Face = async ({ emulator }) => {
  const provider = new TestProvider({});
  atEnd(() => provider.close());
  await provider.use(emulator);
  return async ({ kind: name, config, state, private: own }) => {
    const held = { state: rawOf(state) as RawObject, private: Buffer.from(own) };
    const plan = await provider.plan(name, rawOf(config) as RawObject, held);
    expect(plan.planned).toEqual(held.state);
    const { state: read, diagnostics } = await provider.read(name, held);
    return { held: held.state, read, changes: [...plan.diagnostics, ...diagnostics] };
  };
};

/** Values of any type have the type in JSON with them, as bytes. */
function rawOf(value: unknown): Raw {
  if (Array.isArray(value)) return value.map(rawOf);
  if (typeof value !== "object" || value === null) return value as Raw; // It comes from JSON.
  const { dynamic: type, value: inner, ...others } = value as Properties;
  if (typeof type === "string") return [Buffer.from(type), inner as Raw];
  const members = Object.entries({ ...others, ...(inner !== undefined && { value: inner }) });
  return Object.fromEntries(members.map(([name, each]) => [name, rawOf(each)]));
}

const FACES: Record<keyof typeof recorded.faces, Face> = {
  engine: engine({}),
  "engine with a scope": engine({ scope }),
  dynamic,
  plugin,
  terraform,
  cdktf: terraform,
};

/** The service of the test has made the same objects at other moments, and lists them at once. */
const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time")
      .replace(/"profile":"\w+"/, '"profile":"a hash"'),
  );

test.each(Object.keys(FACES) as (keyof typeof FACES)[])(
  "what an earlier release left in a state is read as it is and not to be changed: %s",
  async (face) => {
    const { calls } = recorded.faces[face];
    const { service } = await serviceOf({ calls: calls as unknown as Call[] });
    const text = JSON.stringify(recorded.faces[face].held);
    const local = text.replaceAll(recorded.base, service.emulator.baseUrl);
    const objects = Object.entries(JSON.parse(local) as Record<string, Held>);
    const looks = await FACES[face](service);
    service.emulator.clearJournal();
    for (const [name, one] of objects) {
      const { held, read, changes } = await looks(one);
      expect([name, ...changes.filter((one) => one !== undefined)]).toEqual([name]);
      expect([name, timeless(read)]).toEqual([name, timeless(held)]);
    }
    expect(objects).toHaveLength(8);
    const methods = service.emulator.journal().map(({ method }) => method);
    expect(new Set(methods)).toEqual(new Set(["GET"]));
  },
);
