/** A provider's process, started as an engine starts it. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { makeCertificate } from "../../../../provider/terraform/host/certificate";
import { COOKIE_NAME, COOKIE_VALUE } from "../../../../provider/terraform/host/handshake";
import type { Address } from "../../../../provider/terraform/host/handshake";
import { MACHINE_CACHE } from "../../../harness/command";
import { outcomeOf } from "../../../support/wait";
import { open, type ClientOptions } from "../../../terraform/support/client";

const own = makeCertificate(Date.now(), Buffer.alloc(8, 1));

/** What an engine puts into a provider's environment. */
export const engineEnv: Readonly<Record<string, string>> = {
  ...MACHINE_CACHE,
  [COOKIE_NAME]: COOKIE_VALUE,
  PLUGIN_PROTOCOL_VERSIONS: "6",
  PLUGIN_MIN_PORT: "10000",
  PLUGIN_MAX_PORT: "25000",
  PLUGIN_CLIENT_CERT: own.certificatePem,
};

export type ProviderProcess = Awaited<ReturnType<typeof startProvider>>;

/** Starts a provider and reads where it listens. */
export async function startProvider(program: string, env = engineEnv) {
  const child = spawn(program, { stdio: ["ignore", "pipe", "pipe"], env });
  /** What it printed, and how it ended. */
  const end = outcomeOf(child);
  const line = await firstLine(child.stdout);
  const [, , network = "", path = "", , certificate = ""] = line.split("|");
  const address: Address = { network: network === "unix" ? "unix" : "tcp", address: path };
  const base64 = Buffer.from(certificate, "base64").toString("base64");
  const lines = base64.replace(/.{64}(?=.)/g, "$&\n");
  /** The server's certificate, in PEM. */
  const server = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  return {
    child,
    end,
    address,
    server,
    /** Connects as the engine, or as somebody else. */
    connect: (as: Omit<ClientOptions, "address"> = { server, own }) => open({ address, ...as }),
  };
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stream)) return line;
  throw new Error("a provider ended without a handshake");
}
