/**
 * A program of somebody who installed the package: the emulator, the client, webhooks, the handler
 * of Pulumi's dynamic resources, and the command line. Prints each that works; a warning of any of
 * them goes to stderr, where the check looks for it.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { once } from "node:events";
import { ErpHost } from "erphost";
import { startEmulator } from "erphost/emulator";
import { handler } from "erphost/pulumi/handler";
import { checkResource } from "erphost/policies";
import { verifyWebhook } from "erphost/webhooks";

const require = createRequire(import.meta.url);
const COMMAND = require.resolve("erphost/package.json").replace("package.json", "dist/cli/main.js");
const emulator = await startEmulator({ provisionMs: 0 });
const { adminKey: apiKey, baseUrl } = emulator;
assert.equal((await fetch(baseUrl.replace("/v1", "/_emulator/health"))).status, 200);
console.log("emulator");

const received = [];
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => received.push({ headers: request.headers, body }) && response.end());
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const url = `http://127.0.0.1:${receiver.address().port}/`;
const { secret } = emulator.registerWebhook({ url });
const client = new ErpHost({ apiKey, baseUrl });
const { id } = await client.servers.create({ name: "one" });
const names = [];
for await (const server of client.servers.list()) names.push(server.name);
assert.deepEqual(names, ["one"]);
await client.close();
console.log("client");

for (let waited = 0; received.length === 0 && waited < 200; waited += 1) {
  await new Promise((resolve) => setTimeout(resolve, 25));
}
const { event } = verifyWebhook({ ...received[0], secrets: secret });
assert.deepEqual([event.event, event.data.server_id], ["server.created", id]);
const forged = { ...received[0], body: `${received[0].body} ` };
assert.throws(() => verifyWebhook({ ...forged, secrets: secret }), { code: "bad_signature" });
receiver.close();
receiver.closeAllConnections();
console.log("webhooks");

const key = { type: "erphost:index:ApiKey", name: "ci", props: { permissions: ["admin"] } };
assert.equal(checkResource(key, { nowMs: Date.now() })[0].rule, "admin-key");
console.log("policies");

const settings = { "erphost:apiKey": apiKey, "erphost:baseUrl": baseUrl };
const servers = handler("Server");
await servers.configure({ config: { get: (key) => settings[key] } });
const { inputs, failures } = await servers.check({}, { name: "two" });
assert.deepEqual(failures, []);
const created = await servers.create(inputs);
assert.equal((await servers.read(created.id, created.outs)).props.name, "two");
await servers.delete(created.id, created.outs);
console.log("handler");

assert.equal(require("erphost/schema.json").name, "erphost");
console.log("schema");

const whoami = await command(["whoami", "--json"], {
  ERPHOST_BASE_URL: baseUrl,
  ERPHOST_API_KEY: apiKey,
});
assert.equal(JSON.parse(whoami).environment, apiKey.split("_")[1]);
await emulator.close();
console.log("erphost whoami");

const said = await command(["emulator", "--port", "0"], {}, /^export /m);
assert.match(said, /^ {2}dashboard {3}http:/m);
console.log("erphost emulator");
process.exit(0);

/** What a command prints, until a line that makes it stop. */
async function command(words, env, last) {
  const child = spawn(process.execPath, [COMMAND, ...words], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
    if (last?.test(text)) child.kill("SIGTERM");
  });
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  return text;
}
