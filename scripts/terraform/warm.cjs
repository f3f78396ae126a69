"use strict";

/**
 * Runs the bundled provider once and writes what the compiler made of it, so that a process which
 * starts later compiles nothing. `node warm.cjs BUNDLE CACHE`; the calls to make come on stdin as
 * `[[path, base64], …]`.
 */

const { readFileSync, writeFileSync } = require("node:fs");
const http = require("node:http");
const http2 = require("node:http2");
const net = require("node:net");
const vm = require("node:vm");

const [, , bundle = "", cache = ""] = process.argv;
/** @type {[string, string][]} */
const calls = JSON.parse(readFileSync(0, "utf8"));

// A service that refuses every key: the code that makes calls runs, and ends at once.
const service = http.createServer((_request, response) => {
  response.writeHead(401, { "content-type": "application/json" });
  response.end('{"error":{"code":"invalid_token","message":"no","status":401}}');
});

service.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {net.AddressInfo} */ (service.address());
  process.env.ERPHOST_BASE_URL = `http://127.0.0.1:${port}/v1`;
  process.env.ERPHOST_API_KEY = "warm_test_warmwarmwarm";
  process.argv = [process.argv[0] ?? "", bundle, "--debug"];
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(bundle, "latin1")}\n})`;
  const script = new vm.Script(source, { filename: "provider.cjs" });
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (/** @type {string} */ text) => {
    const address = /"String":"([^"]+)"/.exec(text)?.[1] ?? "";
    call(address, calls).then(
      () => {
        writeFileSync(cache, script.createCachedData());
        process.exit(0);
      },
      (error) => {
        process.stdout.write = write;
        console.error(error);
        process.exit(1);
      },
    );
    return true;
  };
  const module_ = { exports: {} };
  script.runInThisContext()(module_.exports, require, module_, bundle, "");
});

/**
 * @param {string} address
 * @param {[string, string][]} requests
 */
async function call(address, requests) {
  const session = http2.connect("http://localhost", {
    createConnection: () => net.connect(address),
  });
  for (const [path, body] of requests) {
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
