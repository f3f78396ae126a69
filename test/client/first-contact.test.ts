/** What a person sees first: a wrong address, a closed port, an unknown host, a wrong key. */
import { describe, expect, test } from "@jest/globals";
import { createServer } from "node:http";
import { isErpHostError, type ErpHostError } from "../../provider/client/errors";
import type { Given } from "../../provider/client/settings/read";
import { freePort } from "../harness/servers";
import { addressOf } from "../support/folder";
import { clientOn, failure, failureOf, fault, opened, raw, SERVER } from "./support/core";
import { html, json, scriptServer } from "./support/script-server";

async function firstError(given: Given): Promise<ErpHostError> {
  const error = await failureOf(opened(given).auth.test());
  if (!isErpHostError(error)) throw error;
  return error;
}

describe("a first call", () => {
  test("a closed port is reported with the address, the system's code and what to check", async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}/v1`;
    const error = await firstError({ baseUrl });
    expect(error).toMatchObject({ code: "network_error", systemCode: "ECONNREFUSED", attempts: 3 });
    expect(error.message).toBe(
      `GET /auth/test → network_error: nothing listens at ${baseUrl} (ECONNREFUSED) (after 3 attempts). Check host and port in baseUrl (ERPHOST_BASE_URL), and that the service is running.`,
    );
  });

  test("a closed port of the proxy is not blamed on the service, and shows no password", async () => {
    const port = await freePort();
    const proxy = `http://me:s3cr3t-word@127.0.0.1:${port}`;
    const error = await firstError({ baseUrl: "http://localhost:9/v1", proxy });
    expect(error.message).toContain(
      `nothing listens at the proxy http://127.0.0.1:${port}, used for http://localhost:9/v1`,
    );
    expect(error.message).toContain("Check HTTPS_PROXY and HTTP_PROXY");
    expect(error.message).not.toContain("s3cr3t");
  });

  test("a proxy that refuses is tried three times and reported with its status", async () => {
    const refusing = createServer().on("connect", (_, socket) => {
      socket.end("HTTP/1.1 407 Who are you\r\n\r\n");
    });
    const proxy = await addressOf(refusing);
    const error = await firstError({ baseUrl: "https://service.test/v1", proxy });
    expect(error).toMatchObject({ code: "network_error", attempts: 3 });
    expect(error.message).toContain("Proxy response (407)");
  });

  test("an https address whose port speaks http is reported as such", async () => {
    const server = await scriptServer(json(200, {}));
    const error = await firstError({ baseUrl: server.baseUrl.replace("http:", "https:") });
    expect(error).toMatchObject({ code: "network_error", attempts: 3 });
    expect(error.message).toMatch(/: https:\S+ does not answer with TLS \(E\w+\)/);
    expect(error.message).toContain("https is spoken on another port than http");
  });

  test("a page that does not exist is reported with address, status and what it looks like", async () => {
    const { baseUrl, received } = await scriptServer(html(404));
    expect((await firstError({ baseUrl })).message).toBe(
      `GET /auth/test → 404 not_offered: ${baseUrl}/auth/test answered 404 with 32 characters, text/html, so this is probably not the address of the service. Check baseUrl (ERPHOST_BASE_URL): it is the address of the API, which ends in /v1.`,
    );
    expect(received).toHaveLength(1);
  });

  test("a web page in place of an answer is tried three times and reported with its address", async () => {
    const { baseUrl, received } = await scriptServer(html(200));
    expect((await firstError({ baseUrl })).message).toContain(
      `${baseUrl}/auth/test answered 200 with 32 characters, text/html, which is not JSON (after 3 attempts). Check baseUrl (ERPHOST_BASE_URL), and any proxy`,
    );
    expect(received).toHaveLength(3);
  });

  test("a redirect is not followed, and is reported with where it leads, without query and credentials", async () => {
    const location = "https://me:s3cr3t@erp.example/v1/auth/test?token=s3cr3t";
    const { baseUrl, received } = await scriptServer(json(301, "", { location }));
    const error = await firstError({ baseUrl });
    expect(error).toMatchObject({ code: "redirected", status: 301, retryable: false });
    expect(received).toHaveLength(1);
    expect(error.message).toContain("a redirect to https://erp.example/v1/auth/test, which is not");
    expect(error.message).not.toContain("s3cr3t");
  });

  test("a wrong key is reported with the address that refuses it", async () => {
    const { baseUrl, received } = await scriptServer(
      json(401, { error: { code: "invalid_token" } }),
    );
    const error = await firstError({ baseUrl });
    expect(error.message).toContain(`Check that apiKey (ERPHOST_API_KEY) belongs to ${baseUrl}.`);
    expect(received).toHaveLength(1);
  });
});

const UNKNOWN_HOST = "ENOTFOUND: getaddrinfo ENOTFOUND service.test";

describe("attempts", () => {
  test.each([
    [UNKNOWN_HOST, "the host of https://service.test/v1 cannot be found (ENOTFOUND)"],
    ["EAI_AGAIN: getaddrinfo EAI_AGAIN service.test", "cannot be found (EAI_AGAIN)"],
    ["ECONNREFUSED", "nothing listens at https://service.test/v1 (ECONNREFUSED)"],
    ["EHOSTUNREACH: connect", "the connection to https://service.test/v1 failed: EHOSTUNREACH"],
    ["EPROTO: wrong version number", "does not answer with TLS (EPROTO)"],
  ])("a first call that ends in %s is reported within three seconds", async (detail, sentence) => {
    const { core, clock, failed, sent } = clientOn(fault(detail));
    expect(String(await failed(core.authTest()))).toContain(sentence);
    expect(clock.elapsedMs).toBeLessThan(3_000);
    expect(sent).toHaveLength(3);
  });

  test("a service that has answered before is waited for when nothing listens any more", async () => {
    const { core, clock, failed, sent } = clientOn(() =>
      sent.length === 1 ? SERVER : fault("ECONNREFUSED")(),
    );
    await clock.run(core.create("server", { name: "n" }));
    await failed(core.create("server", { name: "m" }));
    expect(sent).toHaveLength(1 + 9);
  });

  test("a broken connection is tried nine times by a first call too, and each wait is announced with the system's code", async () => {
    const reset = fault("ECONNRESET: read ECONNRESET");
    const { core, failed, sent, notices, onNotice } = clientOn(reset);
    await failed(core.authTest({ onNotice }));
    expect(sent).toHaveLength(9);
    expect(notices[0]?.message).toMatch(
      /^GET \/auth\/test failed with network_error \(ECONNRESET\); trying/,
    );
  });

  const AT = "https://service.test/v1";
  const HTML = raw(502, "<html>");
  test.each([
    ["502", HTML, `502 internal_error: ${AT}/auth/test answered 502 with 6 characters`],
    ["a broken connection", undefined, `network_error: the connection to ${AT} failed: ECONNRESET`],
  ])("a call that is out of time says why its last attempt failed: %s", async (_, answer, why) => {
    const { core, failed } = clientOn(() => answer);
    const error = await failed(core.authTest({ timeoutMs: 2_000 }));
    expect(error).toMatchObject({ code: "deadline_exceeded" });
    expect(String(error)).toContain(`the last attempt failed with ${why}`);
    expect(String(error)).toContain("ERPHOST_BASE_URL");
  });

  test("a call whose time ends during an attempt says why the one before failed", async () => {
    const { core, failed, sent } = clientOn(() =>
      sent.length === 1 ? failure(500, "internal_error") : new Promise(() => undefined),
    );
    expect(String(await failed(core.authTest({ timeoutMs: 10_000 })))).toContain(
      "took longer than 10000 ms; the last attempt failed with 500 internal_error: the message of internal_error",
    );
  });
});
