/** The server of both plugins, called by grpc-js as the engines call it. */
import type { ServiceError } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { CallFailure, status } from "../../provider/grpc";
import { MIB, Pair, pause } from "./support";

const pair = new Pair({
  methods: {
    echo: async (bytes) => bytes,
    large: async (bytes) => Buffer.alloc(Number(bytes.toString())),
    slow: async (bytes) => {
      await pause(Number(bytes.toString()));
      return bytes;
    },
    fail: async (bytes) => {
      throw new CallFailure(status.unknown, bytes.toString());
    },
    half: async () => {
      throw new CallFailure(status.unknown, "cut here: \ud83d");
    },
    details: async (bytes) => {
      throw new CallFailure(status.unknown, "see", Buffer.alloc(Number(bytes.toString()), 7));
    },
    fault: async () => {
      throw new Error("a secret of ours");
    },
  },
});
beforeAll(() => pair.open());
afterAll(() => pair.close());

test.each([0, 1, 16 * 1024, MIB, 64 * MIB])("a message of %d bytes returns whole", async (size) => {
  const sent = Buffer.alloc(size, 5);
  expect((await pair.call("echo", sent)).equals(sent)).toBe(true);
});

test.each([
  ["a request", "echo", Buffer.alloc(64 * MIB + 1)],
  ["an answer", "large", String(64 * MIB + 1)],
])("%s above 64 MiB fails its call and the connection survives", async (_, name, sent) => {
  expect(await pair.refusal(name, sent)).toMatchObject({ code: 8 });
  expect(await pair.call("echo", "on")).toEqual(Buffer.from("on"));
});

test("large answers that wait to be read do not refuse other calls", async () => {
  const large = Array.from({ length: 8 }, () => pair.call("large", String(5 * MIB)));
  const small: Promise<Buffer>[] = [];
  for (let count = 0; count < 50; count += 1) {
    await pause(1); // While the large ones are on their way.
    small.push(pair.call("echo", "small"));
  }
  const answers = await Promise.all([...large, ...small]);
  expect(new Set(answers.map(({ length }) => length))).toEqual(new Set([5 * MIB, 5]));
});

const TEXTS = ["plain words", "ümlaut, 100 %, \n, \u0000, \u007f and 😀"];
test.each(TEXTS)("the text of a failure arrives unchanged: %j", async (text) => {
  expect(await pair.refusal("fail", text)).toMatchObject({ code: 2, details: text });
});

test("the text of a failure is cut where it is very long", async () => {
  const { details } = await pair.refusal("fail", "é".repeat(200_000));
  expect(details).toBe("é".repeat(8_000));
});

test("half of a surrogate pair in the text of a failure is replaced", async () => {
  expect(await pair.refusal("half")).toMatchObject({ details: "cut here: \ufffd" });
});

// The longest header that grpc-js reads has 64 KiB; the engines read 16 MiB of them.
test.each([10, 48_000])("a failure carries %d bytes of details", async (size) => {
  const { metadata } = await pair.refusal("details", String(size));
  expect(metadata.get("grpc-status-details-bin")[0]?.length).toBe(size);
});

test("a fault of our own is reported to us, and not to the peer", async () => {
  expect((await pair.refusal("fault")).details).not.toMatch(/secret/);
  expect(String(pair.faults.at(-1))).toMatch(/a secret of ours/);
});

test("a method that does not exist is unimplemented", async () => {
  expect(await pair.refusal("other")).toMatchObject({ code: 12 });
});

test("thousands of cancelled calls leave the connection as it was", async () => {
  const cancelled = Array.from({ length: 2_500 }, () =>
    pair.call("slow", "50", { deadline: Date.now() + 5 }).catch(({ code }: ServiceError) => code),
  );
  await Promise.all(cancelled);
  expect(await pair.call("echo", "still")).toEqual(Buffer.from("still"));
});
