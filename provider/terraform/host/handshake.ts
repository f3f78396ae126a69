/** How Terraform and a plugin find each other: an environment, and one line on stdout. */

/** Not a secret: it says that Terraform, not a person, started the plugin. */
export const COOKIE_NAME = "TF_PLUGIN_MAGIC_COOKIE";
export const COOKIE_VALUE = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

const CORE_PROTOCOL = 1;
export const PROVIDER_PROTOCOL = 6;

export interface Handshake {
  /** The only client that may connect, in PEM. */
  readonly clientCertificate: string;
}

/** This was not started as a plugin, or not as one it supports; the message is for a person. */
export class HandshakeRefused extends Error {
  override readonly name = "HandshakeRefused";
}

/** @throws HandshakeRefused */
export function readHandshake(env: Readonly<Record<string, string | undefined>>): Handshake {
  if (env[COOKIE_NAME] !== COOKIE_VALUE) {
    throw new HandshakeRefused(
      "This is a provider plugin for Terraform and OpenTofu. They start it themselves, and it does nothing when a person starts it. Use --debug to attach a debugger.",
    );
  }
  const versions = (env["PLUGIN_PROTOCOL_VERSIONS"] ?? "").split(",").map((text) => text.trim());
  if (!versions.includes(String(PROVIDER_PROTOCOL))) {
    throw new HandshakeRefused(
      `This provider speaks plugin protocol ${PROVIDER_PROTOCOL}, and the program that started it offers ${versions.join(", ") || "none"}. Use Terraform 1.11 or OpenTofu 1.11, or later.`,
    );
  }
  const clientCertificate = env["PLUGIN_CLIENT_CERT"] ?? "";
  if (!clientCertificate.includes("-----BEGIN CERTIFICATE-----")) {
    throw new HandshakeRefused(
      "The program that started this provider sent no client certificate (PLUGIN_CLIENT_CERT), so this provider cannot tell it from any other program. Use Terraform 1.11 or OpenTofu 1.11, or later.",
    );
  }
  return { clientCertificate };
}

export interface Address {
  readonly network: "unix" | "tcp";
  readonly address: string;
}

export const handshakeLine = ({ network, address }: Address, certificate: Buffer): string =>
  [
    CORE_PROTOCOL,
    PROVIDER_PROTOCOL,
    network,
    address,
    "grpc",
    certificate.toString("base64").replace(/=+$/, ""),
  ].join("|");
