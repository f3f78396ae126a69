/** The provider in this process, called as an engine calls it. */
import { afterAll, beforeAll, beforeEach, expect } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { readObject } from "../../../provider/terraform/values/dynamic";
import { createLog } from "../../../provider/terraform/host/log";
import { methodsOf, streamsOf } from "../../../provider/terraform/server/methods";
import { Session } from "../../../provider/terraform/server/session";
import { typeJson } from "../../../provider/terraform/schema/types";
import * as m from "../../../provider/terraform/wire/messages.gen";
import { encodeMsgpack, type Raw, type RawObject } from "../../../provider/terraform/wire/msgpack";
import { decodeMessage, encodeMessage, type Message } from "../../../provider/grpc";
import { atEnd, sharedFolder } from "../../support/folder";

export const NOTHING = Buffer.alloc(0);

/** What an engine holds of one object. */
export interface Held {
  readonly state: RawObject | null;
  readonly private: Buffer;
  readonly identity?: m.IdentityData | undefined;
  /** What `ignore_changes` names: engines plan it as it is in the state, and apply it as written. */
  readonly ignored?: readonly string[];
}

type ListInput = RawObject & { readonly limit?: number; readonly include?: boolean };

export interface ListedEvent {
  readonly id: Raw | undefined;
  readonly name: string;
  readonly object: RawObject | null;
  readonly diagnostic: readonly m.Diagnostic[];
}

const typeOf = (kind: string): string => `erphost_${kind}`;

export class TestProvider {
  readonly intents = sharedFolder();
  readonly session: Session;
  private readonly methods: ReturnType<typeof methodsOf>;

  constructor(env: Readonly<Record<string, string>>) {
    const surroundings = {
      env: { ERPHOST_INTENTS_DIR: this.intents, ...env },
      cwd: "/",
      pid: process.pid,
      platform: process.platform,
    };
    const log = createLog({ env: {}, write: () => undefined, nowMs: () => 0 });
    this.session = new Session(surroundings, log);
    this.methods = methodsOf(this.session);
  }

  async call<Q, A>(name: string, request: Message<Q>, answer: Message<A>, value: Q): Promise<A> {
    const run = this.methods[name];
    if (!run) throw new Error(`there is no method ${name}`);
    return decodeMessage(answer, await run(encodeMessage(request, value)));
  }

  /** As the first call of another run. */
  configure(config: RawObject = {}) {
    this.session.release();
    return this.call("ConfigureProvider", m.configureProviderRequest, m.diagnosed, {
      terraform_version: "1.11.4",
      config: encoded(config),
    });
  }

  /** Configures it for an account, and whatever else is given. */
  use({ adminKey: api_key, baseUrl: base_url }: Emulator, more: RawObject = {}) {
    return this.configure({ api_key, base_url, ...more });
  }

  async validateBlock(config: RawObject) {
    const [request, answer] = [m.validateProviderConfigRequest, m.providerDiagnosed] as const;
    const value = { config: encoded(config) };
    return (await this.call("ValidateProviderConfig", request, answer, value)).diagnostics;
  }

  validate(kind: string, config: RawObject, call = "ValidateResourceConfig") {
    const request = { type_name: typeOf(kind), config: encoded(config) };
    return this.call(call, m.typedConfigRequest, m.diagnosed, request);
  }

  async data(source: string, config: RawObject = {}): Promise<RawObject | null> {
    const request = { type_name: typeOf(source), config: encoded(config) };
    const answer = await this.call("ReadDataSource", m.typedConfigRequest, m.dataResponse, request);
    return readObject(answer.state);
  }

  async import(kind: string, id: string, identity?: RawObject) {
    const answer = await this.call("ImportResourceState", m.importRequest, m.importResponse, {
      type_name: typeOf(kind),
      id,
      identity: identity && { identity_data: encoded(identity) },
    });
    const [{ state, private: own, identity: found } = {}] = answer.imported_resources ?? [];
    return heldOf({ ...answer, new_state: state, private: own, new_identity: found });
  }

  /** Without a state: a create; without a configuration: a delete. */
  async plan(kind: string, config: RawObject | null, held?: Held) {
    const shown = (name: string): [string, Raw] => [name, held?.state?.[name] ?? null];
    const ignored = Object.fromEntries(held?.ignored?.map(shown) ?? []);
    const answer = await this.call("PlanResourceChange", m.planRequest, m.planResponse, {
      type_name: typeOf(kind),
      prior_state: encoded(held?.state ?? null),
      config: encoded(config && { ...config, ...ignored }),
      prior_private: held?.private ?? NOTHING,
      prior_identity: held?.identity,
    });
    return { ...answer, planned: readObject(answer.planned_state) };
  }

  /** Plans and applies, as an engine does. @param planner who has planned it */
  async apply(kind: string, config: RawObject | null, held?: Held, planner: TestProvider = this) {
    const plan = await planner.plan(kind, config, held);
    const { planned, planned_private, planned_identity, diagnostics } = plan;
    if (diagnostics.some(({ severity }) => severity === m.Severity.error)) {
      const { state, private: own } = held ?? { state: null, private: NOTHING };
      return { state, private: own, identity: held?.identity, diagnostics };
    }
    const answer = await this.call("ApplyResourceChange", m.applyRequest, m.applyResponse, {
      type_name: typeOf(kind),
      prior_state: encoded(held?.state ?? null),
      planned_state: encoded(planned),
      config: encoded(config),
      planned_private: planned_private ?? NOTHING,
      planned_identity,
    });
    return heldOf(answer);
  }

  /** The delete alone, as engines request it when they replace a tainted object. */
  async destroy(kind: string, held: Held) {
    const answer = await this.call("ApplyResourceChange", m.applyRequest, m.applyResponse, {
      type_name: typeOf(kind),
      prior_state: encoded(held.state),
      planned_state: encoded(null),
      config: encoded(null),
      planned_private: held.private,
    });
    return heldOf(answer);
  }

  async read(kind: string, held: Held) {
    const answer = await this.call("ReadResource", m.readRequest, m.readResponse, {
      type_name: typeOf(kind),
      current_state: encoded(held.state),
      private: held.private,
      current_identity: held.identity,
    });
    return heldOf(answer);
  }

  /** What a `moved` block brings: a state, by default of another address of this provider. */
  move(kind: string, state: unknown, source: Partial<m.MoveRequest> = {}) {
    return this.call("MoveResourceState", m.moveRequest, m.moveResponse, {
      source_provider_address: "example.com/mirror/erphost",
      source_type_name: typeOf(kind),
      source_state: { json: Buffer.from(JSON.stringify(state)) },
      target_type_name: typeOf(kind),
      source_private: NOTHING,
      ...source,
    });
  }

  /** What a query is answered, each event once it is asked for. */
  async *list(
    kind: string,
    { limit = 0, include = false, ...config }: ListInput = {},
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<ListedEvent, void> {
    const given = { config: encoded(config), include_resource_object: include, limit };
    const bytes = encodeMessage(m.listRequest, { type_name: typeOf(kind), ...given });
    for await (const event of streamsOf(this.session)["ListResource"]?.(bytes, signal) ?? []) {
      const answer = decodeMessage(m.listEvent, event);
      yield {
        id: readObject(answer.identity?.identity_data)?.["id"],
        name: answer.display_name,
        object: readObject(answer.resource_object),
        diagnostic: answer.diagnostic,
      };
    }
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

/** What an engine holds after a call, with what the call said. */
const heldOf = (answer: {
  readonly new_state?: m.DynamicValue | undefined;
  readonly private?: Buffer | undefined;
  readonly new_identity?: m.IdentityData | undefined;
  readonly diagnostics: readonly m.Diagnostic[];
}) => ({
  state: readObject(answer.new_state),
  private: answer.private ?? NOTHING,
  identity: answer.new_identity,
  diagnostics: answer.diagnostics,
});

/** Another process of the provider, which nobody has configured; it ends with the test. */
export function another(env: Readonly<Record<string, string>> = {}): TestProvider {
  const other = new TestProvider(env);
  atEnd(() => other.close());
  return other;
}

/** Another process that is configured for an account. */
export async function restarted(
  emulator: Emulator,
  env: Readonly<Record<string, string>> = {},
): Promise<TestProvider> {
  const other = another(env);
  await other.use(emulator);
  return other;
}

/** What each test of a file has: an account without objects, and a provider for it. */
export let emulator: Emulator;
export let provider: TestProvider;

export function setUp(): void {
  beforeAll(async () => {
    emulator = await startEmulator({ provisionMs: 5 });
  });
  afterAll(() => emulator.close());
  beforeEach(async () => {
    emulator.reset();
    provider = another();
    expect(await provider.use(emulator)).toMatchObject({ diagnostics: [] });
  });
}

export const encoded = (raw: Raw): m.DynamicValue => ({ msgpack: encodeMsgpack(raw) });

/** Where a diagnostic points, as text. */
export const placeOf = ({ attribute }: m.Diagnostic): string =>
  (attribute?.steps ?? [])
    .map((step) => step.attribute_name ?? step.element_key_string ?? step.element_key_int)
    .join(".");

export const said = (diagnostics: readonly m.Diagnostic[]): string =>
  diagnostics.map(({ summary, detail }) => `${summary}: ${detail}`).join();

/** Strings as a value of any type. */
export const dynamic = (value: Readonly<Record<string, string>>): Raw => [
  typeJson(["object", Object.fromEntries(Object.keys(value).map((key) => [key, "string"]))]),
  value,
];
