/** Programs of servers in a repository, for each engine, and what a runner must know to run them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import {
  HEADER,
  buildMirror,
  hasEngine,
  MIRROR,
  onPath,
  type EngineName,
} from "../../harness/terraform-workspace";
import { PulumiStack } from "../../harness/pulumi-stack";
import { snippet } from "../support/guide";
import { installPlugin } from "../support/pulumi-plugin";

const ROOT = join(__dirname, "../../..");

/** The key of the guide, whose identity a test has. */
const keyWith = (scope: string, recipient: string): string =>
  snippet("pipelines", "terraform", "recipient")
    .replace(/age1\w+/, recipient)
    .replace(/(permissions +=).*/, `$1 ["${scope}"]`);

/** A value that nothing may show. */
export const SECRET = "hunter2-in-a-program";

/** An engine, with a state that outlives its runners. */
export interface Written {
  /** Writes the program into the folder of a repository. */
  write(folder: string, servers: readonly string[]): void;
  /** Writes a key into it as well, with the output of the guide. */
  writeKey?(folder: string, scope?: string): void;
  /** Opens that key. */
  readonly identity?: string;
  /** Variables of the engine. */
  readonly env: Readonly<Record<string, string>>;
  /** What synthesises a program of CDKTF. */
  readonly synth?: string;
  /** What runs below CDKTF. */
  readonly engine?: EngineName;
  /** What the guides say to do about a lock that a killed run left: `pulumi cancel`. */
  unlock?(): Promise<void>;
  remove(): void;
}

export interface Tool {
  readonly name: string;
  readonly tool: "terraform" | "tofu" | "pulumi" | "cdktf";
  readonly stack: string;
  readonly isHere: boolean;
  /** How a plan names a server. */
  readonly address: (server: string) => string;
  /** @param top private folder of the test, for the state */
  readonly start: (top: string) => Promise<Written>;
}

function mirrored(top: string): Record<string, string> {
  buildMirror();
  const settings = join(top, "cli.tfrc");
  const mirror = `filesystem_mirror {\n    path = ${JSON.stringify(MIRROR)}\n  }`;
  writeFileSync(settings, `provider_installation {\n  ${mirror}\n}\n`);
  return { TF_CLI_CONFIG_FILE: settings, CHECKPOINT_DISABLE: "1" };
}

async function withKey(): Promise<Pick<Written, "identity" | "writeKey">> {
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  return {
    identity,
    writeKey: (folder, scope = "servers:read") =>
      writeFileSync(join(folder, "key.tf"), keyWith(scope, recipient)),
  };
}

const hcl = (name: EngineName): Tool => ({
  name,
  tool: name,
  stack: "prod",
  isHere: hasEngine(name),
  address: (server) => `erphost_server.${server}`,
  start: async (top) => ({
    env: mirrored(top),
    ...(name === "terraform" && (await withKey())),
    write: (folder, servers) => {
      const state = JSON.stringify(join(top, "terraform.tfstate"));
      const resources = servers.map(
        (server) =>
          `resource "erphost_server" "${server}" {\n  name = "${server}"\n  secret_properties = { password = "${SECRET}" }\n}\n`,
      );
      const backend = `terraform {\n  backend "local" {\n    path = ${state}\n  }\n}\n\n`;
      writeFileSync(join(folder, "main.tf"), [backend, HEADER, ...resources].join("\n"));
    },
    remove: () => undefined,
  }),
});

const cdktf: Tool = {
  name: "cdktf",
  tool: "cdktf",
  stack: "prod",
  isHere: hasEngine("tofu"),
  address: (server) => `erphost_server.${server}`,
  start: async (top) => ({
    env: mirrored(top),
    engine: "tofu",
    synth: "node main.js",
    write: (folder, servers) => {
      const from = (path: string): string => JSON.stringify(join(ROOT, path));
      const lines = servers.map(
        (name) =>
          `new Server(stack, "${name}", { name: "${name}", secretProperties: { password: "${SECRET}" } }).resource.overrideLogicalId("${name}");`,
      );
      const program = `const { App, LocalBackend, TerraformStack } = require(${from("node_modules/cdktf")});
const { ErphostProvider, Server } = require(${from("dist/cdktf-bindings")});
const app = new App({ outdir: "cdktf.out" });
const stack = new TerraformStack(app, "prod");
new LocalBackend(stack, { path: ${JSON.stringify(join(top, "terraform.tfstate"))} });
new ErphostProvider(stack, "provider");
${lines.join("\n")}
app.synth();
`;
      writeFileSync(join(folder, "main.js"), program);
    },
    remove: () => undefined,
  }),
};

const pulumi: Tool = {
  name: "pulumi",
  tool: "pulumi",
  stack: "dev",
  isHere: onPath("pulumi") !== undefined,
  address: (server) => server,
  start: async () => {
    const program = join(ROOT, "test/e2e/pulumi-plugin/programs");
    const stack = await PulumiStack.create({ program, env: {} });
    await installPlugin(stack);
    const settings = stack.settingsText();
    return {
      env: Object.fromEntries(
        Object.entries(stack.env).filter(([name]) => /^(?:PULUMI_|HOME$)/.test(name)),
      ),
      write: (folder, servers) => {
        const resources = Object.fromEntries(
          servers.map((name) => {
            const secretProperties = { password: { "fn::secret": SECRET } };
            return [name, { type: "erphost:Server", properties: { name, secretProperties } }];
          }),
        );
        const text = JSON.stringify({ name: "every-kind", runtime: "yaml", resources });
        writeFileSync(join(folder, "Pulumi.yaml"), text);
        writeFileSync(join(folder, "Pulumi.dev.yaml"), settings);
      },
      unlock: async () => {
        const { code, output } = await stack.run("cancel", "--yes");
        if (code !== 0) throw new Error(output);
      },
      remove: () => stack.remove(),
    };
  },
};

export const tools = { terraform: hcl("terraform"), tofu: hcl("tofu"), pulumi, cdktf };

/** A folder for a program in a repository. */
export function makeFolder(repository: string): string {
  const folder = join(repository, "infra");
  mkdirSync(folder, { recursive: true });
  return folder;
}
