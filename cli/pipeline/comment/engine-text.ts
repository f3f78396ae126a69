/** What an engine prints, made fit for a comment: without secrets, and without anything but text. */
import { unescape } from "node:querystring";
import { stripVTControlCharacters } from "node:util";
import { withoutCommands } from "../tools/process";
import { isNamedSecret, isRecord, jsonIn, jsonOf } from "../../../provider/contract";
import { maskSecrets, secretNames, type Values } from "../../../provider/contract";
import type { Hide } from "../../../provider/plans";

const MASK = "(secret)";
/** Such values are words of everybody's, and masking them would spoil the rest. */
const HARMLESS = /^(?:.{0,3}|true|false|null)$/;
const DEPTH_MAX = 64;
/** No value that is masked is shorter. */
const START_LENGTH = 3;

/** Values that an engine's plan in JSON calls sensitive, or that look like secrets by their names. */
export function sensitiveValues(json: string): ReadonlySet<string> {
  const found = new Set<string>();
  // Whoever reads the plan says where it is none.
  const plan = jsonOf(json);
  visit(plan, found, 0);
  if (isRecord(plan)) addVariables(plan, found);
  return found;
}

/** Names of more variables that are secret, such as all those of the action's secret. */
const HIDDEN_VARIABLES = "ERPHOST_HIDDEN_VARIABLES";

/** Values of variables that are secret or look like it: an engine's error may repeat them. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): ReadonlySet<string> {
  const found = new Set<string>();
  const named = env[HIDDEN_VARIABLES]?.split(/\s+/) ?? [];
  for (const name of [...named, ...secretNames(env)]) {
    const value = env[name] ?? null;
    // A driver's error names the password of an address by itself.
    const password = URL.parse(value ?? "")?.password ?? "";
    addTexts([value, password, unescape(password)], found, 0);
  }
  return found;
}

function visit(value: unknown, found: Set<string>, depth: number): void {
  if (typeof value === "string") return visit(jsonIn(value), found, depth + 1);
  if (depth > DEPTH_MAX || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) visit(each, found, depth + 1);
    return;
  }
  const values: Values = { ...value };
  for (const [name, inner] of Object.entries(values)) {
    const of = SIDES.find(([marks]) => marks === name)?.[1];
    if (of === undefined && !NAMES_ALONE.has(name)) visit(inner, found, depth + 1);
    else if (of !== undefined) addMarked(values[of], inner, found, depth);
  }
  if (values["sensitive"] === true) addTexts(values["value"], found, depth);
  // By their names alone: what has the form of a secret is found in the text itself.
  for (const [name, inner] of Object.entries(values)) {
    if (name !== OPEN_NAME && isNamedSecret(values, name)) addTexts(valuesOf(inner), found, depth);
  }
}

/** Of ours: it tells declarations apart, and is no more secret than their names. */
const OPEN_NAME = "idempotency_token";

/** Outputs are named as programs name them; what a plan says of one besides its values is open. */
function valuesOf(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { actions, before, after, sensitive, type, value: inner } = value;
  if (Array.isArray(actions) && ("before" in value || "after" in value)) return [before, after];
  return typeof sensitive === "boolean" && type !== undefined ? inner : value;
}

/** Members of a plan that say which values of another member are sensitive. */
const SIDES = [
  ["before_sensitive", "before"],
  ["after_sensitive", "after"],
  ["config_sensitive", "config_values"],
  ["sensitive_values", "values"],
] as const;
const CONFIGURATION = "configuration";
/** They have names of values, and no values. */
const NAMES_ALONE = new Set([CONFIGURATION, "detailedDiff", "propertyDependencies"]);

function addMarked(values: unknown, marks: unknown, found: Set<string>, depth: number): void {
  if (marks === true) addTexts(values, found, depth);
  if (depth > DEPTH_MAX || typeof marks !== "object" || marks === null) return;
  for (const [name, mark] of Object.entries(marks)) {
    // Lists as well: their indexes are names.
    const inner: Values = typeof values === "object" && values !== null ? { ...values } : {};
    addMarked(inner[name], mark, found, depth + 1);
  }
}

/** The configuration says which of a program's variables are sensitive. */
function addVariables(plan: Values, found: Set<string>): void {
  const { variables, [CONFIGURATION]: configuration } = plan;
  const root = isRecord(configuration) ? configuration["root_module"] : undefined;
  const declared = isRecord(root) ? root["variables"] : undefined;
  if (!isRecord(variables) || !isRecord(declared)) return;
  for (const [name, variable] of Object.entries(variables)) {
    const of = declared[name];
    if (isRecord(of) && of["sensitive"] === true) addTexts(variable, found, 0);
  }
}

function addTexts(value: unknown, found: Set<string>, depth: number): void {
  if (depth > DEPTH_MAX || value === null) return;
  if (typeof value === "object") {
    for (const each of Object.values(value)) addTexts(each, found, depth + 1);
    return;
  }
  if (typeof value !== "string" && typeof value !== "number") return;
  // An engine prints a text of several lines line by line, or with its breaks written out.
  for (const one of [String(value), ...String(value).split(/\r?\n/)]) {
    for (const form of formsOf(one.trim())) if (!HARMLESS.test(form)) found.add(form);
  }
}

/** A text as programs write it: in JSON, in JSON within JSON, in an address, and in base64. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  // As Go writes JSON, and as a program in HCL has `${` as a text.
  const html = json.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  const escaped = [json, html].flatMap((each) => [each, JSON.stringify(each).slice(1, -1)]);
  const templates = [text, ...escaped].flatMap((one) => [one, one.replace(/[$%](?={)/g, "$&$&")]);
  const address = encodeURIComponent(text.toWellFormed());
  return HARMLESS.test(text) ? [] : [...templates, address, ...inBase64(text)];
}

/** What a text is in base64, by itself or within a longer one: the characters that are its own. */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  const within = [0, 1, 2].flatMap((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const own = all.slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    );
    return own.length < BASE64_LENGTH_MIN ? [] : [own];
  });
  return [bytes.toString("base64"), ...within].flatMap((each) => [
    each,
    each.replaceAll("+", "-").replaceAll("/", "_"),
  ]);
}

/** Shorter pieces may be a part of any text. */
const BASE64_LENGTH_MIN = 6;

/** What engines put in the place of values, which is none. */
const PLACEHOLDERS =
  /\((?:write-only attribute|sensitive value|sensitive|known after apply|create|update|delete|replace|same|read|refresh|import|create-replacement|delete-replaced)\)/g;

/** Masks these values wherever they are. What finds them is kept until the set has grown. */
export function hidingValues(values: ReadonlySet<string>): Hide {
  const found = hiding.get(values);
  if (found?.count === values.size) return found.hide;
  const hide = newHide(values);
  hiding.set(values, { count: values.size, hide });
  return hide;
}

/** A job masks each of its lines. */
const hiding = new WeakMap<ReadonlySet<string>, { readonly count: number; readonly hide: Hide }>();

function newHide(values: ReadonlySet<string>): Hide {
  const byStart = Map.groupBy([...values].map(onOneLine), (value) => value.slice(0, START_LENGTH));
  // Most places of a text begin none, which is found without a piece of text for each.
  const isStart = new Uint8Array(2 ** 16);
  for (const start of byStart.keys()) isStart[hashAt(start, 0)] = 1;
  const hidden = (whole: string): string => {
    const text = onOneLine(whole);
    const parts: string[] = [];
    let end = 0;
    for (let at = 0; at < text.length && byStart.size > 0; at += 1) {
      if (isStart[hashAt(text, at)] !== 1) continue;
      for (const value of byStart.get(text.slice(at, at + START_LENGTH)) ?? []) {
        if (at + value.length <= end || !text.startsWith(value, at)) continue;
        if (at >= end) parts.push(whole.slice(end, at), MASK);
        end = at + value.length;
      }
    }
    return parts.join("") + whole.slice(end);
  };
  const shown = (part: string, index: number): string => (index % 2 === 1 ? part : hidden(part));
  return (text) => text.split(ACCEPTABLE).map(shown).join("");
}

/** As long as before: engines break the lines of an error between words, which a value may have. */
const onOneLine = (text: string): string => text.replace(/\s/g, " ");
/** The way on from a refusal is whole, whatever short value its digits may hold. */
const ACCEPTABLE = /((?<=--accept )[0-9a-f]{64})/;

const hashAt = (text: string, at: number): number =>
  (text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 5) ^ (text.charCodeAt(at + 2) << 10)) & 0xffff;

/** The text of an engine without secrets: these values wherever they are, and what looks like one. */
export function masked(text: string, values: ReadonlySet<string>): string {
  let left = hidingValues(values)(stripVTControlCharacters(text));
  const placeholders = left.match(PLACEHOLDERS) ?? [];
  // As a word that no list of secrets takes for a value, with a mark of nobody's behind it.
  left = left.replace(/\uE000/g, "\uFFFD").replace(PLACEHOLDERS, "null\uE000");
  return maskSecrets(left, MASK).replace(/null\uE000/g, () => placeholders.shift() ?? MASK);
}

/**
 * Lines in a fence that is longer than any in them. Nothing in them ends a block, notifies anybody,
 * marks a part of the comment, or is a command to the runner of a job.
 */
export function fenced(text: string): string[] {
  const plain = withoutCommands(text.trimEnd())
    // Line breaks and tabs are text; whatever else controls a terminal or the direction of text is not.
    .replace(/\r\n/g, "\n")
    .replace(/[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, "\uFFFD")
    .replace(/<(?=[/!])/g, "< ")
    .replace(/@(?=[\w-])/g, "@ ");
  const runs = [...plain.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return [`${fence}text`, ...plain.split("\n"), fence];
}

/** A block that a reader opens. Its begin and its end have as many lines as a comment keeps. */
export const folded = (title: string, lines: readonly string[]): string =>
  [`<details><summary>${title}</summary>`, "", ...lines, "", "</details>"].join("\n");

/** The engine's plan in a fold; nothing where there is none. */
export const engineFold = (text: string): string =>
  text.trim() === "" ? "" : folded("The plan as the engine shows it", fenced(text));
