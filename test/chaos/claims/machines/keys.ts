/** Keys that a lost machine created: the secret is shown once, and arrives nevertheless. */
import { expect } from "@jest/globals";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import type { Declared, Site } from "../../faces/face";
import { answerDelayed, delayed, type Moment } from "../../moments";
import { isAccepted } from "../../support/expectations";
import type { Effect, Scene } from "../../support/scene";
import type { Claim } from "../../trial";
import { atLosses, expectContinued, lose, openMachine } from "./lost";

const POST = { method: "POST", path: "/api-keys" } as const;
const NAMES = ["plain", "sealed"] as const;

const posts = (scene: Scene) => scene.calls("POST", POST.path);
const issued = ({ emulator }: Scene): number =>
  emulator.objects("api_key").filter(({ name }) => NAMES.some((one) => one === name)).length;
const withFault = (effect: Effect) => (scene: Scene) => scene.fault(POST, effect);

const momentsOfKeys: readonly Moment[] = [
  {
    name: "keys asked for, issued after the kill",
    prepare: withFault(delayed()),
    reached: (scene) => posts(scene).length >= NAMES.length && issued(scene) === 0,
  },
  {
    name: "keys issued, answers underway",
    prepare: withFault(answerDelayed()),
    reached: (scene) => issued(scene) === NAMES.length,
  },
  {
    name: "keys issued, answers lost",
    prepare: withFault("reset-after"),
    reached: (scene) =>
      issued(scene) === NAMES.length && posts(scene).some(({ ended_at }) => ended_at !== null),
  },
  {
    name: "a key answered",
    reached: (scene) => posts(scene).some(({ status }) => status === 201),
  },
];

const keysFor = (recipient: string): readonly Declared[] =>
  NAMES.map((name) => {
    const args = { name, permissions: ["servers:read"] };
    return { kind: "api_key", name, args: name === "sealed" ? { ...args, recipient } : args };
  });

export const lostWithKeys: Claim = {
  name: "keys that a lost machine created arrive with their ids and their secrets, plain or encrypted",
  group: "machines",
  run: atLosses(momentsOfKeys, async (scene, loss) => {
    const identity = await generateIdentity();
    const unmanaged = scene.ids("api_key");
    const site = await openMachine(scene, keysFor(await identityToRecipient(identity)));
    await lose(scene, site, loss);
    await expectContinued(scene, site, {
      ...{ step: "another machine", next: loss.next, count: NAMES.length },
      ...{ kinds: ["api_key"], unmanaged },
    });
    const { value: plain } = await site.outputs("plain");
    const sealed = await opened(site, identity);
    const accepted = await Promise.all([plain, sealed].map((value) => isAccepted(scene, value)));
    expect(accepted).toEqual([true, true]);
  }),
};

async function opened(site: Site, identity: string): Promise<string> {
  const { value, encrypted_value: encrypted } = await site.outputs("sealed");
  expect(value ?? null).toBeNull();
  return decrypted(String(encrypted), identity);
}

/** What only the recipient can read. */
export async function decrypted(encrypted: string, identity: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return decrypter.decrypt(armor.decode(encrypted), "text");
}
