/** Lookups: every list of the service, one object, and the key in use. */
import { camel, InvalidInput, itemOf, secretNames } from "../../../contract";
import type { Resource, ResourceName, ServiceRecord } from "../../../contract";
import type { Path } from "../../../engine";
import { CallFailure, status } from "../../../grpc";
import { say, sentence, type Message } from "../../../messages";
import { pluginVoice } from "../../voice";
import type { InvokeRequest, InvokeResponse } from "../messages.gen";
import { decode, encode } from "../values/property-values";
import { selectionFrom } from "../../values";
import type { Session } from "../session";
import { listKey, lookupOfToken } from "../values/tokens";

interface Answer {
  readonly values: Record<string, unknown>;
  readonly secrets: readonly Path[];
}

export async function invoke(session: Session, request: InvokeRequest): Promise<InvokeResponse> {
  const lookup = lookupOfToken(request.tok);
  if (!lookup) {
    throw new CallFailure(
      status.notFound,
      `This version of the provider has no function ${request.tok}.`,
    );
  }
  session.refuseCancelled();
  const { values } = decode(request.args);
  try {
    const answer =
      lookup.form === "auth"
        ? await auth(session)
        : lookup.form === "one"
          ? await one(session, lookup.resource, values)
          : await list(session, lookup.resource, values);
    return { return: encode(answer.values, answer.secrets) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    // Of these an SDK prints the property's name after the reason, and no value.
    const said = error.issues.map((issue) => say(pluginVoice, issue));
    return { failures: said.map(({ place: property, reason }) => ({ property, reason })) };
  }
}

const optionsOf = (session: Session) => ({
  signal: session.signal,
  onNotice: ({ data }: { readonly data: Message }) =>
    session.host.log({ severity: "info", text: sentence(pluginVoice, data), passing: true }),
});

/** Lookups are derived from the very table that ResourceName names. */
const nameOf = (resource: Resource): ResourceName => resource.name as ResourceName;

/** What its definition calls secret, and free fields that look like one: nothing else says so here. */
const secretsOf = ({ fields }: Resource, { properties }: ServiceRecord): Path[] => [
  ...Object.entries(fields).flatMap(([name, field]) => (field.secret ? [[camel(name)]] : [])),
  ...secretNames(properties).map((name) => ["properties", name]),
];

async function one(session: Session, resource: Resource, args: Answer["values"]): Promise<Answer> {
  const wanted = selectionFrom(resource, "one", args);
  const record = await session.engine.lookups.one(nameOf(resource), wanted, optionsOf(session));
  return { values: itemOf(resource, record), secrets: secretsOf(resource, record) };
}

async function list(session: Session, resource: Resource, args: Answer["values"]): Promise<Answer> {
  const wanted = selectionFrom(resource, "many", args);
  const records = await session.engine.lookups.list(nameOf(resource), wanted, optionsOf(session));
  return {
    values: { [listKey(resource)]: records.map((record) => itemOf(resource, record)) },
    // All of a list is secret where something in it is: Pulumi marks no members of one.
    secrets: records.some((record) => secretsOf(resource, record).length > 0)
      ? [[listKey(resource)]]
      : [],
  };
}

async function auth(session: Session): Promise<Answer> {
  return { values: { ...(await session.engine.lookups.auth(optionsOf(session))) }, secrets: [] };
}
