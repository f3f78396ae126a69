/** The plugin around the provider: who can connect, what bad bytes do, and how it starts. */
import { spawn, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { startEmulator, type Emulator } from "../../emulator";
import { frame } from "../../provider/grpc/framing";
import { makeCertificate, type Certificate } from "../../provider/terraform/host/certificate";
import { COOKIE_NAME, COOKIE_VALUE, handshakeLine } from "../../provider/terraform/host/handshake";
import { createLog } from "../../provider/terraform/host/log";
import { startPlugin, type Plugin, type PluginOptions } from "../../provider/terraform/host/plugin";
import { takeOver } from "../../provider/terraform/host/take-over";
import { textThere, workspaceOf } from "../../provider/terraform/host/workspace";
import { createProvider } from "../../provider/terraform/server/provider";
import { readObject } from "../../provider/terraform/values/dynamic";
import * as m from "../../provider/terraform/wire/messages.gen";
import { encodeMsgpack } from "../../provider/terraform/wire/msgpack";
import { decodeMessage, encodeMessage } from "../../provider/grpc";
import { strike } from "../support/ask";
import { folder as tempFolder } from "../support/folder";
import { SECRET_TEXTS } from "../support/secrets";
import { isAlive, outcomeOf, until } from "../support/wait";
import { open, type Client } from "./support/client";

const YEAR_MS = 366 * 86_400_000;
const NOW = Date.now();
const certificate = (ageMs = 0, mark = 1): Certificate =>
  makeCertificate(NOW - ageMs, Buffer.alloc(8, mark));

const server = certificate();
const serverTls = { key: server.keyPem, certificate: server.certificatePem };
const engine = certificate(0, 2);
let emulator: Emulator;
let plugin: Plugin;
let client: Client;
const faults: unknown[] = [];
const SERVICE = "/tfplugin6.Provider/";

const started = (own: Partial<PluginOptions> = {}, client = engine): Promise<Plugin> =>
  startPlugin({
    methods: new Map(),
    streams: new Map(),
    platform: process.platform,
    tls: { ...serverTls, clientCertificate: client.certificatePem },
    onFault: (_, error) => faults.push(error),
    onShutdown: async () => undefined,
    onGone: () => undefined,
    ...own,
  });

beforeAll(async () => {
  emulator = await startEmulator();
  const log = createLog({ env: {}, write: () => undefined, nowMs: () => NOW });
  const surroundings = { env: {}, cwd: "/", pid: process.pid, platform: process.platform };
  plugin = await started(createProvider(surroundings, log));
  client = await open({ address: plugin.address, server: server.certificatePem, own: engine });
});
afterAll(async () => {
  client.close();
  plugin.close();
  await emulator.close();
});

test("the certificate is for localhost, signed by itself, and valid now", () => {
  const read = new X509Certificate(server.certificate);
  expect(read.checkHost("localhost")).toBe("localhost");
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.ca).toBe(true);
  expect(Date.parse(read.validFrom)).toBeLessThan(NOW);
  expect(Date.parse(read.validTo)).toBeGreaterThan(NOW + YEAR_MS / 2);
});

test("the line of the handshake carries the certificate without padding", () => {
  const line = handshakeLine({ network: "unix", address: "/a/b" }, server.certificate);
  const parts = line.split("|");
  expect(parts.slice(0, 5)).toEqual(["1", "6", "unix", "/a/b", "grpc"]);
  expect(Buffer.from(parts[5] ?? "", "base64")).toEqual(server.certificate);
  expect(parts[5]).not.toContain("=");
});

describe("who may connect", () => {
  const connect = (own?: Certificate): Promise<Client> =>
    open({ address: plugin.address, server: server.certificatePem, ...(own && { own }) });

  test("the engine that started the plugin can connect", async () => {
    const answer = await client.call("/grpc.health.v1.Health/Check", Buffer.alloc(0));
    expect(answer).toMatchObject({ status: 0, body: Buffer.from([0x08, 0x01]) });
  });

  test("a client without TLS, without a certificate, or with another or expired one cannot connect", async () => {
    await expect(connect()).rejects.toThrow();
    await expect(connect(certificate(0, 3))).rejects.toThrow();
    await expect(connect(certificate(2 * YEAR_MS))).rejects.toThrow();
    await expect(open({ address: plugin.address })).rejects.toThrow();
  });

  test("even the engine cannot connect once its certificate has expired", async () => {
    const old = certificate(2 * YEAR_MS, 4);
    const other = await started({}, old);
    const late = open({ address: other.address, server: server.certificatePem, own: old });
    await expect(late).rejects.toThrow();
    other.close();
  });

  test("where sockets are not available, the engine connects to a loopback port", async () => {
    const other = await started({ platform: "win32" });
    const { network, address } = other.address;
    expect(network).toBe("tcp");
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    const there = { address: other.address, server: server.certificatePem };
    await expect(open(there)).rejects.toThrow();
    const connected = await open({ ...there, own: engine });
    const answer = await connected.call("/grpc.health.v1.Health/Check", Buffer.alloc(0));
    expect(answer).toMatchObject({ status: 0 });
    connected.close();
    other.close();
  });

  test("no other user can reach the socket, because its folder is private", () => {
    const folder = join(plugin.address.address, "..");
    expect(existsSync(folder)).toBe(true);
    expect(spawnSync("stat", ["-c", "%a", folder], { encoding: "utf8" }).stdout.trim()).toBe("700");
  });
});

describe("bad bytes", () => {
  const PLAN = `${SERVICE}PlanResourceChange`;
  const plan = (config: Buffer) =>
    encodeMessage(m.planRequest, {
      type_name: "erphost_server",
      prior_state: { msgpack: encodeMsgpack(null) },
      config: { msgpack: config },
      prior_private: Buffer.alloc(0),
    });

  test("random bytes as a value are answered, and the next call works", async () => {
    await configured(client);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 60 }), async (bytes) => {
        const { status, message } = await client.call(PLAN, plan(Buffer.from(bytes)));
        expect([0, 3]).toContain(status);
        if (status === 3) expect(message).toMatch(/value|bytes|key|begins/);
      }),
      { numRuns: 300 },
    );
    expect(faults).toEqual([]);
    const good = await client.call(PLAN, plan(encodeMsgpack({ name: "a" })));
    const { diagnostics, planned_state } = decodeMessage(m.planResponse, good.body);
    expect(diagnostics).toEqual([]);
    expect(planned_state?.msgpack?.length).toBeGreaterThan(10);
  });

  test("a truncated, overlong, compressed or malformed message fails its call", async () => {
    const whole = frame(plan(encodeMsgpack({ name: "a" })));
    const cut = await client.call(PLAN, whole, whole.subarray(0, whole.length - 3));
    expect(cut).toMatchObject({ status: 3 });
    expect(cut.message).toMatch(/has \d+ bytes but declares \d+/);
    expect(await client.call(PLAN, whole, Buffer.from([0, 0]))).toMatchObject({ status: 3 });
    const compressed = Buffer.from(whole);
    compressed[0] = 1;
    expect(await client.call(PLAN, whole, compressed)).toMatchObject({ status: 12 });
    expect(await client.call(PLAN, Buffer.from([0xff, 0xff]))).toMatchObject({ status: 3 });
  });

  test("a call that names an unknown method, resource type or data source fails with that name", async () => {
    for (const name of ["Nonsense", "constructor", "toString", "__proto__"]) {
      expect((await client.call(SERVICE + name, Buffer.alloc(0))).status).toBe(12);
    }
    expect(faults).toEqual([]);
    const typed = encodeMessage(m.typedConfigRequest, {
      type_name: "erphost_nonsense",
      config: { msgpack: encodeMsgpack({}) },
    });
    for (const name of ["ValidateResourceConfig", "ReadDataSource", "OpenEphemeralResource"]) {
      const { status, message } = await client.call(SERVICE + name, typed);
      expect(status).toBe(3);
      expect(message).toContain("erphost_nonsense");
    }
  });
});

/** A real process of the provider. */
const launched = (given: Record<string, string>, ...words: string[]) => {
  const entry = ["-r", "ts-node/register/transpile-only", "provider/terraform/main.ts"];
  const env = { PATH: process.env["PATH"] ?? "", ERPHOST_INTENTS_DIR: tempFolder(), ...given };
  const options = { cwd: join(__dirname, "../.."), timeout: 20_000, env };
  return spawn(process.execPath, [...entry, ...words], options);
};
/** Configures the provider of a client for an account. @returns what was said */
async function configured(client: Client, base_url = emulator.baseUrl): Promise<string> {
  const config = { msgpack: encodeMsgpack({ api_key: emulator.adminKey, base_url }) };
  const request = encodeMessage(m.configureProviderRequest, { terraform_version: "1", config });
  const { body } = await client.call(`${SERVICE}ConfigureProvider`, request);
  const { diagnostics } = decodeMessage(m.diagnosed, body);
  return diagnostics.map(({ detail }) => detail).join();
}
const cookie = { [COOKIE_NAME]: COOKIE_VALUE, PLUGIN_PROTOCOL_VERSIONS: "6" };
const start = (env: Record<string, string>) => outcomeOf(launched(env));

test("a provider that a person starts explains what it is and exits", async () => {
  const [bare, wrong] = await Promise.all([start({}), start({ [COOKIE_NAME]: "wrong" })]);
  expect(bare).toMatchObject({ code: 1, stdout: "" });
  expect(bare.stderr).toMatch(/^This is a provider plugin .* Use --debug/);
  expect(wrong.code).toBe(1);
});

test("an engine with another protocol or without a certificate gets an explanation that it shows", async () => {
  const offers = (versions: string) =>
    start({ [COOKIE_NAME]: COOKIE_VALUE, PLUGIN_PROTOCOL_VERSIONS: versions });
  const [old, bare] = await Promise.all([offers("4,5"), offers("5,6")]);
  expect(old.stdout).toMatch(/speaks plugin protocol 6, .* offers 4, 5/);
  expect(bare.stdout).toMatch(/sent no client certificate/);
  expect([old.code, bare.code]).toEqual([1, 1]);
});

test("a killed engine takes its provider with it, even if it never connected", async () => {
  const provider = `"${process.execPath}" -r ts-node/register provider/terraform/main.ts`;
  const { PATH = "" } = process.env;
  const env = { PATH, ...cookie, PLUGIN_CLIENT_CERT: engine.certificatePem };
  const options = { cwd: join(__dirname, "../.."), env };
  const parent = spawn("sh", ["-c", `${provider} & echo $!; wait`], options);
  let output = "";
  parent.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes("|grpc|"));
  const pid = Number(output.split("\n")[0]);
  expect(isAlive(pid)).toBe(true);
  parent.kill("SIGKILL");
  await until(() => !isAlive(pid));
});

test("a create is answered in spite of SIGTERM, which ends a process without a connection", async () => {
  const child = launched({ ...cookie, PLUGIN_CLIENT_CERT: engine.certificatePem });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const [, , , address = "", , certificateText = ""] = String(line).trim().split("|");
  const client = await open({
    address: { network: "unix", address },
    server: new X509Certificate(Buffer.from(certificateText, "base64")).toString(),
    own: engine,
  });
  expect(await configured(client)).toBe("");
  strike(emulator, "POST", { type: "delay", ms: 500 });
  const config = { msgpack: encodeMsgpack({ name: "it" }) };
  const request = encodeMessage(m.applyRequest, {
    ...{ type_name: "erphost_server", prior_state: { msgpack: encodeMsgpack(null) } },
    ...{ config, planned_state: config, planned_private: Buffer.alloc(0) },
  });
  const answer = client.call(`${SERVICE}ApplyResourceChange`, request);
  await until(() => emulator.journal().some(({ method }) => method === "POST"));
  child.kill("SIGTERM");
  const { new_state } = decodeMessage(m.applyResponse, (await answer).body);
  expect(readObject(new_state)?.["id"]).toMatch(/^srv_/);
  client.close();
  await until(() => (child.kill("SIGTERM"), child.exitCode === 1));
});

test("a debugger's provider serves one account at a time, and ends by SIGTERM", async () => {
  const child = launched({}, "--debug");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const [path = ""] = /[^"]*provider.sock/.exec(String(line)) ?? [];
  const address = { network: "unix", address: path } as const;
  const elsewhere = emulator.baseUrl.replace("127.0.0.1", "localhost");
  const [plan, apply] = [await open({ address }), await open({ address })];
  expect([await configured(plan), await configured(apply)]).toEqual(["", ""]);
  plan.close();
  expect(await configured(apply, elsewhere)).toContain("works for the account at");
  apply.close();
  await until(async () => {
    const next = await open({ address });
    return (await configured(next, elsewhere).finally(() => next.close())) === "";
  });
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

describe("the workspace", () => {
  const files: Readonly<Record<string, string>> = {
    "/srv/.terraform/environment": "staging\n",
    "/data/environment": "elsewhere",
  };
  const named = (env: Record<string, string>, cwd = "/srv") =>
    workspaceOf(env, cwd, (file) => files[file]);

  test("the workspace comes from the environment, otherwise from the data folder", () => {
    expect(named({ TF_WORKSPACE: "ci" })).toBe("ci");
    expect(named({})).toBe("staging");
    expect(named({ TF_DATA_DIR: "/data" })).toBe("elsewhere");
    expect(named({ TF_DATA_DIR: ".terraform" })).toBe("staging");
    expect(named({ TF_WORKSPACE: "default" })).toBeUndefined();
    expect(named({}, "/other")).toBeUndefined();
  });

  test("a data folder that cannot be read is an error, and only one that is not there has nothing", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "environment"), "staging");
    mkdirSync(join(folder, "terraform.tfstate"));
    const read = () => workspaceOf({ TF_DATA_DIR: folder }, "/", textThere);
    expect(read).toThrow("EISDIR");
    rmdirSync(join(folder, "terraform.tfstate"));
    expect(read()).toBe("staging");
    expect(textThere(join(folder, "environment", "below"))).toBeUndefined();
  });

  test("the identity of a backend includes its settings but not its credentials", () => {
    const backend = (type: string, config: unknown) =>
      workspaceOf({}, "/srv", (file) =>
        file === "/srv/.terraform/terraform.tfstate"
          ? JSON.stringify({ version: 3, backend: { type, config } })
          : files[file],
      );
    const stage = backend("s3", { bucket: "states", key: "stage", secret_key: null });
    expect(backend("s3", { key: "stage", bucket: "states", secret_key: "hunter2" })).toBe(stage);
    const others = [
      backend("s3", { bucket: "states", key: "prod" }),
      backend("gcs", { bucket: "states", key: "stage" }),
      workspaceOf({ TF_WORKSPACE: "default" }, "/srv", (file) => files[file]),
      named({}),
    ];
    expect(new Set([stage, ...others]).size).toBe(5);
    expect(workspaceOf({}, "/srv", () => "{ not JSON")).toBe("{ not JSON");
  });
});

test("the log is JSON on request only, and masks keys", () => {
  const lines: string[] = [];
  const logIn = (env: Record<string, string>) =>
    createLog({ env, write: (line) => lines.push(line), nowMs: () => 0 });
  logIn({})("error", "not requested");
  expect(lines).toEqual([]);
  const log = logIn({ TF_LOG: "TRACE" });
  log.mask("hunter2-hunter2");
  const id = "erp_test_abcdefgh1234";
  log("info", "key erp_live_abc.d+e=f~g/h1234 and hunter2-hunter2", { id });
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    "@level": "info",
    "@message": "key *** and ***",
    "@module": "provider.erphost",
    // Six digits: the engines show a line with any other number of them as raw JSON.
    "@timestamp": "1970-01-01T00:00:00.000000Z",
    id: "***",
  });
});

test.each(SECRET_TEXTS)("%s is in no line of the log", (_, text, secret) => {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  createLog({ env: { TF_LOG: "TRACE" }, write, nowMs: () => 0 })("info", text, { id: text });
  expect(lines.join("")).toContain("***");
  expect(lines.join("")).not.toContain(secret);
});

/** What a packaged provider keeps of its starter. */
const passedOn = JSON.stringify({ key: "k", certificate: "c", folder: "/tmp/erphost-1" });
const readOf = (text: string) => (descriptor: number) => (descriptor === 7 ? text : "");

test("a process that an engine started has nothing to take over", () => {
  expect(takeOver([], readOf(passedOn))).toBeUndefined();
  expect(takeOver(["--debug", "--take-over=", "--take-over=1"], readOf(passedOn))).toBeUndefined();
});

test("a process takes over the starter's socket, with the certificate that the engine knows", () => {
  const taken = { socket: 5, folder: "/tmp/erphost-1", keyPem: "k", certificatePem: "c" };
  expect(takeOver(["--take-over=5,7"], readOf(passedOn))).toEqual(taken);
});

test.each(["", "{", "null", '{"key":"k","certificate":1,"folder":"f"}'])(
  "a process that is passed on %j instead of a certificate does not serve",
  (text) => {
    expect(() => takeOver(["--take-over=5,7"], readOf(text))).toThrow();
  },
);
