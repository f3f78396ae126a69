/** The signature by which the engines recognise a release: a detached one, of the checksums. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { findProgram } from "../../bootstrap/programs.cjs";

const SIGN_MS_MAX = 5 * 60_000;

/** OpenPGP's numbers of the algorithms that the registries accept (RFC 9580, 9.1). */
const ACCEPTED: readonly string[] = ["1", "17"];

/**
 * Looks a key up among those that gpg has in GNUPGHOME.
 * @param key an id, a fingerprint or an e-mail address
 * @returns its fingerprint
 * @throws Error where it cannot sign, or is of a kind that the registries refuse
 */
export function signingKey(key: string, env: NodeJS.ProcessEnv): string {
  if (key.trim() === "") throw new Error("--sign names no key.");
  if (findProgram("gpg", env["PATH"] ?? "") === undefined) {
    throw new Error("--sign needs gpg, and there is none on PATH.");
  }
  const listed = gpg(["--list-secret-keys", "--with-colons", "--", key], env);
  if (listed.status !== 0) throw new Error(`gpg has no secret key ${key}.`);
  const fields = listed.stdout.split("\n").map((line) => line.split(":"));
  if (!ACCEPTED.includes(fields.find(([type]) => type === "sec")?.[3] ?? "")) {
    throw new Error(`${key} is neither an RSA nor a DSA key, and the registries accept no other.`);
  }
  return fields.find(([type]) => type === "fpr")?.[9] ?? "";
}

/** Writes `FILE.sig`. @throws Error where gpg fails, such as without the passphrase */
export function signFile(file: string, fingerprint: string, env: NodeJS.ProcessEnv): void {
  const signature = `${file}.sig`;
  rmSync(signature, { force: true });
  const words = ["--local-user", fingerprint, "--output", signature, "--detach-sign", file];
  const { status, stderr } = gpg(words, env);
  if (status !== 0) throw new Error(`gpg could not sign with ${fingerprint}:\n${stderr.trim()}`);
}

const gpg = (words: readonly string[], env: NodeJS.ProcessEnv) =>
  spawnSync("gpg", ["--batch", ...words], { env, encoding: "utf8", timeout: SIGN_MS_MAX });
