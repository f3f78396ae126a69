/** The plugin around the provider: what the engines expect of any plugin, from start to end. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { healthResponse } from "../wire/messages.gen";
import { createGrpcServer, encodeMessage, type GrpcOptions, type Unary } from "../../grpc";
import type { Address } from "./handshake";
import type { TakenOver } from "./take-over";

/** Streams that the engines open next to their calls. Nothing is ever sent on them. */
export const HELD = ["/plugin.GRPCBroker/StartStream", "/plugin.GRPCStdio/StreamStdio"];
const serving = encodeMessage(healthResponse, { status: 1 });

export interface PluginOptions extends Omit<GrpcOptions, "held" | "onConnection"> {
  readonly platform: NodeJS.Platform;
  /** A socket that listens already. Default: a new one. */
  readonly taken?: Pick<TakenOver, "socket" | "folder">;
  /** Called once, before the answer to an orderly shutdown. */
  readonly onShutdown: () => Promise<void>;
  /** Called when the last client has gone; orderly means that it asked for the shutdown. */
  readonly onGone: (orderly: boolean) => void;
}

export interface Plugin {
  readonly address: Address;
  isConnected(): boolean;
  /** Ends everything at once. */
  close(): void;
}

/** Listens where only this user can connect. */
export async function startPlugin(options: PluginOptions): Promise<Plugin> {
  let isShutDown = false;
  const shutdown: Unary = async () => {
    if (!isShutDown) {
      isShutDown = true;
      await options.onShutdown();
    }
    return Buffer.alloc(0);
  };
  const own = new Map<string, Unary>([
    ["/plugin.GRPCController/Shutdown", shutdown],
    ["/grpc.health.v1.Health/Check", async () => serving],
  ]);
  const methods = { get: (path: string) => own.get(path) ?? options.methods.get(path) };
  let connections = 0;
  const server = createGrpcServer({
    ...options,
    methods,
    held: new Set(HELD),
    onConnection: (socket) => {
      connections += 1;
      socket.on("close", () => {
        connections -= 1;
        if (connections === 0) options.onGone(isShutDown);
      });
    },
  });
  const { address, folder } = await listen(server, options);
  return {
    address,
    isConnected: () => connections > 0,
    close: () => {
      server.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Listening {
  readonly address: Address;
  readonly folder: string | undefined;
}

/** A socket in a private folder; where that is impossible, a port of the loopback address. */
async function listen(
  server: Server,
  { platform, taken }: Pick<PluginOptions, "platform" | "taken">,
): Promise<Listening> {
  if (taken) {
    if (!(await opened(server, { fd: taken.socket }))) {
      throw new Error("cannot listen on the socket that the starter passed on");
    }
    const address = { network: "unix", address: join(taken.folder, "provider.sock") } as const;
    return { address, folder: taken.folder };
  }
  const folder = platform === "win32" ? undefined : privateFolder();
  if (folder !== undefined) {
    const path = join(folder, "provider.sock");
    const isThere = await opened(server, { path });
    if (isThere) return { address: { network: "unix", address: path }, folder };
    rmSync(folder, { recursive: true, force: true });
  }
  if (!(await opened(server, { host: "127.0.0.1", port: 0 }))) {
    throw new Error(
      "cannot listen on a socket in the temporary folder, nor on any port of 127.0.0.1",
    );
  }
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return { address: { network: "tcp", address: `127.0.0.1:${port}` }, folder: undefined };
}

function privateFolder(): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), "erphost-"));
  } catch {
    return undefined; // There is no temporary folder, or it is read-only.
  }
}

const opened = (
  server: Server,
  where:
    | { readonly path: string }
    | { readonly fd: number }
    | { readonly host: string; readonly port: number },
): Promise<boolean> =>
  once(server.listen(where), "listening").then(
    () => true,
    () => false, // The caller tries another place.
  );
