/**
 * Twenty lies of the emulator, each about another operation or rule of its OpenAPI document. They were
 * listed before the check was set up that is to find them, and are planted in a test's build alone.
 */

/** One lie. */
export interface Lie {
  /** What the emulator then does, against its document. */
  readonly claim: string;
  /** How the emulator is started that tells it. */
  readonly profile: "full" | "strict" | "limited";
}

const full = (claim: string): Lie => ({ claim, profile: "full" });

export const lies: readonly Lie[] = [
  full("a list of servers says in words whether there is a next page"),
  full("a new server is answered with 200 instead of 201"),
  full("a server is changed to a name of no characters"),
  full("a deleted server is still there"),
  full("a list of instances takes an empty edition"),
  full("a new instance's created_at is a number"),
  full("a changed instance is answered without its id"),
  full("a deleted instance is answered with null"),
  full("a list of backups takes any text as created_after"),
  full("a backup has two targets"),
  full("a list of providers needs no key"),
  full("a list of teams goes in any order that it is asked for"),
  full("a new team's member has no address"),
  full("a change of a team to no members breaks the service"),
  full("a list of invoices is sorted by fields that it does not have"),
  full("the test of a key lists its permissions in one text"),
  full("a rotated key is answered without its value"),
  full("a key's notification goes to anything that is called an address"),
  { profile: "limited", claim: "a refusal for the quota does not say when to try again" },
  { profile: "strict", claim: "a team can be deleted where only documented operations are served" },
];
