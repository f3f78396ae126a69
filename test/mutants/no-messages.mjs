/**
 * What StrykerJS leaves alone: the strings of messages, which are what a person reads and no rule,
 * and, where a sample is asked for, all functions but every Nth.
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

/** Functions that are inside no other are drawn by their text, so that the same ones are tried again. */
function isLeftOut(path) {
  if (SAMPLE === 1 || !path.isFunction() || path.getFunctionParent() !== null) return false;
  const text = path.getSource() || String(path.node.start);
  return (
    createHash("sha256")
      .update(SEED + text)
      .digest()
      .readUInt32BE(0) %
      SAMPLE !==
    0
  );
}

const ignorer = {
  shouldIgnore(path) {
    if (isString(path) && isOfMessage(path)) return "The text of a message.";
    return isLeftOut(path) ? "Not in the sample." : undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, "messages", ignorer)];
