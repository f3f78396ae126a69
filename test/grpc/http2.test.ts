/** HTTP/2 below gRPC: headers as other peers write them, and peers that break the rules. */
import { once } from "node:events";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { MalformedMessage, serveGrpc } from "../../provider/grpc";
import { flag, frameHeader, frameType as f } from "../../provider/grpc/frames";
import { PREFACE, readFrame, uint32, type Frame } from "../../provider/grpc/frames";
import { headerBlock, HeaderReader } from "../../provider/grpc/hpack";
import { Chance } from "../support/chance";
import { atEnd } from "../support/folder";
import { MIB, until } from "./support";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

/** The examples of RFC 7541, appendix C.4: three requests of one connection. */
const REQUESTS = [
  "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
  "8286 84be 5886 a8eb 1064 9cbf",
  "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
];

test("the RFC's examples of compressed headers read as it says", () => {
  const reader = new HeaderReader();
  const base = { ":method": "GET", ":authority": "www.example.com" };
  expect(REQUESTS.map((block) => Object.fromEntries(reader.read(hex(block))))).toEqual([
    { ...base, ":scheme": "http", ":path": "/" },
    { ...base, ":scheme": "http", ":path": "/", "cache-control": "no-cache" },
    { ...base, ":scheme": "https", ":path": "/index.html", "custom-key": "custom-value" },
  ]);
});

/** Every byte once, from 0 to 255, as Go's encoder writes them. */
const EVERY_BYTE =
  "/8f//Y///+L///4////k///+X///5v///n///+j//+r////z///6f///q////9///+v///7P///t///+7///7////w////" +
  "H///8v////v///z////T///9f///2////f///+P///5////r///+1P4/n/r/yr8f6/r+/n/f0suwAImWm3HXn7n3//IP+/" +
  "8/9Q3b1/BhxY8mXNn0adWvZt3b+HHl+c/3/3//w/+f/kX/9HGSQss05unWimo9faxCbe/jz69//7/n/7/9////z//m//9L" +
  "//n//6P//T//9T//1f//s//+t//9r//7f//3P//u///e///r//+////Z///b//6///4P//7v//w///i///H//+T//uf/+x" +
  "//+X//2f//zf//n///v//9r//u//9P//t//+5//+j//9P//e///V//7v//vf//4f/9///3///1///s//8H//h//+D//xf/" +
  "/t//+H//93//7//+r//4v//j//+T//+H//y///N///H///g///4f/+v//j//8///8v//o///2f//8X///H///yf//97///" +
  "v///8v//+P//+3//l//4///+b///wf//+H///n///8X//+X//k//8v///R///0////7///4////J///5f/+z///P//t//8" +
  "3//0//+f//0f//z//+r//6///93//+////T///X///q///p///1///+b///s///7f///P///6P///T///6v///X////3//" +
  "/s///9v///u///9////w///7vw==";

test("every byte has the code that the RFC gives it", () => {
  // A header without a number: its name, `a`, and the length 127 + 72 + 3 × 128 of its value.
  const block = Buffer.concat([hex("00 01 61 ff c8 03"), Buffer.from(EVERY_BYTE, "base64")]);
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString("latin1");
  expect(new HeaderReader().read(block).get("a")).toBe(every);
});

test("a header that no longer fits drops the oldest ones of the table", () => {
  const reader = new HeaderReader();
  // The table shrinks to 80 bytes, of which each of these takes 42.
  const kept = (name: string) => `40 01 ${name} 09 ${"62".repeat(9)}`;
  reader.read(hex(`3f31 ${kept("61")}`));
  expect(reader.read(hex("be"))).toEqual(new Map([["a", "b".repeat(9)]]));
  expect(reader.read(hex(`${kept("63")} be`)).size).toBe(1);
  expect(() => reader.read(hex("bf"))).toThrow(MalformedMessage);
});

test.each([
  ["header 0", "80"],
  ["a header that nothing was said of", "be"],
  ["a number of more than 64 bits", "ff ffffffffffffffffff7f"],
  ["a larger table than ours", "3f e2 1f"],
  ["a text that has not come in full", "00 01 61 05 62"],
  ["a code that has not come in full", "00 01 61 81 fe"],
  ["a code that no byte has", "00 01 61 85 fffffffc7f"],
  ["a byte of padding", "00 01 61 82 1fff"],
])("headers with %s are refused", (_, block) => {
  expect(() => new HeaderReader().read(hex(block))).toThrow(MalformedMessage);
});

test("headers that unfold to more than 1 MiB are refused", () => {
  // Without what sets the table's size to 0.
  const kept = headerBlock({ a: "b".repeat(3_000) }).subarray(1);
  kept[0] = 0x40;
  const reader = new HeaderReader();
  reader.read(kept);
  expect(() => reader.read(Buffer.alloc(400, 0xbe))).toThrow(/1 MiB/);
});

let server: Server;
let answered = 0;
beforeAll(async () => {
  const echo = async (bytes: Buffer): Promise<Buffer> => {
    answered += 1;
    return bytes;
  };
  const large = async (): Promise<Buffer> => Buffer.alloc(100_000);
  const methods = new Map([["/t/echo", echo]]).set("/t/large", large);
  const options = { methods, held: new Set(["/t/held"]), onFault: () => undefined };
  server = createServer((socket) => serveGrpc(socket, options)).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

const frame = (type: number, flags: number, id: number, payload: Buffer | string): Buffer => {
  const bytes = typeof payload === "string" ? hex(payload) : payload;
  return Buffer.concat([frameHeader(type, flags, id, bytes.length), bytes]);
};
const HELLO = Buffer.concat([PREFACE, frame(f.settings, 0, 0, "")]);
const opening = (id: number, path = "/t/echo", flags: number = flag.endHeaders): Buffer => {
  const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc" };
  return frame(f.headers, flags, id, headerBlock(headers));
};
const MESSAGE = "00 00000003 616263";
const sending = (id: number): Buffer => frame(f.data, flag.endStream, id, MESSAGE);

/** A peer that sends this, and all frames that it got. */
async function peer(...sent: readonly Buffer[]) {
  const { port } = server.address() as AddressInfo;
  const socket: Socket = connect(port, "127.0.0.1");
  const frames: Frame[] = [];
  let unread = Buffer.alloc(0);
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    for (let one = readFrame(unread, 0); one; one = readFrame(unread, 0)) {
      frames.push(one);
      unread = unread.subarray(one.end);
    }
  });
  atEnd(() => socket.destroy());
  await once(socket, "connect");
  socket.write(Buffer.concat(sent));
  const got = (type: number, id: number) =>
    frames.filter((one) => one.type === type && one.id === id);
  return { socket, got };
}

const call = Buffer.concat([opening(1), sending(1)]);
const inside = [f.headers, 0, 1, "83"] as const;
const flood = Array.from({ length: 65 }, () => [9, 0, 1, "00".repeat(16_384)] as const);

/** What is not a frame of ours, or what comes after a good beginning: type, flags, id, payload. */
type Sent = readonly [type: number, flags: number, id: number, payload: string];

test.each<[string, number, Buffer | readonly Sent[]]>([
  ["no preface", 1, Buffer.from("GET / HTTP/1.1\r\n\r\n")],
  ["a call before its settings", 1, Buffer.concat([PREFACE, call])],
  ["a frame of more than 16 KiB", 6, Buffer.concat([HELLO, frameHeader(0, 0, 1, 16_385)])],
  ["half a ping", 6, [[f.ping, 0, 0, "00"]]],
  ["a ping for a stream", 1, [[f.ping, 0, 1, "00".repeat(8)]]],
  ["data for the connection", 1, [[f.data, 0, 0, "00"]]],
  ["data for no stream", 1, [[f.data, 0, 1, "00"]]],
  ["more padding than data", 1, [[f.data, flag.padded, 1, "05 00"]]],
  ["a promise", 1, [[f.pushPromise, flag.endHeaders, 1, "00000002"]]],
  ["a stream of the server's", 1, [[f.headers, flag.endHeaders, 2, "83"]]],
  ["the end of no headers", 1, [[f.continuation, flag.endHeaders, 1, ""]]],
  ["data inside headers", 1, [inside, [f.data, 0, 1, "00"]]],
  ["headers without an end", 11, [inside, ...flood]],
  ["headers that are not HPACK", 9, [[f.headers, flag.endHeaders, 1, "80"]]],
  ["a window update of 0", 1, [[f.windowUpdate, 0, 0, "00000000"]]],
  ["a window update beyond 2^31 - 1", 3, [[f.windowUpdate, 0, 0, "7fffffff"]]],
  ["a setting of such a window", 3, [[f.settings, 0, 0, "0004 80000000"]]],
  ["half a setting", 6, [[f.settings, 0, 0, "0004"]]],
])("a peer that sends %s is sent away with the error %d", async (_, code, sent) => {
  const { socket, got } = await peer();
  const frames = () => [HELLO, ...(sent as readonly Sent[]).map((one) => frame(...one))];
  socket.write(Buffer.isBuffer(sent) ? sent : Buffer.concat(frames()));
  await once(socket, "close");
  expect(got(f.goAway, 0).map(({ payload }) => payload.readUInt32BE(4))).toEqual([code]);
});

test("a call that comes byte by byte, padded and in parts, is answered", async () => {
  const { socket, got } = await peer();
  const block = opening(1).subarray(9);
  const padded = Buffer.concat([hex("02 00000000 10"), block.subarray(0, 9), hex("0000")]);
  const bytes = Buffer.concat([
    ...[HELLO, frame(f.priority, 0, 1, "00000000 10")],
    frame(f.headers, flag.padded | flag.priority, 1, padded),
    frame(f.continuation, flag.endHeaders, 1, block.subarray(9)),
    frame(f.data, flag.padded, 1, "03 00 00000003 616263 000000"),
    ...[frame(0x77, 0, 1, "00"), frame(f.data, flag.endStream, 1, "")],
  ]);
  for (const byte of bytes) socket.write(Buffer.of(byte));
  await until(() => got(f.headers, 1).length === 2);
  expect(Buffer.concat(got(f.data, 1).map(({ payload }) => payload))).toEqual(hex(MESSAGE));
});

test("a call without an end, of a method that does not exist, is answered at once", async () => {
  const { got } = await peer(HELLO, opening(1, "/t/none"));
  await until(() => got(f.rstStream, 1).length === 1);
  const [answer] = got(f.headers, 1).map(({ payload }) => new HeaderReader().read(payload));
  expect(answer?.get("grpc-status")).toBe("12");
});

test("data of a call that is over, and padding, use the connection's window as well", async () => {
  const data = frame(f.data, flag.padded, 1, Buffer.alloc(16_384, 255).fill(0, 256));
  const half = Array.from({ length: 128 }, () => data); // Of the window.
  const { got } = await peer(HELLO, opening(1, "/t/none"), ...half);
  await until(() => got(f.windowUpdate, 0).length === 2);
  expect(got(f.windowUpdate, 0)[1]?.payload.readUInt32BE(0)).toBe(2 * MIB);
});

test.each([0, 100, 65_536])("a peer with a table of %d bytes reads it", async (size) => {
  const { port } = server.address() as AddressInfo;
  const session = connectHttp2(`http://127.0.0.1:${port}`, { settings: { headerTableSize: size } });
  atEnd(() => session.destroy());
  const stream = session.request({ ":method": "POST", "content-type": "text/plain" });
  const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
  expect(headers[":status"]).toBe(415);
});

test("headers that end a stream again run its call once", async () => {
  const before = answered;
  const again = opening(1, "/t/echo", flag.endHeaders | flag.endStream);
  const { got } = await peer(HELLO, call, again, opening(3), sending(3));
  await until(() => got(f.headers, 3).length === 2);
  expect(answered - before).toBe(2);
});

test("an answer goes out as far as the peer's window allows, which may shrink below zero", async () => {
  const window = (bytes: number): Buffer =>
    frame(f.settings, 0, 0, Buffer.concat([hex("0004"), uint32(bytes)]));
  const { socket, got } = await peer(PREFACE, window(3), call);
  const sizes = () => got(f.data, 1).map(({ length }) => length);
  await until(() => sizes().length === 1);
  const more = (bytes: number) => frame(f.windowUpdate, 0, 1, uint32(bytes));
  socket.write(Buffer.concat([window(1), more(2), frame(f.ping, 0, 0, "00".repeat(8))]));
  await until(() => got(f.ping, 0).length === 1);
  expect(sizes()).toEqual([3]);
  socket.write(more(1));
  await until(() => sizes().length === 2);
  socket.write(more(100));
  await until(() => got(f.headers, 1).length === 2);
  expect(sizes()).toEqual([3, 1, 4]);
});

test("a stream whose window is updated by 0, or too much, is reset, and no other", async () => {
  const given = (id: number, bytes: number) =>
    Buffer.concat([opening(id, "/t/held"), frame(f.windowUpdate, 0, id, uint32(bytes))]);
  const updates = [given(1, 0), given(3, 2 ** 31 - 1)];
  const { got } = await peer(HELLO, ...updates, opening(5), sending(5));
  await until(() => got(f.headers, 5).length === 2);
  const why = (id: number) => got(f.rstStream, id)[0]?.payload.readUInt32BE(0);
  expect([why(1), why(3), why(5)]).toEqual([1, 3, undefined]);
});

test("a large answer waits for the connection's window, and a ping of ours is not answered", async () => {
  const window = frame(f.settings, 0, 0, Buffer.concat([hex("0004"), uint32(MIB)]));
  const pings = [flag.ack, 0].map((flags) => frame(f.ping, flags, 0, "00".repeat(8)));
  const { socket, got } = await peer(PREFACE, window, opening(1, "/t/large"), sending(1));
  const sent = () => got(f.data, 1).reduce((bytes, { length }) => bytes + length, 0);
  await until(() => sent() > 0);
  socket.write(Buffer.concat(pings));
  await until(() => got(f.ping, 0).length > 0);
  expect([sent(), got(f.ping, 0).length]).toEqual([65_535, 1]);
  socket.write(frame(f.windowUpdate, 0, 0, uint32(MIB)));
  await until(() => got(f.headers, 1).length === 2);
  expect(sent()).toBe(100_005);
});

test("data after the end, and a call too many, are reset, and no other", async () => {
  const calls = Array.from({ length: 4096 }, (_, at) => opening(2 * at + 1, "/t/held"));
  const { got } = await peer(HELLO, ...calls, opening(8193), sending(3), sending(3));
  await until(() => got(f.rstStream, 3).length + got(f.rstStream, 8193).length === 2);
  const reset = [1, 3, 8193].map((id) => got(f.rstStream, id)[0]?.payload.readUInt32BE(0));
  expect(reset).toEqual([undefined, 5, 7]);
});

test("whatever a peer sends, the next one is answered", async () => {
  const chance = new Chance(29);
  const whole = Buffer.concat([HELLO, call, opening(3), sending(3)]);
  for (let count = 0; count < 200; count += 1) {
    const { socket } = await peer();
    const broken = Buffer.from(whole);
    for (let flips = 0; flips < 4; flips += 1) {
      broken[PREFACE.length + chance.below(broken.length - PREFACE.length)] = chance.below(256);
    }
    socket.end(broken);
    await once(socket, "close");
  }
  const { got } = await peer(HELLO, call);
  await until(() => got(f.headers, 1).length === 2);
  expect(Buffer.concat(got(f.data, 1).map(({ payload }) => payload))).toEqual(hex(MESSAGE));
});
