/** The npm package: its command, its client in projects by `tsc --init`, and its webhooks. */
import { join } from "node:path";
import { version } from "../../../package.json";
import type { NodeRelease } from "../registries/all";
import type { Stage } from "../stage";
import type { Stranger } from "../stranger";
import { expectText, onNode, type Face } from "./face";

const INSTALL = "npm install erphost";

const modulesOf = (stranger: Stranger): string => join(stranger.folder, "node_modules");

/** The command on every Node.js: nothing but the answer is printed, and no warning. */
export const cli: Face = {
  name: "cli",
  about: "the erphost command, on the oldest and on the current Node.js",
  rehearse: async (stage) => {
    for (const release of await stage.registries.nodes()) await rehearseCommand(stage, release);
  },
};

/** @returns whether it works */
async function rehearseCommand(stage: Stage, release: NodeRelease): Promise<boolean> {
  const stranger = await stage.stranger(release);
  return stage.attempt({
    face: "CLI",
    platform: onNode(release),
    command: INSTALL,
    install: async () => {
      await stranger.run("npm", "init", "--yes");
      await stranger.run(...words(INSTALL));
      return modulesOf(stranger);
    },
    use: async () => {
      expectText((await stranger.run("npx", "erphost", "--version")).output, version);
      const emulator = await stage.emulator();
      try {
        Object.assign(stranger.env, emulator.env);
        const { output } = await stranger.run("npx", "erphost", "whoami", "--json");
        expectText(output, /^\{\s*"keyId": "key_1"/);
        return "--version, emulator, whoami, without a warning";
      } finally {
        await emulator.stop();
      }
    },
  });
}

const words = (command: string): [string, ...string[]] => {
  const [program = "", ...rest] = command.split(" ");
  return [program, ...rest];
};

/** A compiler, and the types of Node.js of its time. */
interface Compiler {
  readonly typescript: string;
  readonly nodeTypes: string;
  /** What `tsc --init` of that release expects of the package. */
  readonly type: "commonjs" | "module";
}

const compilers: readonly Compiler[] = [
  { typescript: "5.4", nodeTypes: "18", type: "commonjs" },
  { typescript: "5.9", nodeTypes: "22", type: "module" },
  { typescript: "6.0", nodeTypes: "24", type: "module" },
];

/** Every value comes from the environment, whose types `tsc --init` leaves out. */
const CLIENT = `import { ErpHost } from "erphost";

export async function rehearse(apiKey: string, baseUrl: string): Promise<string> {
  const erphost = new ErpHost({ apiKey, baseUrl });
  const made = await erphost.servers.create({ name: "shop" });
  const names: string[] = [];
  for await (const server of erphost.servers.list()) names.push(server.name ?? "");
  if (made.id !== undefined) await erphost.servers.delete(made.id);
  const again = await erphost.servers.list().toArray();
  await erphost.close();
  return \`\${names.join()} \${again.length}\`;
}
`;

const RUN = `import { rehearse } from "./client.js";
console.log(await rehearse(process.env.ERPHOST_API_KEY, process.env.ERPHOST_BASE_URL));
`;

/** A program of one's own, by TypeScript's own template. */
export const client: Face = {
  name: "client",
  about: "the client in projects by `tsc --init` of TypeScript 5.4, 5.9 and 6.0",
  rehearse: async (stage) => {
    const [oldest, ...others] = await stage.registries.nodes();
    const newest = others.at(-1) ?? oldest;
    if (!oldest || !newest) return;
    for (const compiler of compilers) {
      await rehearseClient(stage, compiler, compiler.type === "module" ? newest : oldest);
    }
  },
};

async function rehearseClient(
  stage: Stage,
  { typescript, nodeTypes, type }: Compiler,
  release: NodeRelease,
): Promise<void> {
  const stranger = await stage.stranger(release);
  await stage.attempt({
    face: "client",
    platform: `${onNode(release)}, TypeScript ${typescript}`,
    command: INSTALL,
    install: async () => {
      await stranger.run("npm", "init", "--yes");
      await stranger.run("npm", "pkg", "set", `type=${type}`);
      await stranger.run(...words(INSTALL));
      return modulesOf(stranger);
    },
    use: async () => {
      const tools = [`typescript@${typescript}`, `@types/node@${nodeTypes}`];
      await stranger.run("npm", "install", "--save-dev", ...tools);
      await stranger.run("npx", "tsc", "--init");
      stranger.write({ "client.ts": CLIENT, "run.mjs": RUN });
      await stranger.run("npx", "tsc");
      const emulator = await stage.emulator();
      try {
        Object.assign(stranger.env, emulator.env);
        expectText((await stranger.run("node", "run.mjs")).output, "shop 0");
        return "compiles; creates, lists and deletes a server";
      } finally {
        await emulator.stop();
      }
    },
  });
}

const RECEIVER = `import { createServer } from "node:http";
import { verifyWebhook } from "erphost/webhooks";
import { startEmulator } from "erphost/emulator";

const emulator = await startEmulator({ provisionMs: 0 });
let secret = "";
const received = new Promise((resolve, reject) => {
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    response.writeHead(204).end();
    server.close();
    try {
      verifyWebhook({ body: Buffer.from(body + " "), headers: request.headers, secrets: secret });
      reject(new Error("a forged message passes"));
    } catch (error) {
      resolve(\`\${error.code} \${verifyWebhook({ body, headers: request.headers, secrets: secret }).event.event}\`);
    }
  });
  server.listen(0, "127.0.0.1", async () => {
    const post = (path, of) => fetch(new URL(path, emulator.url), {
      method: "POST",
      headers: { "content-type": "application/json", authorization: \`Bearer \${emulator.adminKey}\` },
      body: JSON.stringify(of),
    });
    const url = \`http://127.0.0.1:\${server.address().port}/hook\`;
    const answer = await (await post("/_emulator/webhooks", { url })).json();
    secret = (answer.data ?? answer).secret;
    await post("/v1/servers", { name: "shop" });
  });
});
console.log(await received);
await emulator.close();
`;

/** A receiver of webhooks, with the emulator in its own process. */
export const webhooks: Face = {
  name: "webhooks",
  about: "a receiver of webhooks, on the oldest Node.js",
  rehearse: async (stage) => {
    const [release] = await stage.registries.nodes();
    if (!release) return;
    const stranger = await stage.stranger(release);
    await stage.attempt({
      face: "webhooks",
      platform: onNode(release),
      command: INSTALL,
      install: async () => {
        await stranger.run("npm", "init", "--yes");
        await stranger.run(...words(INSTALL));
        return modulesOf(stranger);
      },
      use: async () => {
        stranger.write({ "receiver.mjs": RECEIVER });
        const { stdout } = await stranger.run("node", "receiver.mjs");
        expectText(stdout, "bad_signature server.created");
        return "takes a genuine message, refuses a forged one";
      },
    });
  },
};
