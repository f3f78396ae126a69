/** API keys: their lines, and their secrets as the program wants them, plain or encrypted to somebody. */
import type { ServiceRecord, Values } from "../../contract";
import { message } from "../../messages";
import { engineError } from "../errors";

/** A key and its successors, known by the first one's id. */
export const keysOfLine = (
  records: ReadonlyMap<string, ServiceRecord>,
  line: unknown,
): ServiceRecord[] => [...records.values()].filter(({ fields }) => fields["lineage_id"] === line);

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
