/** Calls that answer a stream of messages, made by grpc-js as Terraform makes them. */
import { once } from "node:events";
import type { ClientReadableStream, ServiceError } from "@grpc/grpc-js";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { CallFailure, MalformedMessage, status } from "../../provider/grpc";
import { MIB, Pair, pause, until } from "./support";

let produced: number;
let ended: boolean;
let signals: AbortSignal[];
let pair: Pair;

async function* produce(count: number, bytes: number): AsyncIterable<Buffer> {
  try {
    for (let index = 0; index < count; index += 1) {
      produced = index;
      yield Buffer.alloc(bytes, index);
    }
  } finally {
    ended = true;
  }
}

async function* failing(error: Error, after: number): AsyncIterable<Buffer> {
  yield* produce(after, 4);
  throw error;
}

beforeEach(async () => {
  [produced, ended, signals] = [0, false, []];
  pair = new Pair({
    streams: {
      count: (request) => produce(Number(request.toString()), 4),
      large: (_, signal) => {
        signals.push(signal);
        return produce(2_000, 64 * 1024);
      },
      waiting: async function* (_, signal) {
        signals.push(signal);
        yield Buffer.from("first");
        await once(signal, "abort");
        ended = true;
      },
      fail: (request) =>
        failing(new CallFailure(status.notFound, "no such list"), Number(request.toString())),
      fault: () => failing(new Error("a secret of ours"), 1),
      malformed: () => failing(new MalformedMessage("cut off"), 0),
      huge: () => produce(1, 64 * MIB + 1),
    },
  });
  await pair.open();
});
afterEach(() => pair.close());

/** Everything that a stream answered, and how it ended. */
async function outcome(stream: ClientReadableStream<Buffer>) {
  const messages: Buffer[] = [];
  stream.on("data", (message: Buffer) => messages.push(message));
  const error = await new Promise<ServiceError | undefined>((resolve) => {
    stream.once("error", (failure) => resolve(failure as ServiceError)); // As grpc-js reports it.
    stream.once("end", () => resolve(undefined));
  });
  return { messages, code: error?.code ?? status.ok, details: error?.details };
}

test.each([0, 1, 3, 1_000])("a stream of %d messages arrives in order", async (count) => {
  const { messages, code } = await outcome(pair.stream("count", String(count)));
  expect(code).toBe(status.ok);
  expect(messages).toEqual(Array.from({ length: count }, (_, index) => Buffer.alloc(4, index)));
});

test("a stream produces no more than the peer has room for", async () => {
  const stream = pair.stream("large");
  await once(stream, "data");
  stream.pause();
  await pause(300);
  const beforePause = produced;
  expect(beforePause * 64 * 1024).toBeLessThan(16 * MIB);
  await pause(300);
  expect(produced).toBe(beforePause);
  stream.resume();
  await until(() => produced > beforePause);
  stream.on("error", () => undefined).cancel();
});

const leaves = () => pair.connections.forEach((socket) => socket.destroy());
test.each<[string, string, string, (stream: ClientReadableStream<Buffer>) => void]>([
  ["cancelled stream", "the peer", "large", (stream) => stream.cancel()],
  ["cancelled stream", "something else", "waiting", (stream) => stream.cancel()],
  ["peer that has gone", "something else", "waiting", leaves],
])("a %s ends its source while that waits for %s", async (_, _for, name, end) => {
  const stream = pair.stream(name).on("error", () => undefined);
  await once(stream, "data");
  stream.pause();
  await pause(100);
  end(stream);
  await until(() => ended);
  expect(signals[0]?.aborted).toBe(true);
});

test("a stream whose deadline passes ends its source", async () => {
  const { code } = await outcome(pair.stream("waiting", "", { deadline: Date.now() + 200 }));
  expect(code).toBe(4);
  await until(() => ended);
});

test.each([0, 3])("a stream can fail after %d messages", async (count) => {
  const { messages, code, details } = await outcome(pair.stream("fail", String(count)));
  expect({ code, details }).toEqual({ code: status.notFound, details: "no such list" });
  expect(messages).toHaveLength(count);
});

test("a fault of our own in a stream is reported to us, and not to the peer", async () => {
  const { code, details } = await outcome(pair.stream("fault"));
  expect(code).toBe(status.internal);
  expect(details).not.toMatch(/secret/);
  expect(String(pair.faults.at(-1))).toMatch(/a secret of ours/);
});

test("a stream whose request is malformed fails as an invalid argument", async () => {
  expect(await outcome(pair.stream("malformed"))).toMatchObject({ code: status.invalidArgument });
});

test("a stream with a message above 64 MiB fails and the connection survives", async () => {
  expect(await outcome(pair.stream("huge"))).toMatchObject({ code: status.resourceExhausted });
  expect((await outcome(pair.stream("count", "2"))).messages).toHaveLength(2);
});

test("many streams at a time do not disturb one another", async () => {
  const streams = Array.from({ length: 100 }, () => outcome(pair.stream("count", "20")));
  const all = await Promise.all(streams);
  expect(all.every(({ messages, code }) => code === 0 && messages.length === 20)).toBe(true);
});
