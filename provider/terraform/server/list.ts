/** Listing what the account has, for queries. */
import { resources } from "../../contract";
import type { Listed } from "../../engine";
import { message, visible } from "../../messages";
import { check, checkSelection, declaredInputs } from "../../resources";
import { refusals, diagnosticsOf } from "../diagnostics";
import { listResources, type ListModel } from "../schema/lookups";
import type { ResourceModel } from "../schema/model";
import { identityIn, readObject, writeObject } from "../values/dynamic";
import { NAMELESS, objectOf } from "../values/state";
import type { Diagnostic, ListEvent, ListRequest, TypedConfigRequest } from "../wire/messages.gen";
import { sourceNamed, valuesIn } from "./data";
import type { Session } from "./session";

const modelNamed = (name: string): ListModel => sourceNamed(listResources(), name, "list resource");

export async function validateList(
  _session: Session,
  { type_name, config }: TypedConfigRequest,
): Promise<{ diagnostics: Diagnostic[] }> {
  const { model, attributes } = modelNamed(type_name);
  const { resource } = model.kind;
  const wanted = valuesIn(attributes, readObject(config));
  const issues = resource ? checkSelection(resources[resource], "many", wanted).issues : [];
  return { diagnostics: refusals(attributes, issues) };
}

/** @param cancelled aborts when the engine wants no more */
export async function* listResource(
  session: Session,
  { type_name, config, limit, include_resource_object }: ListRequest,
  cancelled: AbortSignal,
): AsyncGenerator<ListEvent, void> {
  const { model, attributes } = modelNamed(type_name);
  const warningsWith = (notes: Listed["notes"]): Diagnostic[] =>
    diagnosticsOf(attributes, { notes: [...session.takeWarnings(), ...notes] });
  try {
    const wanted = valuesIn(attributes, readObject(config));
    const { signal = cancelled, ...options } = session.reading();
    const found = session
      .needEngine()
      .list(model.kind, wanted, {
        ...options,
        signal: AbortSignal.any([signal, cancelled]),
        limit,
      });
    for await (const { state, notes } of found) {
      const diagnostic = warningsWith(notes);
      if (!state) yield { display_name: "", diagnostic };
      else {
        const whole = include_resource_object ? refusedOf(session, model, state) : [];
        const event = eventOf(model, state, include_resource_object);
        yield { ...event, diagnostic: [...diagnostic, ...whole] };
      }
    }
    const diagnostic = warningsWith([]);
    if (diagnostic.length > 0) yield { display_name: "", diagnostic };
  } catch (error) {
    if (cancelled.aborted) return;
    yield { display_name: "", diagnostic: session.tell(`Listing ${type_name}`, attributes, error) };
  }
}

/** The engines write a configuration of a whole object, which a plan may refuse. */
function refusedOf(
  session: Session,
  { kind, attributes }: ResourceModel,
  { id, values }: NonNullable<Listed["state"]>,
): Diagnostic[] {
  const { issues } = check(session.plainContract, kind, declaredInputs(kind, values));
  const subject = { kind: kind.name, id };
  const notes = issues.slice(0, 1).map((why) => message("not_declarable", { subject, why }));
  return diagnosticsOf(attributes, { notes });
}

/** The id tells apart what has the same name. */
function eventOf(
  model: ResourceModel,
  { id, values }: NonNullable<Listed["state"]>,
  isWhole: boolean,
): Omit<ListEvent, "diagnostic"> {
  const object = objectOf(model, id, values, { like: NAMELESS });
  const title = values["name"] ?? values["created_at"];
  return {
    identity: identityIn(model, object),
    display_name: visible(typeof title === "string" ? `${title} (${id})` : id),
    ...(isWhole && { resource_object: writeObject(object) }),
  };
}
