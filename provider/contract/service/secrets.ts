/**
 * What looks like a secret: the one list for all that erphost writes, prints and logs of values whose
 * meaning it does not know. A guess: a secret that has neither a name nor a form is not found.
 */
import { SERVICE_KEY } from "../../messages";
import { isRecord, jsonIn, type Values } from "../definition/values";

/** Names that mean a secret wherever they stand, in a text as well: `DB_PASSWORD=…`. */
const NAMES = [
  /pass(?:word|phrase|wd)|(?:^|[_.-])pass$|pwd|secret(?!ar)|token$|credential|authorization|cookie$/i,
  /[_.-]key$|apikey$/i,
  /[a-z]Key$/,
];

/** Names that mean one as the name of a field. In a text they would hide what is only spoken of. */
const FIELD_NAMES = [
  /pass|secret|token|bearer|cookie|private|licen[cs]e|auth[_-]?header|connection[_-]?string|otp[_-]?seed/i,
  /(?:^|[_-])(?:key|auth|pin|otp|session|pw|creds|dsn|jwt|sas)$/i,
  /[a-z](?:Pw|Creds|Dsn|Jwt|Sas)$/,
  ...NAMES,
];

/** Beginnings that a vendor gives to nothing else, with what follows. */
const TOKENS = [
  ...["gh[pousr]_[A-Za-z0-9]{10,}", String.raw`github_pat_\w{10,}`],
  String.raw`gl(?:pat|dt|rt|rtr|ptt|ft|cbt|imt|oas|soat|ffct|agent|wt)-[\w.-]{10,}`,
  ...["A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])", String.raw`AIza[\w-]{30,}`],
  ...[String.raw`ya29\.[\w-]{20,}`, String.raw`GOCSPX-[\w-]{16,}`, String.raw`xapp-[\w-]{10,}`],
  ...[String.raw`xox[a-z](?:\.xox[a-z])?-[\w-]{10,}`, "whsec_[A-Za-z0-9+/=_-]{10,}"],
  ...["npm_[A-Za-z0-9]{20,}", String.raw`pypi-(?:AgE[\w-]{8,}|[\w-]{40,})`, "hf_[A-Za-z0-9]{20,}"],
  ...["do[opr]_v1_[A-Za-z0-9]{10,}", String.raw`(?<![\w-])sk-(?=[\w-]{0,99}\d)[\w-]{20,}`],
  ...[String.raw`dckr_[po]at_[\w-]{10,}`, String.raw`hv[sbr]\.[\w-]{20,}`, "pul-[0-9a-f]{40}"],
  ...["dapi[0-9a-f]{32}", "shp(?:at|ca|pa|ss)_[A-Za-z0-9]{10,}", String.raw`glsa_\w{10,}`],
  ...[String.raw`ATATT3x[\w=-]{10,}`, "lin_api_[A-Za-z0-9]{10,}", String.raw`xkeysib-[\w-]{10,}`],
  ...[String.raw`GR1348941[\w-]{10,}`, String.raw`(?<=hooks\.slack\.com/services/)[\w/-]{10,}`],
  ...[String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`, String.raw`[A-Za-z0-9]{14}\.atlasv1\.[\w-]{20,}`],
  ...[String.raw`AGE-(?:SECRET-KEY|PLUGIN)-[A-Z0-9-]{8,}`],
  // A JSON Web Token: three parts, the first of which is JSON. That of an unsigned one ends in a point.
  String.raw`(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
];

/**
 * Forms of secrets; the part of a text that matches is one. Each begins where a word or a mark does,
 * and what precedes its decisive part is short: no text makes the time grow with its square.
 */
const FORMS = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?:[^]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z -]{0,20}|[^]*)/g,
  new RegExp(`(?<![A-Za-z0-9])(?:${TOKENS.join("|")})`, "g"),
  SERVICE_KEY,
  /(?<=\/\/[^/\s@:]{0,128}:)[^/\s@]+(?=@)/g,
  // Something else than a word: "the bearer of news" and "a basic subscription" stay as they are.
  /(?<=\b(?:bearer|basic)\s{1,4})(?=[a-z0-9+/=._~-]{0,64}[0-9+/=_~]|[a-z._-]{20})[a-z0-9+/=._~-]{6,}/gi,
];

/** Between a name, its sign and a value; within quotes a tab may be two characters. */
const GAP = String.raw`(?:[ \t]|\\t){0,32}`;

/**
 * A sign between a name and its value, in a shell, JSON, YAML, a connection string or a header, or
 * the space between an option and its value.
 */
const SIGN = new RegExp(
  [
    String.raw`(?=[=:])(?<=([\w.-]{1,64})[\\"'\])]{0,8}${GAP})(?:={1,3}>?|:=|:(?!:))${GAP}`,
    String.raw`(?=[ \t])(?<=--([\w.-]{1,62})(?<!-(?:file|path|stdin)))[ \t]{1,32}(?=[^\s=:-])`,
  ].join("|"),
  "g",
);
const VALUE =
  /\\{0,8}(?:"[^"\n]{1,1024}"|'[^'\n]{1,1024}'|["'`]?[^\s"'`&;<>\p{C}]*[^\s"'`&;<>\p{C},.)\]}])/uy;
/** Headers have more than one word: `Authorization: Digest username=…`. */
const LINE = /[^\r\n"']+/y;
const LINE_NAME = /(?:authorization|cookie)$/i;

/** What follows such a sign where a secret is only spoken of: `password: must have 12 characters`. */
const WORD =
  /^[\\"'`]{0,4}(?:an?|and|are|as|at|by|can(?:not)?|did|does|empty|expected|expired|false|for|from|given|had|has|have|if|in|invalid|is|its?|may|missing|must|needs?|never|nil|no|none|not|null|of|on|only|optional|or|required|revoked|see|set|should|that|the|this|to|too|true|undefined|unknown|unset|use|was|when|where|which|who|whose|will|with|wrong|yes|\*+|\.{3}|\u2026|\$\{?[\w.]{0,64}\}?|\{\{[\w .-]{0,64}\}\})[\\"'`]{0,4}$/i;

/**
 * The text with all that looks like a secret replaced: forms first, then `password=…` and `token: …`,
 * bound to one pass: what was looked at as a value is not looked at again.
 */
export function maskSecrets(given: string, mask: string): string {
  let text = given;
  for (const form of FORMS) text = text.replace(form, () => mask);
  const parts: string[] = [];
  let end = 0;
  for (const sign of text.matchAll(SIGN)) {
    const [matched, field, option = ""] = sign;
    const name = field ?? option;
    const start = sign.index + matched.length;
    if (start < end || !NAMES.some((each) => each.test(name))) continue;
    if (mask !== "" && text.startsWith(mask, start)) continue;
    const value = valueAt(text, start, name, matched === ":");
    if (value === undefined) continue;
    parts.push(text.slice(end, start), mask);
    end = start + value.length;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(end);
}

/** Undefined: none that could be a secret. @param isTight whether a colon stands right before it */
function valueAt(text: string, start: number, name: string, isTight: boolean): string | undefined {
  // `random:index/randomPassword:RandomPassword` is a type.
  if (isTight && !/^\S{0,31}["'\d!#$%^&*+=?~]/.test(text.slice(start, start + 32)))
    return undefined;
  VALUE.lastIndex = start;
  const [value] = VALUE.exec(text) ?? [];
  if (value === undefined || value.length < VALUE_LENGTH_MIN || WORD.test(value)) return undefined;
  LINE.lastIndex = start;
  return LINE_NAME.test(name) ? (LINE.exec(text)?.[0] ?? value) : value;
}

const VALUE_LENGTH_MIN = 3;

/** No person nests deeper, and what is there was not looked at. */
const DEPTH_MAX = 64;

/** Free fields that look like a secret, by a name in them or by what one of their texts holds. */
export const secretNames = (values: Values): string[] =>
  Object.keys(values).filter((name) => isSecret(meantBy(values, name), values[name], 0));

/** Whether a member is one by its name alone, whatever it holds. */
export const isNamedSecret = (values: Values, member: string): boolean =>
  isSecret(meantBy(values, member), undefined, 0);

/** What says what a member is: of `{ name: "DB_PASSWORD", value: "…" }` the value is a password. */
function meantBy(values: Values, member: string): string {
  if (!/^value$/i.test(member)) return member;
  const names = Object.keys(values).filter((each) => /^(?:name|key)$/i.test(each));
  const named = (each: unknown): each is string => typeof each === "string" && meansSecret(each);
  return names.map((each) => values[each]).find(named) ?? member;
}

/** The others; undefined: none. Which fields a program will call secret is unknown here. */
export function openProperties(properties: Values): Values | undefined {
  const hidden = new Set(secretNames(properties));
  const open = Object.entries(properties).filter(([name]) => !hidden.has(name));
  return open.length === 0 ? undefined : Object.fromEntries(open);
}

function meansSecret(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const means = FIELD_NAMES.some((each) => each.test(name));
  if (judged.size < JUDGED_MAX && name.length <= JUDGED_LENGTH_MAX) judged.set(name, means);
  return means;
}

/** Names come again and again. */
const judged = new Map<string, boolean>();
const JUDGED_MAX = 1_000;
const JUDGED_LENGTH_MAX = 64;

/** A name without a digit is not a token: `load_test_enabled` only begins like a key of the service. */
const isSecret = (name: string, value: unknown, depth: number): boolean =>
  meansSecret(name) || (/\d/.test(name) && holdsSecret(name, depth)) || holdsSecret(value, depth);

function holdsSecret(value: unknown, depth: number): boolean {
  if (typeof value === "string") {
    return value !== "" && (maskSecrets(value, "") !== value || holdsInJson(value, depth));
  }
  if (typeof value !== "object" || value === null) return false;
  if (depth >= DEPTH_MAX) return true;
  if (Array.isArray(value)) return value.some((each) => holdsSecret(each, depth + 1));
  return (
    isRecord(value) &&
    Object.entries(value).some(([name, inner]) => isSecret(meantBy(value, name), inner, depth + 1))
  );
}

const holdsInJson = (text: string, depth: number): boolean => holdsSecret(jsonIn(text), depth + 1);

/** Words, ids of the service and times: texts without a secret, found fast. */
const HARMLESS = /^(?:[a-z]{0,20}(?:[ _-]?\d{1,9})?|\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)$/;
/** What one secret and the name before it take at most, so that none is cut before it is found. */
const MARGIN = 4_096;

export interface Hiding {
  /** What stands in place of a secret. */
  readonly mask: string;
  /** Characters that are looked at; what comes later is left out. */
  readonly lengthMax: number;
  /** Names of objects that are looked into although they read like a secret's. */
  readonly open?: ReadonlySet<string> | undefined;
}

/** The JSON text of a value without what looks like a secret. */
export const hiddenJson = (value: unknown, hiding: Hiding): string =>
  JSON.stringify(new Hider(hiding).shown(value, 0));

class Hider {
  private left: number;

  constructor(private readonly hiding: Hiding) {
    this.left = hiding.lengthMax;
  }

  shown(value: unknown, depth: number): unknown {
    this.left -= 4;
    if (typeof value === "string") return this.text(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= DEPTH_MAX) return this.hiding.mask;
    if (Array.isArray(value)) {
      return value.flatMap((each) => (this.isFull() ? [] : [this.shown(each, depth + 1)]));
    }
    const values: Values = { ...value };
    const entries = Object.entries(values).flatMap(([name, inner]) =>
      this.isFull()
        ? []
        : [[this.name(name), this.member(meantBy(values, name), inner, depth)] as const],
    );
    return Object.fromEntries(entries);
  }

  private member(name: string, inner: unknown, depth: number): unknown {
    const isOpen = isRecord(inner) && this.hiding.open?.has(name) === true;
    if (inner !== null && !isOpen && meansSecret(name)) return this.hiding.mask;
    return this.shown(inner, depth + 1);
  }

  private name(name: string): string {
    return /\d/.test(name) ? this.text(name) : name;
  }

  private text(text: string): string {
    this.left -= text.length;
    if (HARMLESS.test(text)) return text;
    if (holdsInJson(text, 0)) return this.hiding.mask;
    return maskSecrets(text.slice(0, this.hiding.lengthMax + MARGIN), this.hiding.mask);
  }

  private isFull(): boolean {
    return this.left < 0;
  }
}
