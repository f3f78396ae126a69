import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A key and a certificate that is its own authority, both PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const ECDSA_WITH_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");
const COMMON_NAME = Buffer.from("0603550403", "hex");
const SUBJECT_ALTERNATIVE_NAME = Buffer.from("0603551d11", "hex");
const BASIC_CONSTRAINTS = Buffer.from("0603551d13", "hex");
const DAY_MS = 86_400_000;

/** Makes a certificate for 127.0.0.1. */
export const certificateForLoopback = (): Certificate =>
  certificateFor([der(0x87, Buffer.from([127, 0, 0, 1]))]);

/** Makes one certificate for several hosts, such as `registry.terraform.io`. */
export const certificateForHosts = (hosts: readonly string[]): Certificate =>
  certificateFor(hosts.map((host) => der(0x82, Buffer.from(host))));

/**
 * It holds from yesterday until tomorrow. Node.js cannot issue a certificate and not every machine
 * has openssl, so its few fields are written out here (RFC 5280).
 */
function certificateFor(names: readonly Buffer[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from("erphost tests")))));
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    name,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      sequence(
        extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names)),
        extension(BASIC_CONSTRAINTS, sequence(der(0x01, Buffer.from([0xff])))),
      ),
    ),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]);
  const certificate = sequence(body, algorithm, der(0x03, signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: pem(certificate),
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  // Go reads the shortest form only.
  if (length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function extension(id: Buffer, value: Buffer): Buffer {
  return sequence(id, der(0x04, value));
}

function time(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
