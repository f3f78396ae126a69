/** A server of ours, and the official client that calls it as the engines do. */
import type { Server, Socket } from "node:net";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import type { CallOptions, ClientReadableStream, ServiceError } from "@grpc/grpc-js";
import { createGrpcServer, type ServerStream, type Unary } from "../../provider/grpc";

export const MIB = 1024 * 1024;

export { pause, until } from "../support/wait";

export const asItIs = (bytes: Buffer): Buffer => bytes;

interface Methods {
  readonly methods?: Readonly<Record<string, Unary>>;
  readonly streams?: Readonly<Record<string, ServerStream>>;
}

const byPath = <T>(methods: Readonly<Record<string, T>> = {}): Map<string, T> =>
  new Map(Object.entries(methods).map(([name, method]) => [`/t/${name}`, method]));

export class Pair {
  /** What the server reported as its own fault. */
  readonly faults: unknown[] = [];
  readonly connections: Socket[] = [];
  private readonly server: Server;
  private client: Client | undefined;

  constructor({ methods, streams }: Methods) {
    this.server = createGrpcServer({
      methods: byPath(methods),
      streams: byPath(streams),
      held: new Set(),
      onFault: (_, error) => this.faults.push(error),
      onConnection: (socket) => this.connections.push(socket),
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const address = this.server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    this.client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
      "grpc.max_metadata_size": 16 * MIB,
    });
  }

  async close(): Promise<void> {
    this.client?.close();
    await new Promise((resolve) => this.server.close(resolve));
  }

  call(method: string, body: Buffer | string, options: CallOptions = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, answer?: Buffer): void =>
        error ? reject(error) : resolve(answer ?? Buffer.alloc(0));
      const message = Buffer.from(body as string); // A buffer is copied, a text is written.
      const path = `/t/${method}`;
      this.opened.makeUnaryRequest(path, asItIs, asItIs, message, new Metadata(), options, done);
    });
  }

  async refusal(method: string, body: Buffer | string = ""): Promise<ServiceError> {
    const answered = (): never => {
      throw new Error("the call was answered");
    };
    return this.call(method, body).then(answered, (error: ServiceError) => error);
  }

  stream(method: string, body = "", options: CallOptions = {}): ClientReadableStream<Buffer> {
    const path = `/t/${method}`;
    return this.opened.makeServerStreamRequest(path, asItIs, asItIs, Buffer.from(body), options);
  }

  private get opened(): Client {
    if (!this.client) throw new Error("the pair is not open");
    return this.client;
  }
}
