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

/**
 * A test without an expectation passes whatever happens. Helpers that expect something are called
 * `expect…`, so that a reader sees it as well.
 */
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

/** What reads or writes: the rest of a `try` fails for what it computes. */
const reaches = (text) => /\bawait\b|Sync\(/.test(text);

/**
 * A failed read is not a read of nothing: only ENOENT says that something is not there. A handler that
 * drops the error says inside why any error may count, and so does a look before an act.
 */
const missingOnly = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      dropped: "Only ENOENT means that it is not there: look at the error, or say here why not.",
      looked: "Act, and take ENOENT for absence; or say here why a look is enough.",
    },
  },
  create(context) {
    const { sourceCode } = context;
    // Next to it or inside; not in the description of what it is a part of.
    const isSaid = ({ loc: { start, end } }) =>
      sourceCode
        .getAllComments()
        .some(
          ({ type, loc: at }) =>
            type === "Line" && at.start.line >= start.line - 1 && at.end.line <= end.line,
        );
    const drops = (handler) =>
      /Function/.test(handler?.type ?? "") &&
      handler.params.every(({ name }) => /^_/.test(name ?? "")) &&
      !/\bthrow\b/.test(sourceCode.getText(handler));
    return {
      CallExpression(node) {
        const { callee, arguments: given } = node;
        if (callee.name === "existsSync" && !isSaid(node))
          context.report({ node, messageId: "looked" });
        const at = { catch: 0, then: 1 }[callee.property?.name];
        if (at !== undefined && drops(given[at]) && !isSaid(given[at]))
          context.report({ node: given[at], messageId: "dropped" });
      },
      CatchClause(node) {
        if (!node.param && reaches(sourceCode.getText(node.parent.block)))
          if (!/\bthrow\b/.test(sourceCode.getText(node.body)) && !isSaid(node))
            context.report({ node, messageId: "dropped" });
      },
    };
  },
};

export const house = {
  rules: { "test-expects": testExpects, "missing-only": missingOnly },
};
