/** Lint rules of this project's own. */

/** Also `testWithEngine`, which is `test` or `test.skip`. */
const TEST = /^test([A-Z]|$)/;

/** `test`, `test.skip`, `test.each(…)`: the name that the call begins with. */
function beginning(callee) {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression") return beginning(callee.object);
  if (callee.type === "CallExpression") return beginning(callee.callee);
  if (callee.type === "TaggedTemplateExpression") return beginning(callee.tag);
  return undefined;
}

/** A test without an expectation always passes. Helpers that have one are called `expect…`. */
const testExpects = {
  meta: {
    type: "problem",
    schema: [],
    messages: { none: "This test expects nothing: call expect, or a helper named expect…." },
  },
  create(context) {
    const open = [];
    const isTest = (node) =>
      TEST.test(beginning(node.callee)) &&
      node.arguments.length >= 2 &&
      /Function/.test(node.arguments[1].type);
    return {
      CallExpression(node) {
        if (isTest(node)) open.push({ node, expects: false });
        const name = beginning(node.callee);
        const test = open.at(-1);
        if (test !== undefined && name !== undefined && name.startsWith("expect"))
          test.expects = true;
      },
      "CallExpression:exit"(node) {
        if (open.at(-1)?.node !== node) return;
        const { expects } = open.pop();
        if (!expects) context.report({ node: node.callee, messageId: "none" });
      },
    };
  },
};

/**
 * A failed read is not a read of nothing: only ENOENT says that something is not there. What drops an
 * error of what it waits for, or looks before it acts, says on a line next to it why that is enough.
 */
const missingOnly = {
  meta: {
    type: "problem",
    schema: [],
    messages: { any: "Only ENOENT means that it is not there: look at the error, or say why not." },
  },
  create(context) {
    const { sourceCode } = context;
    const isSaid = ({ loc: { start, end } }) =>
      sourceCode
        .getAllComments()
        .filter(({ type }) => type === "Line")
        .some(({ loc: at }) => at.start.line >= start.line - 1 && at.end.line <= end.line);
    const throws = (node) => /\bthrow\b/.test(sourceCode.getText(node));
    const drops = (handler) =>
      /Function/.test(handler?.type ?? "") &&
      handler.params.every(({ name }) => /^_/.test(name ?? "")) &&
      !throws(handler);
    const check = (node, isWrong) => {
      if (isWrong && !isSaid(node)) context.report({ node, messageId: "any" });
    };
    return {
      CallExpression(node) {
        const { callee, arguments: given } = node;
        check(node, (callee.property ?? callee).name === "existsSync");
        const handler = given[{ catch: 0, then: 1 }[callee.property?.name]];
        check(handler, drops(handler));
      },
      CatchClause(node) {
        const waits = /\bawait\b|Sync\(/.test(sourceCode.getText(node.parent.block));
        check(node, !node.param && waits && !throws(node.body));
      },
    };
  },
};

export const house = { rules: { "test-expects": testExpects, "missing-only": missingOnly } };
