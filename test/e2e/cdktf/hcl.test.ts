/** `cdktf synth --hcl` of every documented program: the engines find what it writes valid. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { documented, run } from "../../cdktf/support/documented";
import { BOTH, describeOn } from "../support/engines";
import { expectDone } from "../support/output";

/** Objects of other providers, which the mirror does not have. */
const NEEDS_OTHERS = /^(?:resource|data) "(?!erphost_|terraform_data")/m;

/** What the library on its own would write in a way that engines warn of or refuse. */
const REFERENCES = `
import { App, TerraformStack, TerraformVariable } from "cdktf";
import { ErphostProvider, Server, Team } from "erphost/cdktf";

const app = new App();
const stack = new TerraformStack(app, "erp");
new ErphostProvider(stack, "provider");
const key = new TerraformVariable(stack, "key", { type: "string", sensitive: true });
const provider = new ErphostProvider(stack, "eu", {
  alias: "eu",
  baseUrl: "https://eu.example/v1",
  apiKey: key.stringValue,
});
const server = new Server(stack, "web", { provider, lifecycle: { ignoreChanges: "all" } });
new Team(stack, "team", {
  dependsOn: [server],
  lifecycle: {
    createBeforeDestroy: true,
    ignoreChanges: ["name", "properties"],
    replaceTriggeredBy: [server.fqn],
  },
});

app.synth();
`;

/** Each stack's HCL, by the place of its program in the documentation. */
function synthesised(): Readonly<Record<string, string>> {
  // As the command line asks a program for HCL.
  process.env["SYNTH_HCL_OUTPUT"] = "true";
  try {
    const stacks = Object.entries({ ...documented, references: REFERENCES }).flatMap(
      ([where, program]) =>
        run(program, (folder) =>
          readdirSync(join(folder, "stacks")).map((stack) => [
            `${where} ${stack}`,
            readFileSync(join(folder, "stacks", stack, "cdk.tf"), "utf8"),
          ]),
        ),
    ) as [where: string, text: string][];
    return Object.fromEntries(stacks.filter(([, text]) => !NEEDS_OTHERS.test(text)));
  } finally {
    delete process.env["SYNTH_HCL_OUTPUT"];
  }
}

let stacks: Readonly<Record<string, string>>;

beforeAll(() => void (stacks = synthesised()));

describeOn(BOTH, (ground) => {
  test("every documented program is valid as HCL, and has no reference in quotes", async () => {
    // Each module has a provider block of its own, for which an engine would start a process.
    const workspace = await ground.attach("");
    // One module each, so that a single command validates all of them.
    const modules = Object.values(stacks).map((text, index) => {
      mkdirSync(join(workspace.folder, `stack-${index}`));
      workspace.write(`stack-${index}/main.tf`, text);
      const variables = [...text.matchAll(/^variable "(\w+)"/gm)].map(([, name]) => name);
      const given = variables.map((name) => `  ${name} = "given"\n`).join("");
      return `module "stack-${index}" {\n  source = "./stack-${index}"\n${given}}\n`;
    });
    workspace.write("main.tf", modules.join("\n"));
    expectDone(await workspace.run("init"));
    expect(faultsIn((await workspace.run("validate", "-json")).stdout)).toEqual([]);
  });
});

interface Diagnostic {
  readonly severity: string;
  readonly summary: string;
  readonly detail?: string;
  readonly range?: { readonly filename: string };
}

/** What is wrong, and references of which engines only warn, with the place of the program. */
function faultsIn(output: string): string[] {
  // As the engines document it.
  const { diagnostics } = JSON.parse(output) as { readonly diagnostics: readonly Diagnostic[] };
  return diagnostics
    .filter(({ severity, summary }) => severity === "error" || /quoted reference/i.test(summary))
    .map(({ summary, detail = "", range }) => {
      const index = /stack-(\d+)/.exec(range?.filename ?? "")?.[1];
      return `${Object.keys(stacks)[Number(index)] ?? ""}: ${summary}: ${detail}`;
    });
}
