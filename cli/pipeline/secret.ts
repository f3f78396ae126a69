/** `erphost pipeline secret`: a key that was rotated becomes the secret of later runs. */
import { isRecord } from "../../provider/contract";
import type { World } from "../world";
import { refusal } from "./forge/choose";
import { IDENTITY_VARIABLE, withJob, type JobOptions } from "./job";
import { assertAlive } from "./review";

export interface SecretOptions extends JobOptions {
  readonly output: string;
  readonly name: string;
  readonly environment?: string;
  readonly unencrypted?: boolean;
}

/** Stores the key that an output holds; nothing prints it. @public Loaded by name. */
export async function secret(options: SecretOptions, world: World): Promise<void> {
  const { name, output, environment } = options;
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw refusal("--name", "must be letters, digits and underscores, and begin with no digit");
  }
  await withJob(options, world, async (job) => {
    const tool = job.tool("read");
    await tool.prepare();
    const { key, oldEndsAt } = await keyIn(await tool.output(output), options, world);
    // A key that the service refuses would take the place of one that works.
    await assertAlive(key, world);
    await job.forge.storeSecret(name, key, environment);
    const place = environment === undefined ? "" : ` of the environment ${environment}`;
    const end = oldEndsAt === undefined ? "" : ` The old key works until ${oldEndsAt}.`;
    world.print(`Stored output ${output} as the secret ${name}${place}.${end}`);
  });
}

/** An output is the key itself, or an object with what the resource has of it. */
async function keyIn(value: unknown, options: SecretOptions, world: World) {
  const { output, unencrypted = false } = options;
  const at = (...names: readonly string[]): string | undefined => {
    const found = names.map((name) => (isRecord(value) ? value[name] : undefined));
    return found.find((each) => typeof each === "string" && each !== "") as string | undefined;
  };
  const text = typeof value === "string" ? value : undefined;
  const encrypted = at("encrypted_value", "encryptedValue") ?? (isArmored(text) ? text : undefined);
  const key = encrypted === undefined ? (at("value") ?? text) : await opened(encrypted, world);
  if (key === undefined || key === "") {
    throw new Error(
      `The output ${output} holds no key. It must be a key's value or encrypted value, or an object with one of them and previous_key_expires_at.`,
    );
  }
  // Whoever may push a branch may read the state, since a plan needs it.
  if (encrypted === undefined && !unencrypted) {
    throw new Error(
      `The key in the output ${output} is not encrypted, so whoever may read the state has the key as well. Give the key a recipient and let the output be its encrypted value, or store it as it is with --unencrypted.`,
    );
  }
  return { key, oldEndsAt: at("previous_key_expires_at", "previousKeyExpiresAt") };
}

const isArmored = (text: string | undefined): boolean =>
  text?.startsWith("-----BEGIN AGE ENCRYPTED FILE-----") === true;

async function opened(armored: string, { env }: World): Promise<string> {
  const identity = env[IDENTITY_VARIABLE] ?? "";
  if (identity === "") throw refusal(IDENTITY_VARIABLE, "must be set: the key is encrypted");
  const { armor, Decrypter } = await import("age-encryption");
  try {
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity.trim());
    return await decrypter.decrypt(armor.decode(armored), "text");
  } catch {
    throw new Error(`The key cannot be decrypted with ${IDENTITY_VARIABLE}.`);
  }
}
