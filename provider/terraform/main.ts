/**
 * The provider's process: the only place that touches its environment, clock, randomness and streams.
 * Only the handshake line may be written to stdout.
 */
import { randomBytes } from "node:crypto";
import { closeSync, readFileSync } from "node:fs";
import { makeCertificate } from "./host/certificate";
import { COOKIE_NAME, handshakeLine, HandshakeRefused, PROVIDER_PROTOCOL } from "./host/handshake";
import { readHandshake } from "./host/handshake";
import { createLog } from "./host/log";
import { startPlugin, type Plugin } from "./host/plugin";
import { takeOver } from "./host/take-over";
import { textThere, workspaceOf } from "./host/workspace";
import { PROVIDER } from "./names";
import { createProvider } from "./server/provider";

/** The full address of `erphost/erphost` in each engine; `--debug` attaches to both. */
const DEBUG_ADDRESSES = ["registry.terraform.io", "registry.opentofu.org"].map(
  (host) => `${host}/${PROVIDER}/${PROVIDER}`,
);
/** How often a provider without a connection checks that its parent is alive. */
const PARENT_CHECK_MS = 50;
/** A living parent has ten seconds to connect, or to connect again. */
const PARENT_CHECKS_MAX = 200;

async function main(args: readonly string[]): Promise<void> {
  // The engines end a run with StopProvider and Shutdown. A signal to the whole group of processes, such
  // as Ctrl-C or that of `timeout`, reaches this one too and must not interrupt what has begun; only a
  // debugger's provider, which a person started, ends by it.
  const debug = args.includes("--debug");
  if (!debug) process.on("SIGINT", () => undefined);
  const log = createLog({
    env: process.env,
    write: (line) => void process.stderr.write(line),
    nowMs: () => Date.now(),
  });
  log.mask(process.env["ERPHOST_API_KEY"] ?? "");
  const surroundings = {
    env: process.env,
    cwd: process.cwd(),
    // When it is configured: a failure is then an error of that.
    get workspace() {
      return workspaceOf(process.env, process.cwd(), textThere);
    },
    pid: process.pid,
    // A debugger's provider outlives the runs that attach to it.
    parent: debug ? process.pid : process.ppid,
    platform: process.platform,
  };
  const provider = createProvider(surroundings, log);
  const handshake = debug ? undefined : readHandshake(process.env);
  const taken = takeOver(args, contentOf);
  const certificate = handshake && !taken && makeCertificate(Date.now(), randomBytes(12));
  const identity = taken ?? certificate;
  const parent = process.ppid;
  const plugin: Plugin = await startPlugin({
    methods: provider.methods,
    streams: provider.streams,
    platform: process.platform,
    ...(taken && { taken }),
    ...(handshake &&
      identity && {
        tls: {
          key: identity.keyPem,
          certificate: identity.certificatePem,
          clientCertificate: handshake.clientCertificate,
        },
      }),
    onFault: (path, error) =>
      log("error", `${path}: ${error instanceof Error ? (error.stack ?? error.message) : ""}`),
    onShutdown: debug ? async () => undefined : () => provider.close(),
    onGone: (orderly) => {
      if (debug) provider.release();
      else if (orderly) end(plugin, 0);
      else void endAlone(plugin, parent);
    },
  });
  if (debug) {
    const leave = () => void provider.close().finally(() => end(plugin, 0));
    process.on("SIGINT", leave).on("SIGTERM", leave);
  } else {
    void endAlone(plugin, parent);
    process.on("SIGTERM", () => plugin.isConnected() || end(plugin, 1));
  }
  if (taken) return;
  process.stdout.write(
    certificate
      ? `${handshakeLine(plugin.address, certificate.certificate)}\n`
      : `${reattach(plugin.address.network, plugin.address.address)}\n`,
  );
}

function end(plugin: Plugin, code: number): never {
  plugin.close();
  process.exit(code);
}

/**
 * No engine is connected, or none is any more. If the parent has died, this process exits too, so that
 * the next run finds no living owner of its intents; a living parent may still connect.
 */
async function endAlone(plugin: Plugin, parent: number): Promise<void> {
  for (let check = 0; check < PARENT_CHECKS_MAX; check += 1) {
    if (plugin.isConnected()) return;
    if (process.ppid !== parent) break;
    await new Promise((resolve) => setTimeout(resolve, PARENT_CHECK_MS));
  }
  end(plugin, 1);
}

function contentOf(descriptor: number): string {
  const content = readFileSync(descriptor, "utf8");
  closeSync(descriptor);
  return content;
}

function reattach(network: string, address: string): string {
  const here = {
    Protocol: "grpc",
    ProtocolVersion: PROVIDER_PROTOCOL,
    Pid: process.pid,
    Test: true,
    Addr: { Network: network, String: address },
  };
  const value = Object.fromEntries(DEBUG_ADDRESSES.map((source) => [source, here]));
  return `TF_REATTACH_PROVIDERS='${JSON.stringify(value)}'`;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  // An engine shows the first line of stdout if it is not a handshake, and hides stderr.
  if (process.env[COOKIE_NAME] !== undefined) process.stdout.write(`${text}\n`);
  process.stderr.write(`${text}\n`);
  if (!(error instanceof HandshakeRefused) && error instanceof Error) {
    process.stderr.write(`${error.stack ?? ""}\n`);
  }
  process.exitCode = 1;
});
