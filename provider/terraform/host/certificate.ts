/**
 * The server's certificate for AutoMTLS: self-signed, for `localhost`. Node can read certificates but
 * not create them, so the few structures that one consists of are written here (RFC 5280, DER).
 */
import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  /** DER. */
  readonly certificate: Buffer;
  readonly certificatePem: string;
  /** PEM, PKCS 8. */
  readonly keyPem: string;
}

const tlv = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => tlv(0x30, ...parts);
const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);

/** Object identifiers, already encoded. */
const ECDSA_SHA256 = bytes(0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2);
const COMMON_NAME = bytes(0x06, 3, 0x55, 4, 3);
const BASIC_CONSTRAINTS = bytes(0x06, 3, 0x55, 0x1d, 19);
const KEY_USAGE = bytes(0x06, 3, 0x55, 0x1d, 15);
const EXTENDED_KEY_USAGE = bytes(0x06, 3, 0x55, 0x1d, 37);
const ALTERNATIVE_NAME = bytes(0x06, 3, 0x55, 0x1d, 17);
const SERVER_AUTH = bytes(0x06, 8, 0x2b, 6, 1, 5, 5, 7, 3, 1);
const CLIENT_AUTH = bytes(0x06, 8, 0x2b, 6, 1, 5, 5, 7, 3, 2);
const TRUE = bytes(0x01, 1, 0xff);
const BACKDATED_MS = 60_000;
const VALID_MS = 366 * 86_400_000;

/** RFC 5280 requires the two-digit form until 2049. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "");
  const short = digits < "2050";
  return tlv(short ? 0x17 : 0x18, Buffer.from(short ? digits.slice(2) : digits, "ascii"));
}

const extension = (id: Buffer, critical: boolean, value: Buffer): Buffer =>
  sequence(id, ...(critical ? [TRUE] : []), tlv(0x04, value));

/** @param nowMs milliseconds since 1970 @param serial at most 16 random bytes */
export function makeCertificate(
  nowMs: number,
  serial: Buffer,
  hosts: readonly string[] = ["localhost"],
): Certificate {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const name = sequence(
    tlv(0x31, sequence(COMMON_NAME, tlv(0x0c, Buffer.from("localhost", "ascii")))),
  );
  const names = hosts.map((host) => tlv(0x82, Buffer.from(host, "ascii")));
  const extensions = sequence(
    extension(BASIC_CONSTRAINTS, true, sequence(TRUE)),
    // digitalSignature, keyEncipherment, keyCertSign
    extension(KEY_USAGE, true, tlv(0x03, bytes(2, 0b1010_0100))),
    extension(EXTENDED_KEY_USAGE, false, sequence(SERVER_AUTH, CLIENT_AUTH)),
    extension(ALTERNATIVE_NAME, false, sequence(...names)),
  );
  const algorithm = sequence(ECDSA_SHA256);
  const body = sequence(
    tlv(0xa0, tlv(0x02, bytes(2))), // Version 3.
    tlv(0x02, bytes(1), serial), // The leading byte keeps it positive.
    algorithm,
    name,
    sequence(time(nowMs - BACKDATED_MS), time(nowMs + VALID_MS)),
    name,
    publicKey,
    tlv(0xa3, extensions),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, algorithm, tlv(0x03, bytes(0), signature));
  return {
    certificate,
    certificatePem: pem("CERTIFICATE", certificate),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END ${label}-----\n`;
