/** The executable while it answers an engine by itself, and when Node.js takes over from it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { constants } from "node:http2";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { version } from "../../../../package.json";
import { makeCertificate } from "../../../../provider/terraform/host/certificate";
import { schemaAnswers } from "../../../../provider/terraform/server/schema-answers";
import { encodeMsgpack } from "../../../../provider/terraform/wire/msgpack";
import * as m from "../../../../provider/terraform/wire/messages.gen";
import { encodeMessage } from "../../../../provider/grpc";
import { hasGo } from "../../../../scripts/release/runtime/starter";
import { buildMirror, MIRROR } from "../../../harness/terraform-workspace";
import { opened } from "../../support/opened";
import { Bench } from "./package";
import { engineEnv, startProvider, type ProviderProcess } from "./process";

const SERVICE = "/tfplugin6.Provider/";
const NOTHING = Buffer.alloc(0);
const PROGRAM = join(
  MIRROR,
  `registry.terraform.io/erphost/erphost/${version}/linux_amd64/terraform-provider-erphost_v${version}`,
);
const isHere = hasGo() && process.platform === "linux" && process.arch === "x64";
const config = encodeMessage(m.validateProviderConfigRequest, {
  config: { msgpack: encodeMsgpack({}) },
});

(isHere ? describe : describe.skip)("an executable that an engine has started", () => {
  let provider: ProviderProcess;
  const start = async (): Promise<ProviderProcess> => (provider = await startProvider(PROGRAM));
  const running = (): string => basename(readlinkSync(`/proc/${provider.child.pid}/exe`));
  beforeAll(() => buildMirror(), 600_000);
  afterEach(() => void provider.child.kill("SIGKILL"));

  test("answers its schema without Node.js, and ends when its engine says so", async () => {
    const { child, address, connect } = await start();
    const first = await connect();
    const health = await first.call("/grpc.health.v1.Health/Check", NOTHING);
    expect(health).toMatchObject({ status: 0, body: Buffer.from([0x08, 0x01]) });
    const expectSchema = async (from: typeof first): Promise<void> => {
      const { status, body } = await from.call(`${SERVICE}GetProviderSchema`, NOTHING);
      const isSame = body.equals(schemaAnswers.GetProviderSchema());
      expect({ status, isSame }).toEqual({ status: 0, isSame: true });
    };
    await expectSchema(first);
    first.close();
    // On a connection of its own: the first may not have given back the room for a second answer.
    const client = await connect();
    await expectSchema(client);
    expect(await client.call(`${SERVICE}GetResourceIdentitySchemas`, NOTHING)).toMatchObject({
      status: 0,
      body: schemaAnswers.GetResourceIdentitySchemas(),
    });
    // A newer engine may ask for what is not there yet, which is not worth a start of Node.js.
    const unknown = await client.call(`${SERVICE}GetStates`, NOTHING);
    const message = "there is no method /tfplugin6.Provider/GetStates";
    expect(unknown).toMatchObject({ status: 12, message });
    expect(running()).toMatch(/^terraform-provider-erphost/);
    const exit = once(child, "exit");
    expect((await client.call("/plugin.GRPCController/Shutdown", NOTHING)).status).toBe(0);
    client.close();
    expect(await exit).toEqual([0, null]);
    expect(existsSync(dirname(address.address))).toBe(false);
  });

  test("leaves any other call untouched, and Node.js answers it in the same process", async () => {
    const { child, connect } = await start();
    const first = await connect();
    await first.call(`${SERVICE}GetProviderSchema`, NOTHING);
    const untouched = await first.call(`${SERVICE}ValidateProviderConfig`, config).then(
      ({ status }) => status,
      () => "refused",
    );
    expect(untouched).not.toBe(0);
    first.close();
    const second = await connect();
    expect((await second.call(`${SERVICE}ValidateProviderConfig`, config)).status).toBe(0);
    expect(await second.call(`${SERVICE}GetProviderSchema`, NOTHING)).toMatchObject({ status: 0 });
    expect(running()).toBe("node");
    const exit = once(child, "exit");
    await second.call("/plugin.GRPCController/Shutdown", NOTHING);
    second.close();
    expect(await exit).toEqual([0, null]);
  });

  test("lets in nobody but the engine, and keeps serving that", async () => {
    const { connect, server } = await start();
    const stranger = makeCertificate(Date.now(), Buffer.alloc(8, 9));
    await expect(connect({ server, own: stranger })).rejects.toThrow();
    await expect(connect({ server })).rejects.toThrow();
    await expect(connect({})).rejects.toThrow();
    const engine = await connect();
    expect(await engine.call(`${SERVICE}GetMetadata`, NOTHING)).toMatchObject({ status: 0 });
    engine.close();
  });

  test("ends when its engine is killed before it connects", async () => {
    const shell = spawn("sh", ["-c", `"$0" & echo $!; sleep 1; kill -9 $$`, PROGRAM], {
      env: { ...engineEnv, PATH: "/usr/bin:/bin" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [pid] = (await once(shell.stdout, "data")) as [Buffer];
    const status = `/proc/${String(pid).trim().split("\n")[0] ?? ""}/status`;
    expect(readFileSync(status, "utf8")).toContain("State:");
    for (let check = 0; check < 200 && existsSync(status); check += 1) await pause(100);
    expect(existsSync(status)).toBe(false);
  });
});

(isHere ? describe : describe.skip)("an executable whose engine makes a call for Node.js", () => {
  let bench: Bench;
  let provider: ProviderProcess;
  beforeAll(async () => {
    const answers = { [`${SERVICE}GetMetadata`]: NOTHING };
    bench = opened(await Bench.with({ answers, calls: [`${SERVICE}ValidateProviderConfig`] }));
  }, 180_000);
  beforeEach(async () => {
    // Of the user's own cache, not of the one that holds this machine's engines.
    const env = { ...engineEnv, ERPHOST_CACHE_DIR: "", ...bench.env() };
    provider = await startProvider(bench.program, env);
  });
  afterEach(() => void provider.child.kill("SIGKILL"));

  test.each([
    ["is not complete, leaves both untouched", undefined, 0],
    ["was given up, leaves only the later one untouched", constants.NGHTTP2_CANCEL, 3],
  ])("where an earlier call %s", async (_, reset, last) => {
    const client = await provider.connect();
    const path = `${SERVICE}GetMetadata`;
    const begun = client.session.request({ ":method": "POST", ":path": path });
    begun.on("error", () => undefined);
    if (reset !== undefined) begun.close(reset);
    expect(await client.call(path, NOTHING)).toMatchObject({ status: 0 });
    const farewell = once(client.session, "goaway");
    void client.call(`${SERVICE}ValidateProviderConfig`, NOTHING).catch(() => undefined);
    expect((await farewell).slice(0, 2)).toEqual([constants.NGHTTP2_NO_ERROR, last]);
    client.close();
  });

  test("ends with a sentence where Node.js is gone, and prints no second address", async () => {
    const client = await provider.connect();
    const node = bench.files()["node"] ?? "";
    rmSync(node);
    void client.call(`${SERVICE}ValidateProviderConfig`, NOTHING).catch(() => undefined);
    const { code, stdout, stderr } = await provider.end;
    const said = `terraform-provider-erphost cannot start: ${node}: no such file or directory.\n`;
    expect([code, stderr]).toEqual([1, said]);
    expect(stdout).toMatch(/^1\|6\|unix\|[^\n]+\n$/);
    expect(existsSync(dirname(provider.address.address))).toBe(false);
    client.close();
  });
});
