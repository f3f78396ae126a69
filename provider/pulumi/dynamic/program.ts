/**
 * The program that Pulumi keeps in the state of each dynamic resource, in its inputs and again in its
 * outputs, and hands to the process that runs it: the text of a CommonJS module with a `handler`.
 * The SDK would write 2 KB from a closure, for which it loads TypeScript. This line only names what
 * is installed, and stays the same in every release, so that an old state runs new code.
 */
export const programOf = (title: string): string =>
  `exports.handler=()=>require("erphost/pulumi/handler").handler(${JSON.stringify(title)})`;
