/** What shows that an intent is ours: only a run of this user, or one with this API key, can make it. */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../../contract";

/** What runs of one user, or of one account, have in common: the user's own key, or an API key. */
export type Secret = string | Buffer;

/** The secrets there are. */
export const secretsOf = (...some: readonly (Secret | undefined)[]): Secret[] =>
  some.filter((secret) => secret !== undefined);

export class Signer {
  /**
   * `place` is the folder that intents are in: one that was copied from elsewhere is not ours. Of
   * the secrets, one is enough: an API key is replaced, and a user's own key stays on its machine.
   */
  constructor(
    private readonly place: string,
    private readonly secrets: () => Promise<readonly Secret[]>,
  ) {}

  /** One signature per secret, over everything that the intent says. */
  async sign(entry: object): Promise<string[]> {
    const text = `${this.place}\n${canonicalJson(entry)}`;
    return (await this.secrets()).map((secret) =>
      createHmac("sha256", keyFrom(secret)).update(text).digest("base64url"),
    );
  }

  /** Whether one of these signatures is ours. */
  async isOurs(entry: object, signatures: readonly string[]): Promise<boolean> {
    const ours = await this.sign(entry);
    return signatures.some((theirs) => ours.some((own) => equal(own, theirs)));
  }
}

const keyFrom = (secret: Secret): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "erphost", "intent signature", 32));

function equal(a: string, b: string): boolean {
  const [one, two] = [Buffer.from(a), Buffer.from(b)];
  return one.length === two.length && timingSafeEqual(one, two);
}
