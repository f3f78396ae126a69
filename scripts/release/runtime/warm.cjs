"use strict";

/**
 * Runs a plugin once, so that what starts a run is compiled, and prints what the compiler produced:
 * a process that starts later compiles nothing. A plugin that does not come up makes this fail, and
 * then the Node.js that runs it is not used.
 */

const { readFileSync } = require("node:fs");
const http = require("node:http");
const http2 = require("node:http2");
const net = require("node:net");
const path = require("node:path");

/** Of a plugin that serves. What is compiled until then must do. */
const CALLS_MS_MAX = 5_000;

/** @param {import("node:vm").Script} script */
function warm(script) {
  /** @type {import("./warm-up").WarmUp} */
  const warmUp = JSON.parse(readFileSync(path.join(__dirname, "warm-up.json"), "utf8"));
  const print = process.stdout.write.bind(process.stdout);
  let serves = false;
  const finish = () => print(script.createCachedData(), () => process.exit(0));
  process.on("uncaughtException", (error) => {
    if (serves) finish();
    else process.stderr.write(`${error.message}\n`, () => process.exit(1));
  });
  process.on("exit", (code) => {
    if (!serves) process.exitCode = code || 1;
  });
  // A service that refuses every key: the code that makes requests runs, and ends at once.
  const service = http.createServer((_request, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"error":{"code":"invalid_token","message":"no","status":401}}');
  });
  // A plugin that has given up ends this process, and the starter ends one that never starts.
  service.unref();
  service.listen(0, "127.0.0.1", () => {
    const { port } = /** @type {net.AddressInfo} */ (service.address());
    process.env.ERPHOST_BASE_URL = `http://127.0.0.1:${port}/v1`;
    process.env.ERPHOST_API_KEY = "warm_test_warmwarmwarm";
    process.argv.push(...warmUp.args);
    process.stdout.write = (/** @type {string} */ text) => {
      const address = new RegExp(warmUp.address).exec(text)?.[1];
      if (serves || address === undefined) return process.stderr.write(text);
      serves = true;
      setTimeout(finish, CALLS_MS_MAX);
      call(warmUp, address).then(finish, finish);
      return true;
    };
    const module_ = { exports: {} };
    script.runInThisContext()(module_.exports, require, module_, __filename, __dirname);
  });
}

/**
 * @param {import("./warm-up").WarmUp} warmUp
 * @param {string} address a port, with or without its host, or a socket's path
 */
async function call({ calls }, address) {
  const port = Number(address.split(":").at(-1));
  const session = http2.connect("http://localhost", {
    createConnection: () => (port > 0 ? net.connect(port, "127.0.0.1") : net.connect(address)),
  });
  for (const [name, body] of calls) {
    const message = Buffer.from(body, "base64");
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    await new Promise((resolve, reject) => {
      const stream = session.request({
        ":method": "POST",
        ":path": name,
        "content-type": "application/grpc",
        te: "trailers",
      });
      stream.on("data", () => undefined);
      stream.on("end", () => resolve(undefined));
      stream.on("error", reject);
      stream.end(Buffer.concat([prefix, message]));
    });
  }
  session.close();
}

module.exports = { warm };
