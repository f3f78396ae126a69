/**
 * The constructs, in the project that `cdktf init --template=typescript` makes: the files are those of
 * the command line itself, as the end-to-end tests pin it, and so is what its hook installs.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FUTURE_FLAGS as cdktfFlags } from "cdktf/lib/features";
import { FUTURE_FLAGS as cdktnFlags } from "cdktn/lib/features";
import { jestTest } from "../../cdktf/support/documented";
import { cdktfTools } from "../../harness/cdktf-cli";
import type { Stage } from "../stage";
import type { NodeRelease } from "../registries/all";
import { expectText, onNode, type Face } from "./face";
import { anyEngine, livesAndDies, terraformUser } from "./terraform";

const INSTALL = "npm install erphost";

/** What the template's hook installs, and the program's own library. */
const library = {
  cdktf: { packages: ["cdktf@0.21", "constructs@10"], entry: "erphost/cdktf" },
  cdktn: { packages: ["cdktn@0.24", "constructs@10.7"], entry: "erphost/cdktn" },
} as const;
type Library = keyof typeof library;

/** What a library asks of new projects. */
const flags: Readonly<Record<Library, object>> = { cdktf: cdktfFlags, cdktn: cdktnFlags };

/** What the command line is asked for, or answers itself. */
const answersOf = (library: Library): Readonly<Record<string, string>> => ({
  $base: "shop",
  projectId: "7f1c3c1e-0000-4000-8000-000000000000",
  sendCrashReports: "false",
  futureFlags: JSON.stringify(flags[library]).slice(1, -1),
});

/** The command line's own files, which it does not copy. */
const OWN = ["help", ".hooks.sscaff.js"];

/** @throws Error if the command line has changed its way of making a project */
async function cdktfTemplate(library: Library) {
  const tools = await cdktfTools();
  const folder = join(tools, "node_modules", `${library}-cli`, "bundle/templates/typescript");
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const answers = answersOf(library);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => !OWN.includes(name))
    .map((name) => [name.replace("{{}}", ""), filled(read(name), answers)] as const);
  const hook = /\[("@types\/node"[^\]]*)\]/.exec(read(".hooks.sscaff.js"))?.[1];
  if (hook === undefined) throw new Error(`The template of ${library} installs other packages.`);
  return {
    /** By their path in the project. */
    files: Object.fromEntries(files),
    /** What its hook installs for development, by name or with a version. */
    development: [...hook.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name),
  };
}

const filled = (text: string, answers: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{ *(\$?\w+) *\}\}/g, (_, name: string) => {
    const answer = answers[name];
    if (answer === undefined) throw new Error(`The template asks for ${name}.`);
    return answer;
  });

const program = (name: Library): string => `import { Construct } from "constructs";
import { App, TerraformOutput, TerraformStack } from "${name}";
import { ErphostProvider, Instance, Server } from "${library[name].entry}";

class MyStack extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new ErphostProvider(this, "provider");
    const server = new Server(this, "server", { name: "shop" });
    new Instance(this, "instance", { name: "shop", server, version: "17.0" });
    new TerraformOutput(this, "id", { value: server.serverId });
  }
}

const app = new App();
new MyStack(app, "shop");
app.synth();
`;

/** What the documentation adds to a project to test it with jest. */
const tests = (name: Library, setup: string): Readonly<Record<string, string>> => ({
  "setup.js": `${setup}require("${library[name].entry}/testing").setupJest();\n`,
  "__tests__/main-test.ts": jestTest.replaceAll(/(?<=from ".*|import ".*)cdktf(?=[/"])/g, name),
});

interface Project {
  readonly release: NodeRelease;
  readonly name: Library;
  readonly typescript: string;
}

/** Tests and synthesises by the template's own scripts, then applies. */
export const cdktf: Face = {
  name: "cdktf",
  about: "the constructs in a project by `cdktf init`, with cdktf and with cdktn",
  rehearse: async (stage) => {
    const [oldest] = await stage.registries.nodes();
    const newest = await stage.registries.newest();
    const release = oldest ?? newest;
    await rehearse(stage, { release, name: "cdktf", typescript: "5.4" });
    await rehearse(stage, { release: newest, name: "cdktf", typescript: "5.9" });
    // As its template installs it, which that of cdktf leaves open.
    await rehearse(stage, { release: newest, name: "cdktn", typescript: "5.x" });
  },
};

async function rehearse(stage: Stage, { release, name, typescript }: Project): Promise<void> {
  const hosts = await stage.registries.terraform();
  const engine = anyEngine();
  const stranger = await terraformUser(stage, hosts, engine, release);
  const { files, development } = await cdktfTemplate(name);
  await stage.attempt({
    face: name === "cdktf" ? "CDKTF" : "cdktn",
    platform: `${onNode(release)}, ${name} init, TypeScript ${typescript}`,
    command: INSTALL,
    install: async () => {
      stranger.write(files);
      await stranger.run("npm", "install", ...library[name].packages);
      const tools = development.map((tool) =>
        tool.startsWith("typescript") ? `typescript@${typescript}` : tool,
      );
      await stranger.run("npm", "install", "-D", ...tools);
      const [npm = "", ...words] = INSTALL.split(" ");
      await stranger.run(npm, ...words);
      return join(stranger.folder, "node_modules");
    },
    use: async () => {
      stranger.write({ "main.ts": program(name), ...tests(name, files["setup.js"] ?? "") });
      expectText((await stranger.run("npm", "test")).output, /Tests: +1 passed, 1 total/);
      await stranger.run("npm", "run", "build");
      await stranger.run("node", "main.js");
      const words = [engine, "-chdir=cdktf.out/stacks/shop"] as const;
      await stranger.run(...words, "init", "-no-color");
      return `test, synth, ${engine} init, ${await livesAndDies(stage, stranger, words)}`;
    },
  });
}
