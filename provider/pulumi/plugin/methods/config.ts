/** The provider's configuration: checked before the run, compared, and taken. */
import { canonicalJson, InvalidInput, issueAt, type InputIssue } from "../../../contract";
import { settings, type Setting } from "../../../settings";
import { PULUMI_UNKNOWN } from "../../values";
import { pluginVoice, propertyFailure } from "../../voice";
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
import type { Session } from "../session";

type Properties = Record<string, unknown>;

/** Members that Pulumi adds to the provider's own. */
const isPulumis = (key: string): boolean =>
  key === "version" || key === "pluginDownloadURL" || key.startsWith("__");

const secretSettings = Object.entries<Setting>(settings).flatMap(([key, { secret }]) =>
  secret === true ? [[key]] : [],
);

export async function checkConfig(session: Session, request: CheckRequest): Promise<CheckResponse> {
  const { values, secrets } = decode(request.news);
  const issues = [...unknownKeys(values), ...(await faults(session, values))];
  return {
    inputs: encode(values, [...secrets, ...secretSettings]),
    failures: issues.map((issue) => propertyFailure(pluginVoice, issue, { fields: settings })),
  };
}

const unknownKeys = (values: Properties): InputIssue[] =>
  Object.keys(values)
    .filter((key) => !isPulumis(key) && !Object.hasOwn(settings, key))
    .map((key) => issueAt([key], "unknown_setting", { known: Object.keys(settings) }));

/** What opening the engine would refuse. A value that is not known yet is checked once it is known. */
async function faults(session: Session, values: Properties): Promise<readonly InputIssue[]> {
  if (JSON.stringify(values).includes(PULUMI_UNKNOWN)) return [];
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
    (key) => !isPulumis(key) && canonicalJson(olds[key]) !== canonicalJson(news[key]),
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

export function configure(session: Session, request: ConfigureRequest): ConfigureResponse {
  session.configure(decode(request.args).values);
  session.beginPreflight();
  session.reference = request.urn && request.id ? `${request.urn}::${request.id}` : undefined;
  return { acceptSecrets: true, supportsPreview: true, supports_autonaming_configuration: true };
}
