/** Secrets of keys, as the program wants them kept: plain, or encrypted to its recipient. */
import type { Values } from "../../contract";
import { message } from "../../messages";
import { engineError } from "../errors";

/** Encrypts to an age public key, ASCII-armored. Loads the library only when it is needed. */
async function encryptTo(recipient: string, secret: string): Promise<string> {
  const { Encrypter, armor } = await import("age-encryption");
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return armor.encode(await encrypter.encrypt(secret));
}

/** Tries the recipient before anything is created that only it could open. */
export async function assertRecipient({ recipient }: Values): Promise<void> {
  if (typeof recipient !== "string") return;
  try {
    await encryptTo(recipient, "");
  } catch {
    const path = ["recipient"];
    const issues = [message("invalid_recipient", {}, { path })];
    throw engineError("invalid_input", { issues }, { path });
  }
}

export async function secretValues(value: unknown, { recipient }: Values): Promise<Values> {
  if (typeof value !== "string") return {};
  return typeof recipient === "string"
    ? { value: undefined, encrypted_value: await encryptTo(recipient, value) }
    : { value, encrypted_value: undefined };
}
