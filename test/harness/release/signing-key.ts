/** Keys to sign releases with, in a key ring of their own. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A key that signs, and the ring that it is in. */
export type SigningKey = ReturnType<typeof makeSigningKey>;

/** @param algorithm as gpg names it */
export function makeSigningKey(algorithm = "rsa2048") {
  // gpg refuses a long path, because its agent's socket is below it.
  const home = mkdtempSync(join(tmpdir(), "gpg-"));
  /** Variables by which gpg finds it. */
  const env: NodeJS.ProcessEnv = { ...process.env, GNUPGHOME: home };
  const gpg = (program: string, ...words: string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, words, { env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${program} ${words.join(" ")} failed:\n${stderr}`);
    return stdout;
  };
  const options = ["--batch", "--pinentry-mode", "loopback", "--passphrase", ""];
  gpg("gpg", ...options, "--quick-generate-key", "release@example.com", algorithm, "sign", "1d");
  const listed = gpg("gpg", "--batch", "--list-keys", "--with-colons");
  return {
    env,
    id: /^pub:(?:[^:]*:){3}([0-9A-F]{16}):/m.exec(listed)?.[1] ?? "",
    /** In ASCII armour. */
    armored: gpg("gpg", "--batch", "--armor", "--export"),
    /** Forgets it. */
    remove: () => {
      gpg("gpgconf", "--kill", "gpg-agent");
      rmSync(home, { recursive: true, force: true });
    },
  };
}
