/**
 * The program that Pulumi keeps in the state of each dynamic resource, in its inputs and again in its
 * outputs, and hands to the process that runs it: the text of a CommonJS module with a `handler`.
 * The SDK would write 2 KB from a closure. This line only names what is installed, and stays the same
 * in every release, so that an old state runs new code.
 * @param via the package of the program through which this one is found; default the program itself
 */
export const programOf = (title: string, via?: string): string =>
  via === undefined
    ? `exports.handler=()=>require("erphost/pulumi/handler").handler(${JSON.stringify(title)})`
    : programVia(title, via);

/** The state may outlive the package that brought the copy: without it, the program has to. */
const programVia = (title: string, via: string): string => {
  const fault = `erphost is found neither through ${via} nor from the program's folder. Add it to the program's own dependencies: npm install erphost`;
  return [
    `const find=(at)=>{try{return require.resolve("erphost/pulumi/handler",{paths:[at()]})}catch{}};`,
    `exports.handler=()=>{`,
    `const found=find(()=>require.resolve(${JSON.stringify(via)}))||find(()=>".");`,
    `if(!found)throw Object.assign(new Error(${JSON.stringify(fault)}),{stack:""});`,
    `return require(found).handler(${JSON.stringify(title)})}`,
  ].join("");
};
