/** A small gRPC client, as an engine is one: over TLS with a certificate of its own, or plain. */
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import { connect as connectSocket } from "node:net";
import { connect as connectTls } from "node:tls";
import { frame } from "../../../provider/grpc/framing";
import type { Certificate } from "../../../provider/terraform/host/certificate";
import type { Address } from "../../../provider/terraform/host/handshake";

export interface Answer {
  readonly status: number;
  readonly message: string;
  readonly body: Buffer;
}

export type Client = Awaited<ReturnType<typeof open>>;

export interface ClientOptions {
  readonly address: Address;
  /** The server's certificate in PEM; without it the connection is plain. */
  readonly server?: string;
  readonly own?: Certificate;
}

const TIMEOUT_MS = 5_000;

/** Rejects where the server does not take the client in. */
export async function open({ address, server, own }: ClientOptions) {
  const [host = "", port = ""] = address.address.split(":");
  const at = address.network === "unix" ? { path: address.address } : { host, port: Number(port) };
  const socket =
    server === undefined
      ? connectSocket(at)
      : connectTls({
          ...at,
          ca: server,
          servername: "localhost",
          ALPNProtocols: ["h2"],
          ...(own && { cert: own.certificatePem, key: own.keyPem }),
        });
  const session = connect("http://localhost", { createConnection: () => socket });
  await ready(session).catch((error: unknown) => {
    session.destroy();
    socket.destroy();
    throw error;
  });
  return {
    session,
    call: (path: string, request: Buffer, framed?: Buffer) =>
      call(session, path, framed ?? frame(request)),
    close: () => session.destroy(),
  };
}

/** A refusal of TLS 1.3 comes after the client's own side is done, so a ping tells. */
const ready = (session: ClientHttp2Session): Promise<void> =>
  new Promise((resolve, reject) => {
    session.setTimeout(TIMEOUT_MS, () => reject(new Error("the server hangs")));
    session.on("error", reject);
    session.on("close", () => reject(new Error("the server closed the connection")));
    session.on("connect", () => {
      session.ping((error) => (error ? reject(error) : resolve()));
    });
  });

const call = (session: ClientHttp2Session, path: string, bytes: Buffer): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
    });
    const chunks: Buffer[] = [];
    let headers: IncomingHttpHeaders = {};
    const keep = (more: IncomingHttpHeaders): void => {
      headers = { ...headers, ...more };
    };
    stream.setTimeout(TIMEOUT_MS, () => reject(new Error(`${path} hangs`)));
    stream.on("response", keep);
    stream.on("trailers", keep);
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("end", () =>
      resolve({
        status: Number(headers["grpc-status"]),
        message: decodeURIComponent([headers["grpc-message"] ?? ""].flat().join("")),
        body: Buffer.concat(chunks).subarray(5),
      }),
    );
    stream.end(bytes);
  });
