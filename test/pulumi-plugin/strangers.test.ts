/** The plugin's port is open to every user of the machine, and its key is not theirs. */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { ofUser, type Peer } from "../../provider/pulumi/plugin/peer";
import { serve } from "../../provider/pulumi/plugin/server";
import { AUTH_TOKEN } from "../../provider/pulumi/plugin/values/tokens";
import { given } from "../support/given";
import { configure, decode, invoke, openPlugin, type Plugin } from "./support";

describe("a plugin that was configured", () => {
  let emulator: Emulator;
  let plugin: Plugin;
  beforeEach(async () => {
    ({ emulator } = await given());
    plugin = openPlugin({ baseUrl: emulator.baseUrl, apiKey: emulator.adminKey });
  });
  afterEach(() => plugin.close());

  const configured = (args: object) => configure(plugin.session, { args });
  const asked = async () =>
    decode((await invoke(plugin.session, { tok: AUTH_TOKEN, args: {} })).getReturn()).values;

  test("never sends its key to an address that a later caller names", async () => {
    const { emulator: other } = await given();
    const args = { baseUrl: other.baseUrl, apiKey: emulator.adminKey };
    await expect(configured(args)).rejects.toThrow(/was now given the address/);
    expect(await asked()).toMatchObject({ authenticated: true });
    expect(other.journal()).toEqual([]);
  });

  test("keeps its key when a later caller names another, and shows neither", async () => {
    const { value } = emulator.createKey({ permissions: ["servers:read"] });
    const refusal = configured({ baseUrl: emulator.baseUrl, apiKey: value });
    await expect(refusal).rejects.toThrow(/was now given another key/);
    await expect(refusal).rejects.not.toThrow(value);
    await expect(refusal).rejects.not.toThrow(emulator.adminKey);
    expect(await asked()).toMatchObject({ permissions: ["admin"] });
  });

  test("takes the same address and key again, as from a run of an attached debugger", async () => {
    await configured({ baseUrl: emulator.baseUrl, apiKey: emulator.adminKey, sameName: "error" });
    expect(await asked()).toMatchObject({ authenticated: true });
  });
});

describe("the user at the other end of a connection", () => {
  const peer: Peer = {
    ...{ localAddress: "127.0.0.1", localPort: 0xa1b2 },
    ...{ remoteAddress: "127.0.0.1", remotePort: 0xc3d4 },
  };
  /** A line of the table; the addresses are as machines with a little-endian processor write them. */
  const row = (more: Partial<typeof theirs>) => {
    const { from, to, state, uid, inode } = { ...theirs, ...more };
    const queues = "00000000:00000000 00:00000000 00000000";
    return `   7: ${from} ${to} ${state} ${queues}  ${uid}        0 ${inode} 1 0000000000000000 20 4 30 10 -1`;
  };
  const OURS = "0100007F:A1B2";
  const theirs = { from: "0100007F:C3D4", to: OURS, state: "01", uid: 1000, inode: 4711 };
  const OUR_END = row({ from: OURS, to: "0100007F:C3D4" });
  const accepted = (...rows: string[]): boolean =>
    ofUser(1000, (of) => (of === "/proc/net/tcp" ? ["  sl  local_address", ...rows] : []))(peer);

  test("is accepted where it is this process's own user", () => {
    expect(accepted(OUR_END, row({ uid: 0, from: "0100007F:C3D5" }), row({}))).toBe(true);
  });

  test.each([
    ["it is another user", row({ uid: 1001 })],
    ["it is root", row({ uid: 0 })],
    ["only the listening side of the connection is this user's", OUR_END],
    ["the connection was closed, which the table then gives to root", row({ state: "04" })],
    ["nobody holds the connection any more", row({ inode: 0 })],
    ["the connection only has the same ports", row({ from: "0200007F:C3D4" })],
    ["the table lists this process's end of the connection alone", ""],
  ])("is refused where %s", (_, line) => {
    expect(accepted(OUR_END, line)).toBe(false);
  });

  test("is refused where the peer has reset the connection, which is then not listed at all", () => {
    expect(accepted(row({ from: OURS, to: "00000000:0000", state: "0A" }))).toBe(false);
    expect(ofUser(1000, () => [])({ ...peer, remoteAddress: undefined })).toBe(false);
    expect(ofUser(1000, () => [])({ remoteAddress: "127.0.0.1", remotePort: 1 })).toBe(false);
  });

  test("is found among the connections of IPv6 sockets as well", () => {
    const mapped = {
      from: "0000000000000000FFFF00000100007F:C3D4",
      to: "0000000000000000FFFF00000100007F:A1B2",
    };
    const of = (uid: number) =>
      ofUser(uid, (table) => (table === "/proc/net/tcp6" ? [row(mapped)] : ["header", OUR_END]));
    expect(of(1000)(peer)).toBe(true);
    expect(of(1001)(peer)).toBe(false);
  });

  test("is not known where the system keeps no table, and then everyone is accepted", () => {
    expect(ofUser(1000, () => [])(peer)).toBe(true);
  });

  test("is not known where the table leaves out even this process's port, and then everyone is accepted", () => {
    expect(accepted()).toBe(true);
    expect(accepted(row({ from: "0100007F:0016", to: "00000000:0000", uid: 0 }))).toBe(true);
  });
});

describe("the plugin's port", () => {
  /** Whether the server keeps a connection of this very process. */
  async function keeps(accepts: (peer: Peer) => boolean, log?: (line: string) => void) {
    const serving = await serve(new Map(), accepts, log);
    const socket = connect({ host: "127.0.0.1", port: serving.port });
    // An HTTP/2 server speaks first; one that refuses says nothing.
    const kept = await new Promise<boolean>((resolve) => {
      socket.once("data", () => resolve(true));
      socket.once("close", () => resolve(false)).once("error", () => undefined);
    });
    socket.destroy();
    serving.close();
    return kept;
  }
  const listsPorts = (() => {
    try {
      return readFileSync("/proc/net/tcp", "utf8").trim().includes("\n");
    } catch {
      return false;
    }
  })();

  test("is served to processes of the same user alone, where the system tells users apart", async () => {
    const uid = process.geteuid?.();
    expect(await keeps(ofUser(uid))).toBe(true);
    expect(await keeps(ofUser((uid ?? 0) + 1))).toBe(!listsPorts);
  });

  test("says in one line why it refuses a connection, and nothing of those it serves", async () => {
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    expect(await keeps(() => true, log)).toBe(true);
    expect(lines).toEqual([]);
    expect(await keeps(() => false, log)).toBe(false);
    expect(lines).toEqual([
      expect.stringMatching(/^erphost: a connection from port \d+ .* was refused, because .*\n$/),
    ]);
  });
});
