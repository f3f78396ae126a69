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

export const house = {
  rules: { "test-expects": testExpects },
};
