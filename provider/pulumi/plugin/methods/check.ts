/** Inputs of a program before anything is planned: names that were left out, and what is wrong. */
import { camel } from "../../../contract";
import { say } from "../../../messages";
import type { Kind } from "../../../resources";
import { fromPulumi, PULUMI_UNKNOWN } from "../../values";
import { about } from "../../voice";
import { voice } from "../voice";
import { autoname, isNamed } from "../values/autoname";
import type { CheckFailure, CheckRequest, CheckResponse } from "../messages";
import { pathText, pulumiPathOf } from "../values/paths";
import { decode, encode, foreignPaths } from "../values/property-values";
import type { Session } from "../session";
import { secretFields } from "../values/state";
import { parseUrn } from "../values/tokens";

/** Failures say which property and why; secret inputs come back marked as such. */
export function check(session: Session, request: CheckRequest): CheckResponse {
  const subject = session.subject(request.urn);
  const { kind, engine } = subject;
  const olds = decode(request.olds).values;
  const { values, secrets } = decode(request.news);
  const given = named(kind, request, olds, values);
  // Replacing, Pulumi asks again without olds: that must not unsay that there is an object.
  const known = Object.keys(olds).length > 0 ? true : undefined;
  const { inputs, issues } = engine.check(kind, fromPulumi(kind, given), subject.urn, known);
  const kept = new Set(Object.keys(inputs).map(camel));
  const clean = Object.fromEntries(Object.entries(given).filter(([key]) => kept.has(key)));
  // Not every language marks what the schema calls secret, and Pulumi stores these as they are.
  const whole = secretFields(kind);
  const others = secrets.filter(([head]) => whole.every(([field]) => field !== head));
  return {
    inputs: encode(clean, [...others, ...whole]),
    failures: [
      ...foreignPaths(values).map((path) => ({
        property: pathText(path),
        reason:
          "is an asset, an archive or a resource, which the service can't hold; give its text",
      })),
      ...issues.map((issue): CheckFailure => ({
        property: pathText(pulumiPathOf(kind, issue.path)),
        reason: say(voice, about(kind, issue)).reason,
      })),
    ],
  };
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
  const name = autoname(parseUrn(request.urn).name, {
    randomSeed: request.random_seed,
    proposed: request.autonaming,
  });
  return name === undefined ? news : { ...news, name };
}
