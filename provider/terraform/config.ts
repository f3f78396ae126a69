/** The provider block: its arguments, and how they become settings. */
import { InvalidInput, issueAt, snake, type InputIssue } from "../contract";
import { describeSetting, isLoopback, settings, variableOf, type Setting } from "../settings";
import type { Attribute } from "./schema/model";
import { memberOf, toPlain } from "./values/values";
import type { RawObject } from "./wire/msgpack";

const TYPES: Readonly<Record<Setting["type"], Attribute["type"]>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "bool",
  strings: ["list", "string"],
};

const attributeOf = ([name, setting]: [string, Setting]): Attribute & { setting: string } => ({
  name: snake(name),
  setting: name,
  type: TYPES[setting.type],
  doc: `${describeSetting(setting)} Environment variable: \`${variableOf(name)}\`.`,
  mode: "optional",
  ...(setting.secret ? { sensitive: true } : { example: setting.example }),
});

/** Arguments of `provider "erphost"`, all optional. */
export const providerArguments: readonly (Attribute & { readonly setting: string })[] =
  Object.entries<Setting>(settings).map(attributeOf);

export interface ReadConfig {
  /** Settings by their own names. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Settings whose value is not known yet. */
  readonly unknown: readonly string[];
  /** Of settings that would be read as if they were not given. */
  readonly issues: readonly InputIssue[];
}

/** Reads a provider block. What the environment may add is checked when the engine is opened. */
export function readConfig(raw: RawObject | null): ReadConfig {
  const given: Record<string, unknown> = {};
  const unknown: string[] = [];
  const issues: InputIssue[] = [];
  for (const { name, setting, type } of providerArguments) {
    const value = toPlain(type, memberOf(raw, name));
    if (value === undefined) continue;
    // Which account it is must not depend on what else the environment holds.
    const decides = settings[setting as keyof typeof settings].required === true;
    if (decides && typeof value === "string" && value.trim() === "") {
      issues.push(issueAt([name], "blank_setting", { variable: variableOf(setting) }));
    } else if (holdsSymbol(value)) unknown.push(setting);
    else given[setting] = value;
  }
  return { given, unknown, issues };
}

/**
 * The environment's key is for the environment's address, or for an emulator of this machine.
 * @throws InvalidInput where it would go to another one
 */
export function assertOwnKey({ apiKey, baseUrl }: ReadConfig["given"], ofEnv = ""): void {
  const address = (text: string): string => text.trim().replace(/\/+$/, "");
  if (apiKey !== undefined || typeof baseUrl !== "string" || address(ofEnv) === "") return;
  if (address(ofEnv) === address(baseUrl) || isLoopback(new URL(baseUrl).hostname)) return;
  throw new InvalidInput("provider", [issueAt(["apiKey"], "provider_without_key", {})]);
}

const holdsSymbol = (value: unknown): boolean =>
  typeof value === "symbol" || (Array.isArray(value) && value.some(holdsSymbol));

/** An issue of a setting at the argument it comes from, or of the environment's variable. */
export const ofArgument = (issue: InputIssue): InputIssue => ({
  ...issue,
  path: issue.path.map((part, index) =>
    index === 0 && part in settings ? snake(String(part)) : part,
  ),
});
