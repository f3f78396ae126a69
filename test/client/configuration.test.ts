import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ErpHost } from "../../provider";
import { InvalidInput, parseApiKey } from "../../provider/contract";
import { readConfiguration, type Given } from "../../provider/client/settings/read";

const KEY = "acme_test_s3cr3ts3cr3t";
const good = { apiKey: KEY, baseUrl: "https://api.example.com/v1" };

function faultOf(given: Given, env = {}, readFile?: (path: string) => string): string {
  try {
    readConfiguration({ given, env, ...(readFile && { readFile }) });
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
  throw new Error("it was accepted");
}

const issuesOf = (given: Given) => {
  try {
    readConfiguration({ given });
    return [];
  } catch (error) {
    return (error as InvalidInput).issues;
  }
};

describe("a configuration", () => {
  test("a configuration comes from the program, then from the environment, then from defaults", () => {
    const env = {
      ERPHOST_API_KEY: ` ${KEY}\n`,
      ERPHOST_BASE_URL: "https://api.example.com/eu/v1/",
      ERPHOST_ENVIRONMENT: "test",
      ERPHOST_TIMEOUT: "45",
      ERPHOST_PROFILE: '{"settleWindowMs": 5}',
    };
    const read = readConfiguration({ env });
    expect(read).toMatchObject({
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

  test.each<[string, Given, string]>([
    [
      "no key",
      { ...good, apiKey: undefined },
      "apiKey is missing. Set ERPHOST_API_KEY or the option apiKey.",
    ],
    ["an empty key", { ...good, apiKey: " " }, "apiKey is missing"],
    [
      "a malformed key",
      { ...good, apiKey: "s3cr3t" },
      "apiKey is not a valid API key; expected <prefix>_<live|test>_<identifier>. Copy it again from the dashboard.",
    ],
    [
      "a live key where a test key is wanted",
      { ...good, apiKey: "acme_live_s3cr3t", environment: "test" },
      "apiKey is a live key, but a test key is expected. Use a test key, or change environment (ERPHOST_ENVIRONMENT).",
    ],
    [
      "no address",
      { ...good, baseUrl: undefined },
      "baseUrl is missing. Set ERPHOST_BASE_URL or the option baseUrl.",
    ],
    [
      "an address without /v1",
      { ...good, baseUrl: "https://api.example.com/" },
      "baseUrl must end in /v1; did you mean https://api.example.com/v1?",
    ],
    [
      "an address that only looks like it",
      { ...good, baseUrl: "https://api.example.com/xv1" },
      "baseUrl must end in /v1",
    ],
    [
      "the address of a resource",
      { ...good, baseUrl: "https://api.example.com/eu/v1/servers" },
      "baseUrl must end in /v1; did you mean https://api.example.com/eu/v1?",
    ],
    [
      "an address of another version",
      { ...good, baseUrl: "https://api.example.com/v2/" },
      "baseUrl must end in /v1; did you mean https://api.example.com/v1?",
    ],
    [
      "a test key and an http address",
      { ...good, baseUrl: "http://api.example.com/v1" },
      "baseUrl is an http address, so anyone on the way can read the key. Use https, or set allowHttp (ERPHOST_ALLOW_HTTP) to true",
    ],
    [
      "a live key and an http address that is allowed",
      { apiKey: "acme_live_s3cr3t", baseUrl: "http://api.example.com/v1", allowHttp: true },
      "baseUrl is an http address, and a live key is never sent without encryption.",
    ],
    [
      "no address at all",
      { ...good, baseUrl: "api.example.com" },
      "baseUrl is not a URL; use https://host/v1.",
    ],
    [
      "another protocol",
      { ...good, baseUrl: "ftp://api.example.com/v1" },
      "must begin with https:// or http://",
    ],
    [
      "a query",
      { ...good, baseUrl: "https://api.example.com/v1?key=s3cr3t" },
      "must not contain a query or a fragment",
    ],
    [
      "credentials",
      { ...good, baseUrl: "https://me:s3cr3t@api.example.com/v1" },
      "must not contain a user name or password. The key belongs in apiKey (ERPHOST_API_KEY).",
    ],
    [
      "an unknown environment",
      { ...good, environment: "staging" },
      "environment must be live or test",
    ],
    [
      "a timeout that is none",
      { ...good, timeout: "soon" },
      "timeout must be a duration from 100ms to 1h, such as 60s.",
    ],
    [
      "a timeout of nothing",
      { ...good, timeout: "0" },
      "timeout must be a duration from 100ms to 1h, such as 60s.",
    ],
    [
      "an endless timeout",
      { ...good, timeout: "100d" },
      "timeout must be a duration from 100ms to 1h",
    ],
    ["a share of nothing", { ...good, share: 0 }, "share must be a number above 0 and at most 1."],
    ["a share of more than all", { ...good, share: 1.5 }, "share must be a number above 0"],
    [
      "a limit in words",
      { ...good, limits: ["many"] },
      "limits[0] must be requests per duration, such as 100/2s",
    ],
    [
      "a limit of nothing",
      { ...good, limits: [{ requests: 0, windowMs: 1 }] },
      "limits[0] must be requests per duration",
    ],
    [
      "a limit without a window",
      { ...good, limits: [{ requests: 1, windowMs: 0 }] },
      "limits[0] must be requests per duration",
    ],
    [
      "no calls at a time",
      { ...good, concurrency: 0 },
      "concurrency must be an integer from 1 to 1000.",
    ],
    [
      "a profile that is not JSON",
      { ...good, profile: "{" },
      "profile is not valid JSON. Give an object as docs/reference/contract.md describes it.",
    ],
    [
      "a profile that can't be read",
      { ...good, profile: "./p.json" },
      "profile cannot be read from ./p.json. Give JSON, or the path of a JSON file.",
    ],
    [
      "a profile with unknown keys",
      { ...good, profile: { sette: 1 } },
      "profile.sette is not a known member.",
    ],
    [
      "a proxy that is none",
      { ...good, proxy: "socks5://me:s3cr3t@host" },
      "proxy must be an http:// or https:// URL (HTTPS_PROXY).",
    ],
    ["a user agent with line breaks", { ...good, userAgent: "a\r\nb" }, "userAgent must be"],
  ])("a configuration with %s is refused with one issue", (_, given, sentence) => {
    const fault = faultOf(given);
    expect(fault).toContain(sentence);
    expect(fault).not.toMatch(/s3cr3t/);
    expect(issuesOf(given)).toHaveLength(1);
  });

  test("a configuration reports all its faults at once", () => {
    const fault = faultOf({ share: 2, environment: "moon" });
    for (const name of ["apiKey", "baseUrl", "share", "environment"]) expect(fault).toContain(name);
  });

  test.each([
    ["localhost", "http://localhost:4010/v1", undefined],
    ["a name of this machine", "http://erp.localhost/v1", undefined],
    ["127.0.0.1", "http://127.0.0.1/v1", undefined],
    ["127.8.8.8", "http://127.8.8.8/v1", undefined],
    ["::1", "http://[::1]:4010/v1", undefined],
    ["127.0.0.1 by a proxy there", "http://127.0.0.1/v1", "http://localhost:3128"],
    ["https by a proxy elsewhere", "https://api.example.com/v1", "http://proxy:3128"],
  ])("a live key may be used at %s", (_, baseUrl, proxy) => {
    expect(issuesOf({ apiKey: "acme_live_s3cr3t", baseUrl, proxy })).toEqual([]);
  });

  test.each([
    ["a host in the network", "http://10.0.0.7/v1", undefined],
    ["all addresses", "http://0.0.0.0:4010/v1", undefined],
    ["a host that is named like this machine", "http://localhost.example.com/v1", undefined],
    ["a host that begins like this machine", "http://127.0.0.1.example.com/v1", undefined],
    ["this machine by a proxy elsewhere", "http://127.0.0.1/v1", "http://proxy:3128"],
  ])("a key may not be used over http at %s", (_, baseUrl, proxy) => {
    for (const apiKey of [KEY, "acme_live_s3cr3t"]) {
      expect(issuesOf({ apiKey, baseUrl, proxy })).toMatchObject([{ path: ["baseUrl"] }]);
    }
    expect(issuesOf({ apiKey: KEY, baseUrl, proxy, allowHttp: true })).toEqual([]);
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
    expect(faultOf({}, { ERPHOST_API_KEY: "", ERPHOST_BASE_URL: "  " })).toMatch(
      /apiKey is missing.*baseUrl is missing/s,
    );
  });

  test.each([
    ["https://api.example.com/v1", { HTTPS_PROXY: "http://proxy:3128" }, "http://proxy:3128"],
    ["https://api.example.com/v1", { https_proxy: "proxy:3128" }, "http://proxy:3128"],
    ["https://api.example.com/v1", { HTTP_PROXY: "http://proxy:3128" }, undefined],
    ["http://localhost/v1", { HTTP_PROXY: "http://localhost:3128" }, "http://localhost:3128"],
    [
      "https://api.example.com/v1",
      { HTTPS_PROXY: "http://p:1", NO_PROXY: "example.com" },
      undefined,
    ],
    [
      "https://api.example.com/v1",
      { HTTPS_PROXY: "http://p:1", NO_PROXY: "x, .example.com" },
      undefined,
    ],
    [
      "https://api.example.com/v1",
      { HTTPS_PROXY: "http://p:1", NO_PROXY: "ple.com" },
      "http://p:1",
    ],
    ["https://api.example.com/v1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "*" }, undefined],
    [
      "https://api.example.com/v1",
      { HTTPS_PROXY: "http://p:1", NO_PROXY: "example.com:8443" },
      "http://p:1",
    ],
    [
      "https://api.example.com:8443/v1",
      { HTTPS_PROXY: "http://p:1", NO_PROXY: "example.com:8443" },
      undefined,
    ],
    ["http://[::1]:4010/v1", { HTTP_PROXY: "http://p:1", NO_PROXY: "::1" }, undefined],
    ["http://[::1]:4010/v1", { HTTP_PROXY: "http://p:1", NO_PROXY: "[::1]:4010" }, undefined],
  ])("the address %s with %p goes through the proxy %p", (baseUrl, env, proxy) => {
    expect(readConfiguration({ given: { ...good, baseUrl }, env }).proxy).toBe(proxy);
    expect(
      readConfiguration({ given: { ...good, baseUrl, proxy: false }, env }).proxy,
    ).toBeUndefined();
  });

  test("certificates come from the file that NODE_EXTRA_CA_CERTS names", () => {
    const env = { NODE_EXTRA_CA_CERTS: "/ca.pem" };
    const readFile = () => "PEM";
    expect(readConfiguration({ given: good, env, readFile }).ca).toBe("PEM");
    expect(readConfiguration({ given: { ...good, ca: "MINE" }, env, readFile }).ca).toBe("MINE");
  });
});

describe("keys and addresses", () => {
  test("every valid key is split at its first live or test", () => {
    const part = fc.stringMatching(/^[A-Za-z0-9]{1,8}$/);
    const unique = fc.stringMatching(/^[!-~]{1,20}$/);
    fc.assert(
      fc.property(part, fc.constantFrom("live", "test"), unique, (prefix, environment, rest) => {
        expect(parseApiKey(`${prefix}_${environment}_${rest}`)).toEqual({
          prefix,
          environment,
          unique: rest,
        });
      }),
    );
  });

  test("no text makes the reading of a key or an address fail except with an issue", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (apiKey, baseUrl) => {
        try {
          readConfiguration({ given: { apiKey, baseUrl } });
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidInput);
        }
      }),
    );
    expect.assertions(100);
  });
});
