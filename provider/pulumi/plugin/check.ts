/** Inputs of a program before anything is planned: names that were left out, and what is wrong. */
import type { CheckRequest } from "@pulumi/pulumi/proto/provider_pb";
import { CheckFailure, CheckResponse } from "@pulumi/pulumi/proto/provider_pb";
import { camel } from "../../contract";
import type { Kind } from "../../resources";
import { fromPulumi, PULUMI_UNKNOWN, speak } from "../values";
import { autoname, isNamed } from "./autoname";
import { pathText, pulumiPathOf } from "./paths";
import { decode, encode } from "./property-values";
import type { Session } from "./session";
import { secretFields } from "./state";
import { parseUrn } from "./tokens";

/** Failures say which property and why; secret inputs come back marked as such. */
export function check(session: Session, request: CheckRequest): CheckResponse {
  const subject = session.subject(request.getUrn());
  const { kind, engine } = subject;
  const olds = decode(request.getOlds()).values;
  const { values, secrets } = decode(request.getNews());
  const given = named(kind, request, olds, values);
  // Replacing, Pulumi asks again without olds: that must not unsay that there is an object.
  const known = Object.keys(olds).length > 0 ? true : undefined;
  const { inputs, issues } = engine.check(kind, fromPulumi(kind, given), subject.urn, known);
  const kept = new Set(Object.keys(inputs).map(camel));
  const clean = Object.fromEntries(Object.entries(given).filter(([key]) => kept.has(key)));
  const response = new CheckResponse();
  // Not every language marks what the schema calls secret, and Pulumi stores these as they are.
  const whole = secretFields(kind);
  const others = secrets.filter(([head]) => whole.every(([field]) => field !== head));
  response.setInputs(encode(clean, [...others, ...whole]));
  response.setFailuresList(
    issues.map(({ path, message }) =>
      failure(pathText(pulumiPathOf(kind, path)), speak(kind, message)),
    ),
  );
  return response;
}

export function failure(property: string, reason: string): CheckFailure {
  const made = new CheckFailure();
  made.setProperty(property);
  made.setReason(reason);
  return made;
}

/** A kind with a name gets one where the program gives none; an object keeps the one it has. */
function named(
  kind: Kind,
  request: CheckRequest,
  olds: Record<string, unknown>,
  news: Record<string, unknown>,
): Record<string, unknown> {
  const given = news["name"];
  if (!isNamed(kind) || (given !== undefined && given !== null)) return news;
  const old = olds["name"];
  if (typeof old === "string" && old !== PULUMI_UNKNOWN) return { ...news, name: old };
  const options = request.getAutonaming();
  const name = autoname(parseUrn(request.getUrn()).name, {
    randomSeed: request.getRandomseed_asU8(),
    ...(options && { proposed: { name: options.getProposedName(), mode: options.getMode() } }),
  });
  return name === undefined ? news : { ...news, name };
}
