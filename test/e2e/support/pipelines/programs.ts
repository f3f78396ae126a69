/** Programs of servers and a key, for each engine, and what a runner must know to run them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import {
  HEADER,
  buildMirror,
  fromMirrors,
  hasEngine,
  onPath,
  type EngineName,
} from "../../../harness/terraform-workspace";
import { PulumiStack } from "../../../harness/pulumi-stack";
import { snippet } from "../guide";
import { expectDone } from "../output";
import { placePlugin } from "../pulumi-plugin";
import { stores } from "../remote/stores";
import type { Files } from "./checkout";

const ROOT = join(__dirname, "../../../..");

export const OUTPUT = "pipeline_key";
export const SECRET = "hunter2-in-a-program";

export interface Wanted {
  readonly servers: readonly string[];
  /** The key's; by default it may apply the program, as it does where a job has stored it. */
  readonly permissions?: readonly string[];
}

const PERMISSIONS = ["read", "write"];

/** An engine, with a state that outlives its runners. */
export interface Program {
  files(wanted: Wanted): Files;
  readonly env: Readonly<Record<string, string>>;
  /** All that is kept of the state, as text. */
  state(): Promise<string>;
  /** What synthesises a program of CDKTF. */
  readonly synth?: string;
  /** What runs below CDKTF. */
  readonly engine?: EngineName;
  /** What the guides say to do about a lock that a killed run left: `pulumi cancel`. */
  unlock?(): Promise<void>;
  remove(): Promise<void>;
}

export interface Tool {
  readonly name: "tofu" | "pulumi" | "cdktf";
  readonly stack: string;
  readonly isHere: boolean;
  /** How a plan names a server. */
  readonly address: (server: string) => string;
  /** @param top private folder of the test, for the state @param recipient of the key */
  readonly start: (top: string, recipient: string) => Promise<Program>;
}

/** Below Terraform and OpenTofu: where the provider is, and a state in a file. */
function onDisk(top: string) {
  buildMirror();
  const file = join(top, "terraform.tfstate");
  const state = async () => readFileSync(file, "utf8");
  return { env: fromMirrors(top), file, state, remove: async () => undefined };
}

/** @param backend the block of the state */
function inHcl(backend: string, recipient: string): Program["files"] {
  const server = (name: string): string => `resource "erphost_server" "${name}" {
  name              = "${name}"
  idempotency_token = "${name}"
  secret_properties = { password = "${SECRET}" }
}
`;
  const key = snippet("pipelines", "terraform", "recipient").replace(/age1\w+/, recipient);
  return ({ servers, permissions = PERMISSIONS }) => ({
    "main.tf": [backend, HEADER, ...servers.map(server)].join("\n"),
    "key.tf": key.replace(/(permissions +=).*/, `$1 ${JSON.stringify(permissions)}`),
  });
}

const tofu: Tool = {
  name: "tofu",
  stack: "prod",
  isHere: hasEngine("tofu"),
  address: (server) => `erphost_server.${server}`,
  start: async (top, recipient) => {
    const disk = onDisk(top);
    const backend = `terraform {\n  backend "local" {\n    path = ${JSON.stringify(disk.file)}\n  }\n}`;
    return { ...disk, files: inHcl(backend, recipient) };
  },
};

const tofuInPostgres: Tool = {
  ...tofu,
  isHere: tofu.isHere && stores.PostgreSQL.isThere,
  start: async (top, recipient) => {
    const { env } = onDisk(top);
    const store = await stores.PostgreSQL.start();
    const place = await store.place("pipeline");
    return {
      files: inHcl(snippet("pipelines", "terraform", "pg"), recipient),
      env: { ...env, ...place.terraform },
      state: () => place.content(),
      remove: () => store.close(),
    };
  },
};

const cdktf: Tool = {
  ...tofu,
  name: "cdktf",
  start: async (top, recipient) => {
    const disk = onDisk(top);
    const from = (path: string): string => JSON.stringify(join(ROOT, path));
    const server = (name: string): string =>
      `new Server(stack, "${name}", { name: "${name}", secretProperties: { password: "${SECRET}" } }).resource.overrideLogicalId("${name}");`;
    return {
      ...disk,
      engine: hasEngine("terraform") ? "terraform" : "tofu",
      synth: "node main.js",
      files: ({ servers, permissions = PERMISSIONS }) => ({
        "main.js": `const { App, LocalBackend, TerraformOutput, TerraformStack } = require(${from("node_modules/cdktf")});
const { ApiKey, ErphostProvider, Server } = require(${from("dist/cdktf-bindings")});
const app = new App({ outdir: "cdktf.out" });
const stack = new TerraformStack(app, "prod");
new LocalBackend(stack, { path: ${JSON.stringify(disk.file)} });
new ErphostProvider(stack, "provider");
${servers.map(server).join("\n")}
const key = new ApiKey(stack, "ci", ${JSON.stringify({ permissions, recipient })});
new TerraformOutput(stack, "${OUTPUT}", { value: key.encryptedValue });
app.synth();
`,
      }),
    };
  },
};

const pulumi: Tool = {
  name: "pulumi",
  stack: "dev",
  isHere: onPath("pulumi") !== undefined,
  address: (server) => server,
  start: async (_, recipient) => {
    const program = join(ROOT, "test/e2e/pulumi-plugin/programs");
    const store = stores.S3.isThere ? await stores.S3.start() : undefined;
    const place = await store?.place("pipelines");
    const stack = await PulumiStack.create({ program, env: { ...place?.pulumi } });
    await placePlugin(stack);
    const settings = stack.settingsText();
    return {
      env: {
        ...Object.fromEntries(
          Object.entries(stack.env).filter(([name]) => name.startsWith("PULUMI_")),
        ),
        ...place?.pulumi,
      },
      state: async () =>
        place ? place.content() : expectDone(await stack.run("stack", "export")).stdout,
      files: ({ servers, permissions = PERMISSIONS }) => {
        const server = (name: string): [string, unknown] => {
          const secretProperties = { password: { "fn::secret": SECRET } };
          return [name, { type: "erphost:Server", properties: { name, secretProperties } }];
        };
        const ci = { type: "erphost:ApiKey", properties: { name: "ci", permissions, recipient } };
        const project = {
          // As in the folder that the stack is made in.
          name: "every-kind",
          runtime: "yaml",
          resources: { ...Object.fromEntries(servers.map(server)), ci },
          outputs: { [OUTPUT]: "${ci.encryptedValue}" },
        };
        return {
          // In lines, which git merges.
          "Pulumi.yaml": JSON.stringify(project, undefined, 1),
          "Pulumi.dev.yaml": settings,
        };
      },
      unlock: async () => void expectDone(await stack.run("cancel", "--yes")),
      remove: async () => {
        stack.remove();
        await store?.close();
      },
    };
  },
};

export const tools = { tofu, tofuInPostgres, pulumi, cdktf };

/** An identity that opens keys, and what they are encrypted to. */
export async function keyPair(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}
