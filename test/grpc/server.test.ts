/** The server of both plugins, asked by grpc-js as the engines ask it. */
import type { Http2Server } from "node:http2";
import { Client, credentials, Metadata, type CallOptions, type ServiceError } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { CallFailure, createGrpcServer, status, type Unary } from "../../provider/grpc";

const MIB = 1024 * 1024;
const faults: unknown[] = [];
let server: Http2Server;
let client: Client;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const methods: Readonly<Record<string, Unary>> = {
  echo: async (bytes) => bytes,
  large: async (bytes) => Buffer.alloc(Number(bytes.toString())),
  slow: async (bytes) => {
    await sleep(Number(bytes.toString()));
    return bytes;
  },
  fail: async (bytes) => {
    throw new CallFailure(status.unknown, bytes.toString());
  },
  half: async () => {
    throw new CallFailure(status.unknown, "cut here: \ud83d");
  },
  details: async (bytes) => {
    throw new CallFailure(status.unknown, "told", Buffer.alloc(Number(bytes.toString()), 7));
  },
  fault: async () => {
    throw new Error("a secret of ours");
  },
};

beforeAll(async () => {
  server = createGrpcServer({
    methods: new Map(Object.entries(methods).map(([name, method]) => [`/t/${name}`, method])),
    held: new Set(),
    onFault: (_, error) => faults.push(error),
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    "grpc.max_metadata_size": 16 * MIB,
  });
});
afterAll(async () => {
  client.close();
  await new Promise((resolve) => server.close(resolve));
});

const same = (bytes: Buffer): Buffer => bytes;

function call(method: string, body: Buffer | string, options: CallOptions = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: ServiceError | null, answer?: Buffer): void =>
      error ? reject(error) : resolve(answer ?? Buffer.alloc(0));
    const message = Buffer.from(body as string); // A buffer is copied, a text is written.
    client.makeUnaryRequest(`/t/${method}`, same, same, message, new Metadata(), options, done);
  });
}

const refusal = (method: string, body: Buffer | string = ""): Promise<ServiceError> =>
  call(method, body).then(
    () => {
      throw new Error("it was answered");
    },
    (error: ServiceError) => error,
  );

describe("messages", () => {
  it.each([0, 1, 16 * 1024, MIB, 30 * MIB, 64 * MIB])("of %d bytes come back", async (size) => {
    const answer = await call("echo", Buffer.alloc(size, 5));
    expect(answer.length).toBe(size);
    expect(answer.every((byte) => byte === 5)).toBe(true);
  });

  it("above 64 MiB are refused, and the connection stays", async () => {
    expect(await refusal("echo", Buffer.alloc(64 * MIB + 1))).toMatchObject({ code: 8 });
    expect(await call("echo", "on")).toEqual(Buffer.from("on"));
  });

  it("that wait in great number refuse no other call", async () => {
    const large = Array.from({ length: 40 }, () => call("large", String(5 * MIB)));
    const small: Promise<Buffer>[] = [];
    for (let asked = 0; asked < 200; asked += 1) {
      await sleep(1); // While the large ones are on their way.
      small.push(call("echo", "small"));
    }
    const answers = await Promise.all([...large, ...small]);
    expect(new Set(answers.map(({ length }) => length))).toEqual(new Set([5 * MIB, 5]));
  });
});

describe("failures", () => {
  it.each(["plain words", "ümlaut, 100 %, \n, \u0000, \u007f and 😀"])(
    "come with their text",
    async (text) => {
      expect(await refusal("fail", text)).toMatchObject({ code: 2, details: text });
    },
  );

  it("are cut where their text is very long", async () => {
    const { details } = await refusal("fail", "é".repeat(200_000));
    expect(details).toBe("é".repeat(8_000));
  });

  it("with half of a character in them end their call alone", async () => {
    expect(await refusal("half")).toMatchObject({ details: "cut here: \ufffd" });
  });

  it.each([10, 60_000])("carry %d bytes beside their text", async (size) => {
    const { metadata } = await refusal("details", String(size));
    expect(metadata.get("grpc-status-details-bin")[0]?.length).toBe(size);
  });

  it("of our own say nothing of what went wrong, and are noted", async () => {
    expect((await refusal("fault")).details).not.toMatch(/secret/);
    expect(String(faults.at(-1))).toMatch(/a secret of ours/);
  });

  it("of names that there are not are unimplemented", async () => {
    expect(await refusal("other")).toMatchObject({ code: 12 });
  });
});

describe("calls that are given up", () => {
  it("by the thousand leave the connection as it is", async () => {
    const given = Array.from({ length: 2_500 }, () =>
      call("slow", "50", { deadline: Date.now() + 5 }).catch(({ code }: ServiceError) => code),
    );
    await Promise.all(given);
    expect(await call("echo", "still")).toEqual(Buffer.from("still"));
  });
});
