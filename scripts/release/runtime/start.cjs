"use strict";

/**
 * `node start.cjs MODE [WORDS…]`: runs the plugin in this file's folder, with the words. MODE is
 * the file with its compiled form; `source` where that cannot be trusted; `remove` where the folder
 * of all this is needed no longer; `check`, which runs nothing; or `compile`, which prints the compiled form. Any Node.js can read
 * this; what it loads then needs a newer one.
 */

var fs = require("node:fs");
var path = require("node:path");
var vm = require("node:vm");

/** From package.json. */
var NEEDS = "0.0.0";

var mode = process.argv.splice(2, 1)[0] || "";

if (isOlder(process.versions.node, NEEDS)) {
  process.stderr.write("it is Node.js " + process.version + "\n");
  process.exitCode = 1;
} else if (mode === "compile") {
  require("./warm.cjs").warm(load());
} else if (mode !== "check") {
  var script = load(compiledForm());
  if (script.cachedDataRejected) discard();
  run(script);
}

function isOlder(version, other) {
  var mine = version.split(".").map(Number);
  var theirs = other.split(".").map(Number);
  for (var at = 0; at < 3; at += 1) {
    if (mine[at] !== theirs[at]) return (mine[at] || 0) < (theirs[at] || 0);
  }
  return false;
}

/** Without its compiled form a script is compiled as it runs. @param {Buffer} [compiled] */
function load(compiled) {
  var source = fs.readFileSync(path.join(__dirname, "provider.cjs"), "latin1");
  if (mode === "remove") removeAll();
  return new vm.Script(
    "(function (exports, require, module, __filename, __dirname) {" + source + "\n})",
    { filename: "provider.cjs", cachedData: compiled },
  );
}

function compiledForm() {
  if (mode === "remove" || mode === "source") return undefined;
  try {
    return fs.readFileSync(mode);
  } catch (error) {
    return undefined; // Another start is just replacing it.
  }
}

/** The next start makes it again. */
function discard() {
  try {
    fs.rmSync(mode, { force: true });
  } catch (error) {
    // It only costs time.
  }
}

/** The running program needs its files no longer; on Windows it does, and the starter removes them. */
function removeAll() {
  var folder = path.dirname(__dirname);
  if (process.platform === "win32" || !/^erphost-start-/.test(path.basename(folder))) return;
  fs.rmSync(folder, { recursive: true, force: true });
}

function run(script) {
  script.runInThisContext()(exports, require, module, __filename, __dirname);
}
