/** The constructs, in the project that `cdktf init` makes. */
import { join } from "node:path";
import { jestTest } from "../../cdktf/support/documented";
import { cdktfTemplate } from "../templates/cdktf";
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
