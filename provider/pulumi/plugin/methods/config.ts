/** The provider's configuration: checked before the run, compared, and taken. */
import { canonicalJson, InvalidInput, isRecord, issueAt, jsonOf } from "../../../contract";
import type { InputIssue } from "../../../contract";
import { message, sentence, type Message } from "../../../messages";
import { settings, variableOf, type Setting } from "../../../settings";
import { isSet, isPulumis, unknownSettings } from "../../settings";
import { PULUMI_UNKNOWN } from "../../values";
import { checkFailures, pluginVoice, providerVoice } from "../../voice";
import { DiffChanges, DiffKind } from "../messages.gen";
import type { CheckRequest, CheckResponse, ConfigureRequest } from "../messages.gen";
import type { ConfigureResponse, DiffRequest, DiffResponse, PropertyDiff } from "../messages.gen";
import { decode, encode } from "../values/property-values";
import { parseUrn } from "../values/tokens";
import type { Session } from "../session";

type Properties = Record<string, unknown>;

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

/** What the stack itself configures: Pulumi starts each process of a provider with it. */
function stackOf({ surroundings: { env } }: Session): Properties | undefined {
  const given = jsonOf(env["PULUMI_CONFIG"]);
  return isRecord(given) ? given : undefined;
}

/** Pulumi's name of a provider that no program declares: a version and an address may follow. */
const isDefault = (urn: string | undefined): boolean =>
  urn === undefined || /^default(?:$|_\d+_\d+_\d+|_\w+_\/)/.test(parseUrn(urn).name);

/** Pulumi configures the process that it asked to check: what is for the run stays in between. */
export async function checkConfig(session: Session, request: CheckRequest): Promise<CheckResponse> {
  const { values, secrets } = decode(request.news);
  const stack = stackOf(session);
  const isDefaults = isDefault(request.urn);
  const issues = [
    ...unknownSettings(Object.keys(values)),
    // A program may use Pulumi's name for a provider of its own.
    ...(isDefaults && stack === undefined ? [] : strangersKey(session, values)),
    ...(await faults(session, values)),
  ];
  const { kept, forRun } = split(values);
  session.givenForRun = forRun;
  const names = isDefaults ? [] : Object.keys(forRun);
  if (names.length > 0) report(session, "warning", message("settings_of_a_program", { names }));
  return {
    inputs: encode(kept, [...secrets, ...secretSettings]),
    failures: checkFailures(pluginVoice, issues),
  };
}

/** The environment's key is for the address of the environment, and for that of the stack, whose job has it. */
function strangersKey(session: Session, { baseUrl, apiKey }: Properties): InputIssue[] {
  if (!isSet(baseUrl) || isSet(apiKey) || hasUnknown(baseUrl)) return [];
  const address = (value: unknown): string => String(value).trim().replace(/\/+$/, "");
  const { baseUrl: ofStack, apiKey: stacksKey } = stackOf(session) ?? {};
  const ours = [session.surroundings.env[variableOf("baseUrl")], isSet(stacksKey) ? "" : ofStack];
  if (ours.map(address).includes(address(baseUrl))) return [];
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

const report = ({ host }: Session, severity: "info" | "warning", said: Message): void =>
  host.log({ severity, text: sentence(pluginVoice, said) });

export function configure(session: Session, request: ConfigureRequest): ConfigureResponse {
  const { values } = decode(request.args);
  const isDefaults = isDefault(request.urn);
  // A state may have the stack's address of an earlier run.
  const issues = isDefaults ? [] : strangersKey(session, values);
  if (issues.length > 0) throw new InvalidInput("configuration", issues);
  const { kept, forRun } = split(values);
  if (request.urn && !isDefaults) session.voice = providerVoice(parseUrn(request.urn).name, kept);
  const names = Object.keys(forRun);
  if (names.length > 0) report(session, "info", message("settings_of_a_run", { names }));
  // With a refresh Pulumi configures from the state alone, and asks no such process for a check.
  const ofStack = isDefaults ? split(stackOf(session) ?? {}).forRun : {};
  session.configure({ ...kept, ...ofStack, ...knownOf(session.givenForRun) });
  session.beginPreflight();
  session.reference = request.urn && request.id ? `${request.urn}::${request.id}` : undefined;
  return { acceptSecrets: true, supportsPreview: true, supports_autonaming_configuration: true };
}
