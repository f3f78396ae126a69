/** A program's inputs before anything is planned: what is wrong with them, and default names. */
import { camel, type Values } from "../../../contract";
import { checkDeclared } from "../../../engine";
import type { Kind } from "../../../resources";
import { fromPulumi, PULUMI_UNKNOWN, strangeInputs } from "../../values";
import { checkFailures, pluginVoice } from "../../voice";
import type { CheckRequest, CheckResponse } from "../messages.gen";
import type { Session } from "../session";
import { autoname, isNamed } from "../values/autoname";
import { decode, encode, secretFields } from "../values/property-values";
import { parseUrn } from "../values/tokens";

/** Failures say which property and why; secret inputs come back marked as such. */
export async function check(session: Session, request: CheckRequest): Promise<CheckResponse> {
  const call = session.resource(request.urn);
  const { kind } = call;
  const olds = decode(request.olds).values;
  const { values, secrets } = decode(request.news);
  const declared = withName(kind, request, olds, values);
  // Before a replacement Pulumi asks again without olds, although there is an object.
  const hasState = Object.keys(olds).length > 0 ? true : undefined;
  session.protects.noteInputs(request.urn, fromPulumi(kind, olds), session.engine);
  const program = fromPulumi(kind, declared);
  const seen = await call.observe({ declared: program, hasState });
  const { inputs, issues } = checkDeclared(seen, program);
  session.refreshed.delete(request.urn);
  const kept = new Set(Object.keys(inputs).map(camel));
  const clean = Object.fromEntries(Object.entries(declared).filter(([key]) => kept.has(key)));
  // Not every language marks what the schema calls secret, and Pulumi stores these as they are.
  const whole = secretFields(kind);
  const others = secrets.filter(([head]) => whole.every(([field]) => field !== head));
  return {
    inputs: encode(clean, [...others, ...whole]),
    failures: checkFailures(pluginVoice, [...strangeInputs(kind, values), ...issues], kind.name),
  };
}

/** A kind with a name gets one where the program gives none; an object keeps the one it has. */
function withName(kind: Kind, request: CheckRequest, olds: Values, news: Values): Values {
  const { name: declared } = news;
  if (!isNamed(kind) || (declared !== undefined && declared !== null)) return news;
  const { name: old } = olds;
  if (typeof old === "string" && old !== PULUMI_UNKNOWN) return { ...news, name: old };
  const name = autoname(parseUrn(request.urn).name, {
    randomSeed: request.random_seed,
    proposed: request.autonaming,
  });
  return name === undefined ? news : { ...news, name };
}
