"use strict";

/**
 * `node warm.cjs BUNDLE WARM_UP CACHE`: runs a bundled plugin once, as the JSON file WARM_UP says
 * (`WarmUp` of executable.ts), and writes what the compiler produced, so that a process that starts
 * later compiles nothing.
 */

const { readFileSync, writeFileSync } = require("node:fs");
const http = require("node:http");
const http2 = require("node:http2");
const net = require("node:net");
const vm = require("node:vm");

const [, , bundle = "", warmUpFile = "", cache = ""] = process.argv;
/** @type {import("./executable").WarmUp} */
const warmUp = JSON.parse(readFileSync(warmUpFile, "utf8"));

// A service that refuses every key: the code that makes requests runs, and ends at once.
const service = http.createServer((_request, response) => {
  response.writeHead(401, { "content-type": "application/json" });
  response.end('{"error":{"code":"invalid_token","message":"no","status":401}}');
});

service.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {net.AddressInfo} */ (service.address());
  process.env.ERPHOST_BASE_URL = `http://127.0.0.1:${port}/v1`;
  process.env.ERPHOST_API_KEY = "warm_test_warmwarmwarm";
  process.argv = [process.argv[0] ?? "", bundle, ...warmUp.args];
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(bundle, "latin1")}\n})`;
  const script = new vm.Script(source, { filename: "provider.cjs" });
  process.stdout.write = (/** @type {string} */ text) => {
    call(new RegExp(warmUp.address).exec(text)?.[1] ?? "").then(
      () => {
        writeFileSync(cache, script.createCachedData());
        process.exit(0);
      },
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
    return true;
  };
  const module_ = { exports: {} };
  script.runInThisContext()(module_.exports, require, module_, bundle, "");
});

/** @param {string} address a port or a socket's path */
async function call(address) {
  const port = Number(address);
  const session = http2.connect("http://localhost", {
    createConnection: () => (port > 0 ? net.connect(port, "127.0.0.1") : net.connect(address)),
  });
  for (const [path, body] of warmUp.calls) {
    const message = Buffer.from(body, "base64");
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    await new Promise((resolve, reject) => {
      const stream = session.request({
        ":method": "POST",
        ":path": path,
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
