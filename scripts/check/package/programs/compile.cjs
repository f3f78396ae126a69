"use strict";

/**
 * `node compile.cjs TYPESCRIPT CELLS`: what one release of TypeScript says of programs, in one
 * process, because most of the time goes into reading the same libraries again. CELLS is JSON: a
 * list of `{ files, control, options }`; the answer has for each a list of errors of `files`, and,
 * if there are any, another of those that `control` has, too.
 */
const { realpathSync } = require("node:fs");
const path = require("node:path");

const [, , name = "", cells = "[]"] = process.argv;
/** @type {any} */
const ts = require(path.resolve("node_modules", name));

/** By name and the options that it was read with. */
const sources = new Map();

/**
 * @param {string[]} files @param {Record<string, unknown>} options as in tsconfig.json
 * @returns {string[]}
 */
function errorsOf(files, options) {
  const read = ts.convertCompilerOptionsFromJson(options, process.cwd());
  const host = ts.createCompilerHost(read.options);
  const { getSourceFile } = host;
  host.getSourceFile = (/** @type {string} */ file, /** @type {object} */ how) => {
    const key = `${file} ${JSON.stringify({ ...how, setExternalModuleIndicator: undefined })}`;
    if (!sources.has(key)) sources.set(key, getSourceFile(file, how));
    return sources.get(key);
  };
  const program = ts.createProgram({ rootNames: files, options: read.options, host });
  return [...read.errors, ...ts.getPreEmitDiagnostics(program)].map((/** @type {any} */ each) => {
    const text = ts.flattenDiagnosticMessageText(each.messageText, " ");
    if (each.file === undefined) return `error TS${each.code}: ${text}`;
    const { line, character } = each.file.getLineAndCharacterOfPosition(each.start);
    const file = path.relative(realpathSync("."), realpathSync(each.file.fileName));
    return `${file}(${line + 1},${character + 1}): error TS${each.code}: ${text}`;
  });
}

const answers = JSON.parse(cells).map((/** @type {any} */ { files, control, options }) => {
  const errors = errorsOf(files, options);
  return { errors, without: errors.length === 0 ? [] : errorsOf(control, options) };
});
console.log(JSON.stringify(answers));
