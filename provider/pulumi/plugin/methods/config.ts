/** The provider's configuration: checked before the run, compared, and taken. */
import { canonicalJson, InvalidInput, issueAt, type InputIssue } from "../../../contract";
import { message, sentence } from "../../../messages";
import { settings, variableOf, type Setting } from "../../../settings";
import { PULUMI_UNKNOWN } from "../../values";
import { checkFailures, pluginVoice } from "../../voice";
import {
  DiffChanges,
  DiffKind,
  type CheckRequest,
  type CheckResponse,
  type ConfigureRequest,
  type ConfigureResponse,
  type DiffRequest,
  type DiffResponse,
  type PropertyDiff,
} from "../messages.gen";
import { decode, encode } from "../values/property-values";
import { parseUrn } from "../values/tokens";
import type { Session } from "../session";

type Properties = Record<string, unknown>;

/** Members that Pulumi adds to the provider's own. */
const isPulumis = (key: string): boolean =>
  key === "version" || key === "pluginDownloadURL" || key.startsWith("__");

const secretSettings = Object.entries<Setting>(settings).flatMap(([key, { secret }]) =>
  secret === true ? [[key]] : [],
);

const perRunSettings = new Set(
  Object.entries<Setting>(settings).flatMap(([key, { perRun }]) => (perRun ? [key] : [])),
);
const isPerRun = (key: string): boolean => perRunSettings.has(key);

/** What a state may keep, and what is only true of a run or a machine. */
const split = (values: Properties) => {
  const entries = Object.entries(values);
  return {
    kept: Object.fromEntries(entries.filter(([key]) => !isPerRun(key))),
    forRun: Object.fromEntries(entries.filter(([key]) => isPerRun(key))),
  };
};

const hasUnknown = (value: unknown): boolean => JSON.stringify(value).includes(PULUMI_UNKNOWN);

/** Pulumi configures the process that it asked to check: what is for the run stays in between. */
export async function checkConfig(session: Session, request: CheckRequest): Promise<CheckResponse> {
  const { values, secrets } = decode(request.news);
  const issues = [
    ...unknownKeys(values),
    ...strangersKey(session, request.urn, values),
    ...(await faults(session, values)),
  ];
  const { kept, forRun } = split(values);
  session.givenForRun = forRun;
  return {
    inputs: encode(kept, [...secrets, ...secretSettings]),
    failures: checkFailures(pluginVoice, issues),
  };
}

const unknownKeys = (values: Properties): InputIssue[] =>
  Object.keys(values)
    .filter((key) => !isPulumis(key) && !Object.hasOwn(settings, key))
    .map((key) => issueAt([key], "unknown_setting", { known: Object.keys(settings) }));

/**
 * Of an explicit provider with an address of its own: the environment's key is for the environment's.
 * The default provider has the address of the stack, whose job has the key.
 */
function strangersKey(
  { surroundings }: Session,
  urn: string | undefined,
  values: Properties,
): InputIssue[] {
  const { baseUrl, apiKey } = values;
  const isSet = (value: unknown): boolean => value !== undefined && value !== "";
  const isDefault = urn === undefined || /^default(?:_|$)/.test(parseUrn(urn).name);
  if (isDefault || !isSet(baseUrl) || isSet(apiKey) || hasUnknown(baseUrl)) return [];
  const address = (value: unknown): string => String(value).trim().replace(/\/+$/, "");
  if (address(baseUrl) === address(surroundings.env[variableOf("baseUrl")])) return [];
  return [issueAt(["apiKey"], "provider_without_key", {})];
}

/** What opening the engine would refuse. A value that is not known yet is checked once it is known. */
async function faults(session: Session, values: Properties): Promise<readonly InputIssue[]> {
  if (hasUnknown(values)) return [];
  try {
    await session.tryConfigure(values);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.issues;
  }
}

/** Another account does not replace the provider: its resources stay, and the account guard refuses. */
export function diffConfig(_: Session, request: DiffRequest): DiffResponse {
  const olds = decode(request.olds).values;
  const news = decode(request.news).values;
  const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])].filter(
    (key) =>
      !isPulumis(key) && !isPerRun(key) && canonicalJson(olds[key]) !== canonicalJson(news[key]),
  );
  return {
    changes: keys.length > 0 ? DiffChanges.diff_some : DiffChanges.diff_none,
    diffs: keys,
    replaces: [],
    deleteBeforeReplace: false,
    hasDetailedDiff: true,
    detailedDiff: Object.fromEntries(
      keys.map((key): [string, PropertyDiff] => {
        const change =
          olds[key] === undefined ? "add" : news[key] === undefined ? "delete" : "update";
        return [key, { kind: DiffKind[change] }];
      }),
    ),
  };
}

/** A preview may not know all that a program gives. */
const knownOf = (values: Properties): Properties =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !hasUnknown(value)));

export function configure(session: Session, request: ConfigureRequest): ConfigureResponse {
  const { values } = decode(request.args);
  const issues = strangersKey(session, request.urn, values);
  if (issues.length > 0) throw new InvalidInput("configuration", issues);
  const { kept, forRun } = split(values);
  const ignored = Object.keys(forRun);
  if (ignored.length > 0) {
    const text = sentence(pluginVoice, message("settings_of_a_run", { names: ignored }));
    session.host.log({ severity: "info", text });
  }
  session.configure({ ...kept, ...knownOf(session.givenForRun) });
  session.beginPreflight();
  session.reference = request.urn && request.id ? `${request.urn}::${request.id}` : undefined;
  return { acceptSecrets: true, supportsPreview: true, supports_autonaming_configuration: true };
}
