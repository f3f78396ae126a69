/** Reading data sources and opening the ephemeral resource. */
import { openProperties, type ServiceRecord, type Values } from "../../contract";
import { checkSelection } from "../../resources";
import type { Engine } from "../../engine";
import { refusals } from "../diagnostics";
import { readObject, writeObject } from "../values/dynamic";
import { CallFailure, status } from "../../grpc";
import { dataSources, ephemeralResources, PROPERTIES_JSON } from "../schema/lookups";
import type { DataSource, ListSource, OneSource } from "../schema/lookups";
import { attributeNamed, type Attribute } from "../schema/model";
import { plainOf } from "../values/state";
import { fromPlain, memberOf } from "../values/values";
import type { DataResponse, Diagnostic, OpenResponse } from "../wire/messages.gen";
import type { TypedConfigRequest } from "../wire/messages.gen";
import type { Raw, RawObject } from "../wire/msgpack";
import type { Session } from "./session";

/** @throws CallFailure where there is none */
export const sourceNamed = <T>(sources: ReadonlyMap<string, T>, name: string, what: string): T => {
  const source = sources.get(name);
  if (source) return source;
  throw new CallFailure(status.invalidArgument, `there is no ${what} ${name}`);
};

export async function validateDataSource(
  _session: Session,
  { type_name, config }: TypedConfigRequest,
): Promise<{ diagnostics: Diagnostic[] }> {
  const source = sourceNamed(dataSources(), type_name, "data source");
  if (source.kind === "auth") return { diagnostics: [] };
  const wanted = selectionIn(source, readObject(config));
  const form = source.kind === "one" ? "one" : "many";
  const { issues } = checkSelection(source.resource, form, wanted);
  return { diagnostics: refusals(source.attributes, issues) };
}

const selectionIn = (
  { selectors, attributes }: OneSource | ListSource,
  config: RawObject | null,
): Values =>
  valuesIn(
    selectors.flatMap(({ name }) => attributeNamed(attributes, name) ?? []),
    config,
  );

/** What a configuration gives for these attributes, as plain values. */
export const valuesIn = (attributes: readonly Attribute[], config: RawObject | null): Values =>
  Object.fromEntries(attributes.map((each) => [each.name, plainOf(each, config)]));

export async function readDataSource(
  session: Session,
  { type_name, config }: TypedConfigRequest,
): Promise<DataResponse> {
  const source = sourceNamed(dataSources(), type_name, "data source");
  const given = readObject(config);
  try {
    return { state: writeObject(await read(session, source, given)), diagnostics: [] };
  } catch (error) {
    return { diagnostics: session.tell(`Reading ${type_name}`, source.attributes, error) };
  }
}

export async function openEphemeral(
  session: Session,
  { type_name, config }: TypedConfigRequest,
): Promise<OpenResponse> {
  const source = sourceNamed(ephemeralResources(), type_name, "ephemeral resource");
  const given = readObject(config);
  try {
    return { result: writeObject(await read(session, source, given)), diagnostics: [] };
  } catch (error) {
    return { diagnostics: session.tell(`Opening ${type_name}`, source.attributes, error) };
  }
}

async function read(
  session: Session,
  source: DataSource,
  config: RawObject | null,
): Promise<RawObject> {
  const engine = session.needEngine();
  const options = session.reading();
  const calls = options.onNotice ? { onNotice: options.onNotice } : {};
  if (source.kind === "auth")
    return authObject(source.attributes, await engine.lookups.auth(calls));
  return source.kind === "one"
    ? readOne(engine, source, config, calls)
    : readList(engine, source, config, calls);
}

type Calls = Parameters<Engine["lookups"]["one"]>[2];
type Name = Parameters<Engine["lookups"]["one"]>[0];

async function readOne(
  engine: Engine,
  source: OneSource,
  config: RawObject | null,
  calls: Calls,
): Promise<RawObject> {
  const { resource, attributes } = source;
  // The names are derived from the table that this resource is in.
  const name = resource.name as Name;
  const record = await engine.lookups.one(name, selectionIn(source, config), calls);
  const values = { ...record.fields, properties: freeFieldsOf(record) };
  return { ...objectFrom(attributes, values), ...given(attributes, config) };
}

async function readList(
  engine: Engine,
  source: ListSource,
  config: RawObject | null,
  calls: Calls,
): Promise<RawObject> {
  const { resource, attributes, list } = source;
  const wanted = selectionIn(source, config);
  const records = await engine.lookups.list(resource.name as Name, wanted, calls);
  const inner = list.nested?.attributes ?? [];
  return {
    ...given(attributes, config),
    [list.name]: records.map((record) => objectFrom(inner, elementOf(record))),
  };
}

/** What only the configuration decides stays as it was written. */
const given = (attributes: readonly Attribute[], config: RawObject | null): RawObject =>
  Object.fromEntries(
    attributes
      .filter(({ mode }) => mode === "optional")
      .map(({ name }) => [name, memberOf(config, name)]),
  );

/** As an import has them: a configuration may give what is read here, and no plan may show a secret. */
const freeFieldsOf = ({ properties }: ServiceRecord) => openProperties(properties) ?? null;

const elementOf = (record: ServiceRecord) => ({
  ...record.fields,
  [PROPERTIES_JSON]: JSON.stringify(freeFieldsOf(record)),
});

const objectFrom = (attributes: readonly Attribute[], values: Values): RawObject =>
  Object.fromEntries(
    attributes.map(({ name, type }): [string, Raw] => [name, fromPlain(type, values[name])]),
  );

const authObject = (
  attributes: readonly Attribute[],
  auth: Awaited<ReturnType<Engine["lookups"]["auth"]>>,
): RawObject =>
  objectFrom(attributes, {
    authenticated: auth.authenticated,
    key_id: auth.keyId,
    permissions: auth.permissions,
    rate_limit: auth.rateLimit,
  });
