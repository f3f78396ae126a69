/**
 * Loaded by every entry before anything else: on a Node.js that is too old for what follows, one
 * sentence instead of whatever would fail first. Compiled, it is plain CommonJS without any syntax
 * or module that an old Node.js lacks, which is also why its words are not in the catalogue.
 */
const { engines } = require("erphost/package.json") as { readonly engines: { node: string } };

/** Neither is Node.js somewhere else: other runtimes name the release whose modules they have. */
const own = process.versions.node.split(".").map(Number);
const minimum = engines.node.replace(">=", "");

function isOlder(wanted: readonly number[]): boolean {
  const at = wanted.findIndex((part, index) => part !== own[index]);
  return at >= 0 && Number(own[at]) < Number(wanted[at]);
}

if (isOlder(minimum.split(".").map(Number))) {
  const refusal = new Error(
    `erphost needs Node.js ${minimum} or later, and ${process.execPath} is ${process.version}.`,
  );
  // Where it was noticed helps nobody; on lines of its own, because Node.js prints it in brackets.
  refusal.stack = `\n${refusal.message}\n`;
  throw refusal;
}

export {};
