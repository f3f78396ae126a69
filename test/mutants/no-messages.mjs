/**
 * What StrykerJS leaves alone: the strings of messages, which are what a person reads and no rule;
 * what runs once, as a module is loaded; and, where a sample is asked for, all functions but every Nth.
 */
import { createHash } from "node:crypto";
import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

/** Their arguments are codes and parts of messages. */
const SAYERS = new Set(["message", "engineError", "noticeOf", "progress"]);

/** 1: every function. */
const SAMPLE = Number(process.env.ERPHOST_STRYKER_SAMPLE ?? "1");
/** Draws other functions. */
const SEED = process.env.ERPHOST_STRYKER_SEED ?? "";

const isString = (path) => path.isStringLiteral() || path.isTemplateLiteral();

function isOfMessage(path) {
  const call = path.findParent((parent) => parent.isCallExpression());
  const callee = call?.node.callee;
  return SAYERS.has(callee?.name ?? callee?.property?.name);
}

/** It runs as a module is loaded, and would be tried with the one test that loaded that first. */
function isLoadedOnce(path) {
  let holdsFunction = path.isFunction() || !path.isExpression();
  path.traverse({
    Function(inner) {
      holdsFunction = true;
      inner.stop();
    },
  });
  return !holdsFunction && path.findParent((parent) => parent.isClassProperty()) === null;
}

/** Functions that are inside no other are drawn by their text, so that the same ones are tried again. */
function isLeftOut(path) {
  if (path.getFunctionParent() !== null) return false;
  if (SAMPLE === 1 || !path.isFunction()) return isLoadedOnce(path);
  const text = path.getSource() || String(path.node.start);
  const hash = createHash("sha256").update(SEED + text);
  return hash.digest().readUInt32BE(0) % SAMPLE !== 0;
}

const ignorer = {
  shouldIgnore(path) {
    if (isString(path) && isOfMessage(path)) return "The text of a message.";
    return isLeftOut(path) ? "Not in the sample." : undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, "messages", ignorer)];
