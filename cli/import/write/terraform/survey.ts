/** What the files of a Terraform or OpenTofu program declare and import already. */
import { isRecord, jsonOf, type Values } from "../../../../provider/contract";
import type { Files } from "../../folder";
import type { DeclaredName } from "../../program/model";
import { misfit, type SeenImport, type Survey } from "../writer";
import { tokensOf, type Token } from "./tokens";

type Tokens = readonly Token[];

export function surveyOf(existing: Files): Survey {
  const found = [...existing].map(([file, text]) =>
    file.endsWith(".json") ? surveyJson(file, text) : surveyHcl(text),
  );
  return {
    declared: found.flatMap(({ declared }) => declared),
    imports: found.flatMap(({ imports }) => imports),
  };
}

/** @throws InvalidInput where it is not JSON: what it imports would be imported a second time */
function surveyJson(file: string, text: string): Survey {
  const root = jsonOf(text);
  if (root === undefined) {
    const why = "is not JSON, so nobody can tell what it imports already";
    throw misfit(file, why, "Mend it, or move it out of the folder.");
  }
  const declared = all(root, "resource").flatMap((types) =>
    Object.entries(types).flatMap(([type, named]) => {
      const kind = kindOf(type);
      const names = [named].flat().flatMap((each) => (isRecord(each) ? Object.keys(each) : []));
      return kind === undefined ? [] : names.map((name) => [kind, name] as const);
    }),
  );
  return { declared, imports: all(root, "import").flatMap(importsInJson) };
}

/** The blocks of a type, of which there may be one or a list. */
const all = (root: unknown, type: string): Values[] =>
  isRecord(root) ? [root[type]].flat().filter(isRecord) : [];

/** As the same block in the language, whose expressions the JSON form holds as texts. */
function importsInJson({ to, id, identity, for_each }: Values): Survey["imports"] {
  if (typeof to !== "string") return [];
  const lines = Object.entries({ id, identity, for_each }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} = ${JSON.stringify(value)}`],
  );
  const target = `to = ${to.replace(/^\$\{([^]*)\}$/, "$1")}`;
  return surveyHcl(["import {", target, ...lines, "}"].join("\n")).imports;
}

/** The kind that the type of a resource names. */
const kindOf = (type: string | undefined): string | undefined =>
  /^erphost_(\w+)$/.exec(type ?? "")?.[1];

function surveyHcl(code: string): Survey {
  const declared: [kind: string, name: string][] = [];
  const imports: SeenImport[] = [];
  const tokens = tokensOf(code);
  for (let at = 0; at < tokens.length; at += 1) {
    if (!isSign(tokens[at], "{")) continue;
    const end = closing(tokens, at);
    const [word, type, name] = headBefore(tokens, at);
    const kind = kindOf(type);
    if (word === "resource" && kind !== undefined && name !== undefined) {
      declared.push([kind, name]);
    }
    if (word === "import") imports.push(...importsIn(tokens.slice(at + 1, end)));
    at = end;
  }
  return { declared, imports };
}

const isSign = (token: Token | undefined, text: string): boolean =>
  token?.is === "sign" && token.text === text;

/** `resource`, its type and its name, with quotes or without: what stands before the brace of a block. */
function headBefore(tokens: Tokens, brace: number): (string | undefined)[] {
  const before = tokens.slice(Math.max(0, brace - 4), brace);
  const start = before.findLastIndex(({ is }) => is === "line end" || is === "sign");
  return before.slice(start + 1).map(({ text }) => text);
}

/** The index of the bracket that closes the one at an index; the end where none does. */
function closing(tokens: Tokens, open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.is !== "sign") continue;
    if ("{[(".includes(token.text)) depth += 1;
    if ("}])".includes(token.text)) depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** What an `import` block takes over: several objects where it has a `for_each`. */
function importsIn(body: Tokens): SeenImport[] {
  const attributes = attributesOf(body);
  const to = attributes.get("to") ?? [];
  const kind = to.map(({ text }) => kindOf(text)).find((each) => each !== undefined);
  if (kind === undefined) return [];
  const [id, ...more] = attributes.get("id") ?? idIn(attributes.get("identity") ?? []);
  if (id?.is === "text" && id.text !== undefined && more.length === 0) {
    return [{ kind, id: id.text, place: declaredNameAt(to, undefined) }];
  }
  const each = attributes.get("for_each") ?? [];
  return each.flatMap(({ is, text }, at): SeenImport[] => {
    if (is !== "text" || text === undefined) return [];
    // A key is counted as an id, too: it may be one, and if it is none, no object goes by it.
    const key = isSetting(each[at - 1]) ? each[at - 2] : undefined;
    return [{ kind, id: text, place: key && declaredNameAt(to, key.text) }];
  });
}

/** `{ id = "srv_1" }`, as a query of the engine writes it. */
function idIn(identity: Tokens): Tokens {
  const at = identity.findIndex(({ text }, key) => text === "id" && isSetting(identity[key + 1]));
  return at < 0 ? [] : identity.slice(at + 2, at + 3);
}

const isSetting = (token: Token | undefined): boolean => isSign(token, "=") || isSign(token, ":");

/** The attributes of a block, each an expression that may be longer than its line. */
function attributesOf(body: Tokens): Map<string, Tokens> {
  const attributes = new Map<string, Tokens>();
  for (let at = 0; at < body.length; at += 1) {
    const name = body[at];
    if (name?.is !== "word" || !isSign(body[at + 1], "=")) continue;
    let end = at + 2;
    for (; end < body.length && body[end]?.is !== "line end"; end += 1) {
      end = isOpening(body[end]) ? closing(body, end) : end;
    }
    attributes.set(name.text, body.slice(at + 2, end));
    at = end;
  }
  return attributes;
}

const isOpening = (token: Token | undefined): boolean =>
  token?.is === "sign" && "{[(".includes(token.text);

/**
 * Where an address leads in this program, with the key that `each.key` stands for. Undefined: into a
 * module, or to an object with a number or a key that only the language itself could tell.
 */
function declaredNameAt(address: Tokens, eachKey: string | undefined): DeclaredName | undefined {
  const shape = address.map(({ is, text }) => (is === "text" ? "TEXT" : text)).join("");
  const [, name, index] = /^erphost_\w+\.([\w-]+)(?:\[(TEXT|each\.key)\])?$/.exec(shape) ?? [];
  if (name === undefined) return undefined;
  if (index === undefined) return { name };
  const key = index === "TEXT" ? address.at(-2)?.text : eachKey;
  return key === undefined ? undefined : { name, key };
}
