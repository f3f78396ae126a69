/** Rotations that are killed: never locked out, and a key that nobody holds is named. */
import { up, type Declared } from "../faces/face";
import { onScene, type Scene } from "../support/scene";
import { ended } from "../support/settled";
import { callsOf, type World } from "../support/world";
import { Evidence, type Claim } from "./claim";
import { killedAt } from "./killed";
import { briefly, type Moment } from "./moments";

const ROTATE = { method: "POST", path: "/api-keys/*/rotate" } as const;
const rotations = (world: World) =>
  callsOf(world, "POST", "/api-keys").filter(({ path }) => path.endsWith("/rotate"));
const DELAY_MS = 400;

const moments: readonly Moment[] = [
  {
    name: "arrived, done after the kill",
    prepare: ({ emulator }) =>
      void emulator.setFaults([{ match: ROTATE, effect: { type: "delay", ms: DELAY_MS } }]),
    reached: (world) => rotations(world).length > 0,
  },
  {
    name: "lost before the service",
    prepare: ({ emulator }) => void emulator.setFaults([{ match: ROTATE, effect: "reset-before" }]),
    reached: (world) => rotations(world).some(({ ended_at }) => ended_at !== null),
  },
  {
    name: "done, answer lost",
    brief: true,
    prepare: ({ emulator }) => void emulator.setFaults([{ match: ROTATE, effect: "reset-after" }]),
    reached: (world) => rotations(world).some(({ ended_at }) => ended_at !== null),
  },
  {
    name: "answered",
    reached: (world) => rotations(world).some(({ status }) => status === 200),
  },
];

interface Case {
  readonly name: string;
  /** The key in use is the one that is rotated. */
  readonly own: boolean;
  /** So long after the kill comes the next run. */
  readonly later?: string;
}

const cases: readonly Case[] = [
  { name: "a key", own: false },
  { name: "the own key", own: true },
  { name: "a key, whose answer can't be had again", own: false, later: "25h" },
];

const program = (epoch: string, ownKeyId: string | undefined): readonly Declared[] => [
  ownKeyId === undefined
    ? {
        kind: "api_key",
        name: "key",
        args: {
          name: "rotated",
          permissions: ["servers:read"],
          grace_period: "7d",
          triggers: { epoch },
        },
      }
    : {
        kind: "api_key_rotation",
        name: "key",
        args: {
          key_id: ownKeyId,
          allow_self_rotation: true,
          rotate_on_create: false,
          triggers: { epoch },
        },
      },
];

async function one(
  evidence: Evidence,
  { world, open }: Scene,
  moment: Moment,
  { name, own, later }: Case,
): Promise<void> {
  const where = `${name}, killed at: ${moment.name}`;
  const { emulator } = world;
  const key = emulator.createKey({ name: "own", permissions: ["admin"], grace_period: "7d" });
  const site = await open();
  site.configure({ ERPHOST_API_KEY: key.value });
  const ownId = own ? key.id : undefined;
  site.declare(program("1", ownId));
  ended(evidence, `${where}, before`, await up(site));
  const known = new Set(emulator.keys().map(({ id }) => String(id)));
  emulator.clearJournal();
  site.declare(program("2", ownId));
  const { hit } = await killedAt(world, site, moment);
  evidence.expect(hit, () => `${where}: the run was over`);
  await world.calm();
  await site.unlock();
  if (later !== undefined) emulator.advance(later);
  const next = await up(site);
  ended(evidence, where, next);
  evidence.expect((await site.preview()).empty, () => `${where}: the plan is not empty`);
  const made = emulator.keys().filter(({ id }) => !known.has(String(id)));
  evidence.expect(made.length >= 1 && made.length <= 2, () => `${where}: ${made.length} new keys`);
  // Of two, the first is the one whose answer was lost.
  const [lost] = made.length === 2 ? made : [];
  const named = lost === undefined || next.output.includes(String(lost["id"]));
  evidence.expect(
    named,
    () => `${where}: nobody holds ${String(lost?.["id"])}, and it is not named`,
  );
  const works = await authenticated(world, key.value);
  evidence.expect(works, () => `${where}: the key of the run is refused: locked out`);
}

async function authenticated(world: World, value: string): Promise<boolean> {
  const answer = await fetch(`${world.env["ERPHOST_BASE_URL"] ?? ""}/auth/test`, {
    headers: { Authorization: `Bearer ${value}` },
    signal: AbortSignal.timeout(30_000),
  });
  return answer.ok;
}

const claim: Claim = {
  name: "kill of a rotation",
  group: "rotation",
  says: "On either side of the answer, with the own key, and where the answer can't be had again: never locked out, and a key that nobody holds is named.",
  needs: ["keys"],
  run: async (trial) => {
    const { face, say } = trial;
    const evidence = new Evidence();
    const some = briefly(moments, trial);
    for (const each of cases) {
      for (const moment of some) {
        say(`${each.name}: ${moment.name}`);
        await onScene(face, {}, (scene) => one(evidence, scene, moment, each));
      }
    }
    return { figure: `${cases.length * some.length} kills`, failures: evidence.failures };
  },
};

export const rotationClaims: readonly Claim[] = [claim];
