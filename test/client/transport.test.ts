import { expect, test } from "@jest/globals";
import { createServer as createSecureServer } from "node:https";
import { createServer, request as forward } from "node:http";
import { connect } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { MockAgent } from "undici";
import { makeCertificate } from "../../provider/terraform/host/certificate";
import { addressOf, atEnd } from "../support/folder";
import { CANARY, failureOf, opened } from "./support/core";
import { scriptServer, success } from "./support/script-server";

// Not the whole package, which gives its agents what the client's own has to have without it.
const Mock = require("undici/lib/mock/mock-agent") as typeof MockAgent;

const AUTH = { authenticated: true, key_id: "key_1", permissions: ["admin"] };

/** A proxy that tunnels, and forwards plain requests; it notes what it was asked. */
async function proxy() {
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const { method, headers } = incoming;
    const onward = forward(incoming.url ?? "", { method, headers });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  server.on("connect", (incoming, socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    const [host = "", port = ""] = (incoming.url ?? "").split(":");
    const onward = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  return { asked, url: await addressOf(server) };
}

test("requests carry the headers of the contract through a mock of undici", async () => {
  const agent = new Mock();
  agent.disableNetConnect();
  const headers = {
    authorization: `Bearer ${CANARY}`,
    "content-type": "application/json",
    "user-agent": "mine/1 erphost",
  };
  const intercepted = agent
    .get("https://x.test")
    .intercept({ path: "/v1/auth/test", method: "GET", headers });
  intercepted.reply(200, { success: true, data: AUTH });
  const given = { baseUrl: "https://x.test/v1", userAgent: "mine/1" };
  const erphost = opened({ ...given, ...{ dispatcher: agent } });
  atEnd(() => agent.close());
  expect(await erphost.auth.test()).toMatchObject({ keyId: "key_1", permissions: ["admin"] });
});

test("a client opens as many connections as calls at a time, and no more", async () => {
  const sockets = new Set<unknown>();
  const { baseUrl } = await scriptServer((response, request) => {
    sockets.add(request.socket);
    setTimeout(() => success({ id: "srv_1", name: "n" }, 201)(response, request), 5);
  });
  const erphost = opened({ baseUrl, concurrency: 3 });
  await Promise.all(Array.from({ length: 12 }, () => erphost.servers.create({ name: "n" })));
  expect(sockets.size).toBe(3);
});

test("a closed client also fails the calls that wait", async () => {
  const { baseUrl } = await scriptServer((response, request) => {
    setTimeout(() => success({ id: "srv_1", name: "n" }, 201)(response, request), 50);
  });
  const erphost = opened({ baseUrl, concurrency: 1 });
  const ended = Promise.allSettled([..."abc"].map((name) => erphost.servers.create({ name })));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await erphost.close();
  const closed = { status: "rejected", reason: { code: "closed" } };
  expect(await ended).toMatchObject([{ status: "fulfilled" }, closed, closed]);
  expect(() => erphost.useKey("s3cr3t")).toThrow("apiKey is not a valid API key");
});

test("a client uses the proxy of the environment unless it is disabled", async () => {
  const { baseUrl } = await scriptServer(success(AUTH));
  const { asked, url } = await proxy();
  await opened({ baseUrl, env: { HTTP_PROXY: url } }).auth.test();
  expect(asked).toHaveLength(1);
  await opened({ baseUrl, env: { HTTP_PROXY: url, NO_PROXY: "127.0.0.1" } }).auth.test();
  await opened({ baseUrl, proxy: false, env: { HTTP_PROXY: url } }).auth.test();
  expect(asked).toHaveLength(1);
  await opened({ baseUrl, proxy: url }).auth.test();
  expect(asked).toHaveLength(2);
});

test("a client trusts the given certificate and no other, also behind a proxy", async () => {
  const { certificatePem: ca, keyPem } = makeCertificate(Date.now(), Buffer.from([1]));
  const answer = JSON.stringify({ success: true, data: AUTH });
  const secure = createSecureServer({ cert: ca, key: keyPem }, (_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
  const { port } = new URL(await addressOf(secure));
  const baseUrl = `https://localhost:${port}/v1`;
  expect((await opened({ baseUrl, ca }).auth.test()).keyId).toBe("key_1");
  const { asked, url } = await proxy();
  const proxied = opened({ baseUrl, ca, env: { HTTPS_PROXY: url } });
  expect((await proxied.auth.test()).keyId).toBe("key_1");
  expect(asked).toEqual([`CONNECT localhost:${port}`]);
  const error = await failureOf(opened({ baseUrl }).auth.test());
  expect(error).toMatchObject({ code: "network_error", retryable: false });
  expect(String(error)).toContain("DEPTH_ZERO_SELF_SIGNED_CERT");
  // Where Node trusts it, as by NODE_EXTRA_CA_CERTS, so does the client, whatever it is given besides.
  const trusted = getCACertificates("default");
  atEnd(() => setDefaultCACertificates(trusted));
  setDefaultCACertificates([...trusted, ca]);
  const { certificatePem: other } = makeCertificate(Date.now(), Buffer.from([2]));
  for (const given of [{}, { ca: other }, { proxy: url }]) {
    expect((await opened({ baseUrl, ...given }).auth.test()).keyId).toBe("key_1");
  }
});
