import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ErpHost } from "../../provider";
import { InvalidInput } from "../../provider/contract";
import { readConfiguration, type Given } from "../../provider/client/settings/read";

const KEY = "acme_test_s3cr3ts3cr3t";
const good = { apiKey: KEY, baseUrl: "https://api.example.com/v1" };

/** Why a configuration is refused; undefined when it is accepted. */
function refusalOf(given: Given, env = {}): InvalidInput | undefined {
  try {
    readConfiguration({ given, env });
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
}

type Row = [given: Given, sentence: string];
const TIMEOUT = "must be a duration from 100ms to 1h, such as 60s.";
const LIMIT = "must be requests per duration";
const END = "must end in /v1";
const ADDRESSES = [
  ["https://x.test/", `${END}; did you mean https://x.test/v1?`],
  ["https://x.test/xv1", END],
  ["https://x.test/eu/v1/servers", `${END}; did you mean https://x.test/eu/v1?`],
  ["https://x.test/v2/", `${END}; did you mean https://x.test/v1?`],
  ["x.test", "is not a URL; use https://host/v1."],
  ["ftp://x.test/v1", "must begin with https:// or http://"],
  ["https://x.test/v1?key=s3cr3t", "must not contain a query or a fragment"],
  [
    "https://me:s3cr3t@x.test/v1",
    "must not contain a user name or password. The key belongs in apiKey (ERPHOST_API_KEY).",
  ],
] as const;

describe("a configuration", () => {
  test("a configuration comes from the program, then from the environment, then from defaults", () => {
    const env = {
      ERPHOST_API_KEY: ` ${KEY}\n`,
      ERPHOST_BASE_URL: "https://api.example.com/eu/v1/",
      ERPHOST_ENVIRONMENT: "test",
      ERPHOST_TIMEOUT: "45",
      ERPHOST_PROFILE: '{"settleWindowMs": 5}',
    };
    expect(readConfiguration({ env })).toMatchObject({
      apiKey: KEY,
      account: { baseUrl: "https://api.example.com/eu/v1", environment: "test" },
      timeoutMs: 45_000,
      share: 1,
      concurrency: 10,
      limits: [],
      contract: { settleWindowMs: 5 },
    });
    const given = { ...good, timeout: "500ms", profile: {}, limits: ["100/1m", "1000/h"] };
    expect(readConfiguration({ given, env })).toMatchObject({
      account: { baseUrl: "https://api.example.com/v1" },
      timeoutMs: 500,
      contract: { settleWindowMs: 10_000 },
      limits: [
        { requests: 100, windowMs: 60_000 },
        { requests: 1_000, windowMs: 3_600_000 },
      ],
    });
  });

  test("a configuration reads its profile from a file", () => {
    const read = (path: string) => (path === "p.json" ? '{"unset":"null"}' : "");
    const given = { ...good, profile: "p.json" };
    expect(readConfiguration({ given, readFile: read }).contract.unset).toBe("null");
  });

  test.each<Row>([
    [{ apiKey: undefined }, "apiKey is missing. Set ERPHOST_API_KEY or the option apiKey."],
    [{ apiKey: " " }, "apiKey is missing"],
    [
      { apiKey: "s3cr3t" },
      "apiKey is not a valid API key; expected <prefix>_<live|test>_<identifier>. Copy it again from the dashboard.",
    ],
    [
      { apiKey: "acme_live_s3cr3t", environment: "test" },
      "apiKey is a live key, but a test key is expected. Use a test key, or change environment (ERPHOST_ENVIRONMENT).",
    ],
    [{ baseUrl: undefined }, "baseUrl is missing. Set ERPHOST_BASE_URL or the option baseUrl."],
    [
      { baseUrl: "http://x.test/v1" },
      "baseUrl is an http address, so anyone on the way can read the key. Use https, or set allowHttp (ERPHOST_ALLOW_HTTP) to true",
    ],
    [
      { apiKey: "acme_live_s3cr3t", baseUrl: "http://x.test/v1", allowHttp: true },
      "baseUrl is an http address, and a live key is never sent without encryption.",
    ],
    [{ environment: "staging" }, "environment must be live or test"],
    [{ timeout: "soon" }, `timeout ${TIMEOUT}`],
    [{ timeout: "0" }, `timeout ${TIMEOUT}`],
    [{ timeout: "100d" }, `timeout ${TIMEOUT}`],
    [{ share: 0 }, "share must be a number above 0 and at most 1."],
    [{ share: 1.5 }, "share must be a number above 0"],
    [{ limits: ["many"] }, `limits[0] ${LIMIT}, such as 100/2s`],
    [{ limits: [{ requests: 0, windowMs: 1 }] }, `limits[0] ${LIMIT}`],
    [{ limits: [{ requests: 1, windowMs: 0 }] }, `limits[0] ${LIMIT}`],
    [{ concurrency: 0 }, "concurrency must be an integer from 1 to 1000."],
    [
      { profile: "{" },
      "profile is not valid JSON. Give an object as docs/reference/contract.md describes it.",
    ],
    [
      { profile: "./p.json" },
      "profile cannot be read from ./p.json. Give JSON, or the path of a JSON file.",
    ],
    [{ profile: { sette: 1 } }, "profile.sette is not a known member."],
    [
      { proxy: "socks5://me:s3cr3t@host" },
      "proxy must be an http:// or https:// URL (HTTPS_PROXY).",
    ],
    [{ proxy: "http://me:s3cr3t%@host" }, "A % in its user name or password is written %25."],
    [{ userAgent: "a\r\nb" }, "userAgent must be"],
    ...ADDRESSES.map(([baseUrl, why]): Row => [{ baseUrl }, `baseUrl ${why}`]),
  ])("a configuration with %j is refused with one issue: %s", (given, sentence) => {
    const refusal = refusalOf({ ...good, ...given });
    expect(refusal?.message).toContain(sentence);
    expect(refusal?.message).not.toMatch(/s3cr3t/);
    expect(refusal?.issues).toHaveLength(1);
  });

  test("a configuration reports all its faults at once", () => {
    const fault = refusalOf({ share: 2, environment: "moon" })?.message;
    for (const name of ["apiKey", "baseUrl", "share", "environment"]) expect(fault).toContain(name);
  });

  test.each([
    ["localhost", "http://localhost:4010/v1", undefined],
    ["127.0.0.1", "http://127.0.0.1/v1", undefined],
    ["127.8.8.8", "http://127.8.8.8/v1", undefined],
    ["::1", "http://[::1]:4010/v1", undefined],
    ["127.0.0.1 by a proxy there", "http://127.0.0.1/v1", "http://localhost:3128"],
    ["https by a proxy elsewhere", "https://api.example.com/v1", "http://proxy:3128"],
  ])("a live key may be used at %s", (_, baseUrl, proxy) => {
    expect(refusalOf({ apiKey: "acme_live_s3cr3t", baseUrl, proxy })).toBeUndefined();
  });

  test.each([
    ["a host in the network", "http://10.0.0.7/v1", undefined],
    ["all addresses", "http://0.0.0.0:4010/v1", undefined],
    ["a name that a resolver decides", "http://erp.localhost/v1", undefined],
    ["a host that is named like this machine", "http://localhost.example.com/v1", undefined],
    ["a host that begins like this machine", "http://127.0.0.1.example.com/v1", undefined],
    ["this machine by a proxy elsewhere", "http://127.0.0.1/v1", "http://proxy:3128"],
  ])("a key may not be used over http at %s", (_, baseUrl, proxy) => {
    for (const apiKey of [KEY, "acme_live_s3cr3t"]) {
      const issues = [{ path: ["baseUrl"] }];
      expect(refusalOf({ apiKey, baseUrl, proxy })).toMatchObject({ issues });
    }
    expect(refusalOf({ apiKey: KEY, baseUrl, proxy, allowHttp: true })).toBeUndefined();
  });

  test("a client on a plain http address takes no live key later", () => {
    const given = { ...good, baseUrl: "http://api.example.com/v1", allowHttp: true, env: {} };
    const erphost = new ErpHost(given);
    expect(() => erphost.useKey("acme_live_s3cr3t")).toThrow("a live key is never sent");
    expect(() => erphost.useKey("acme_test_s3cr3t")).not.toThrow();
    const encrypted = new ErpHost({ ...good, env: {} });
    expect(() => encrypted.useKey("acme_live_s3cr3t")).not.toThrow();
  });

  test("an empty variable counts as not set", () => {
    const refusal = refusalOf({}, { ERPHOST_API_KEY: "", ERPHOST_BASE_URL: "  " });
    expect(refusal?.message).toMatch(/apiKey is missing.*baseUrl is missing/s);
  });

  test.each([
    ["https://x.test/v1", { HTTPS_PROXY: "http://proxy:3128" }, "http://proxy:3128"],
    ["https://x.test/v1", { https_proxy: "proxy:3128" }, "http://proxy:3128"],
    ["https://x.test/v1", { HTTP_PROXY: "http://proxy:3128" }, undefined],
    ["http://localhost/v1", { HTTP_PROXY: "http://localhost:3128" }, "http://localhost:3128"],
    ["https://api.x.test/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "x.test" }, undefined],
    ["https://api.x.test/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "x, .x.test" }, undefined],
    ["https://example.test/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "ple.test" }, "http://p:1"],
    ["https://x.test/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "*" }, undefined],
    ["https://x.test/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "x.test:8443" }, "http://p:1"],
    ["https://x.test:8443/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "x.test:8443" }, undefined],
    ["https://x.test/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "*.X.test:443" }, undefined],
    ["https://x.test/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "x.test:80" }, "http://p:1"],
    ["http://[::1]/v1", { HTTP_PROXY: "http://p:1", NO_PROXY: "[::1]:80" }, undefined],
    ["http://[::1]:4010/v1", { HTTP_PROXY: "http://p:1", NO_PROXY: "::1" }, undefined],
    ["http://[::1]:4010/v1", { HTTP_PROXY: "http://p:1", NO_PROXY: "[::1]:4010" }, undefined],
    ["https://10.1.2.3/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/8" }, undefined],
    ["https://11.1.2.3/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/8" }, "http://p:1"],
    ["https://11.1.2.3/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/" }, "http://p:1"],
    ["https://[fd00::1]/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "fd00::/8" }, undefined],
    ["https://x.test/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/8" }, "http://p:1"],
  ])("the address %s with %p goes through the proxy %p", (baseUrl, env, proxy) => {
    const proxyOf = (given: Given) =>
      readConfiguration({ given: { ...good, baseUrl, ...given }, env }).proxy;
    expect(proxyOf({})).toBe(proxy);
    expect(proxyOf({ proxy: false })).toBeUndefined();
  });
});

test("no text makes the reading of a key or an address fail except with an issue", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (apiKey, baseUrl) => {
      expect(refusalOf({ apiKey, baseUrl })).toBeInstanceOf(InvalidInput);
    }),
  );
  expect.assertions(100);
});
