/** Lint rules of this project's own. */

const TESTS = new Set(["it", "test"]);

/** `it`, `it.skip`, `it.each(…)`: the name that the call begins with. */
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
      TESTS.has(beginning(node.callee)) &&
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

const NESTED_LINES_MIN = 4;

/**
 * Functions are short: 70 lines unless said otherwise, without blank lines and comments. The lines
 * of an inner function count for that one, so that a factory of many small methods is not long, and
 * short callbacks count where they stand.
 */
const functionLines = {
  meta: {
    type: "suggestion",
    schema: [{ type: "integer", minimum: 1 }],
    messages: {
      long: "{{name}} has {{lines}} lines of its own, more than {{max}}: take a part out.",
    },
  },
  create(context) {
    const [max = 70] = context.options;
    const blank = new Set();
    context.sourceCode.lines.forEach((text, index) => {
      if (text.trim() === "") blank.add(index + 1);
    });
    for (const comment of context.sourceCode.getAllComments()) {
      const { start, end } = comment.loc;
      const before = (context.sourceCode.lines[start.line - 1] ?? "").slice(0, start.column).trim();
      for (let line = start.line + (before === "" ? 0 : 1); line <= end.line; line += 1)
        blank.add(line);
    }
    const open = [];
    const enter = (node) => open.push({ node, inner: new Set() });
    const leave = (node) => {
      const { inner } = open.pop();
      const lines = [];
      for (let line = node.loc.start.line; line <= node.loc.end.line; line += 1) {
        if (!blank.has(line)) lines.push(line);
      }
      const own = lines.filter((line) => !inner.has(line));
      if (own.length > max) {
        const name =
          node.id?.name ?? node.parent.key?.name ?? node.parent.id?.name ?? "This function";
        context.report({
          loc: node.loc.start,
          messageId: "long",
          data: { name, lines: own.length, max },
        });
      }
      const outer = open.at(-1);
      // The first line is the outer function's as well: it names the inner one.
      if (outer && lines.length >= NESTED_LINES_MIN) {
        for (const line of lines.slice(1)) outer.inner.add(line);
      }
    };
    return {
      ":function": enter,
      ":function:exit": leave,
    };
  },
};

export const house = {
  rules: { "test-expects": testExpects, "function-lines": functionLines },
};
