/**
 * The steps of an intent's life at which a run is killed. Each is brought about by what the journal,
 * the wire or the intents' folder shows, never by waiting for a time.
 */
import type { FaultInput } from "../../../emulator";
import { intentsIn, callsOf, type IntentSeen, type World } from "../support/world";
import type { Site } from "../faces/face";
import type { Trial } from "./claim";

export interface Moment {
  readonly name: string;
  /** Before the run is started. */
  prepare?(world: World): void;
  reached(world: World, site: Site, size: number): boolean;
  /** Creates that were sent and are done only after the kill must not be awaited before the next run. */
  readonly hasty?: boolean;
  /** One of those that a slow face is tried with. */
  readonly brief?: boolean;
  /** Milliseconds that creations take to be ready, by the emulator's clock. */
  readonly provisionMs?: number;
}

const POST = { method: "POST", path: "/servers" } as const;
const posts = (world: World) => callsOf(world, "POST");
const created = (world: World): number => world.emulator.objects("server").length;
const answered = (world: World): number =>
  posts(world).filter(({ status }) => status === 201).length;
const isCreate = ({ operation }: IntentSeen): boolean => operation === "create";
/** Long enough that whoever waits is killed before it is over. */
const DELAY_MS = 400;

export const moments: readonly Moment[] = [
  {
    name: "nothing sent yet",
    prepare: ({ line }) => line.hold("GET /v1/servers"),
    reached: ({ line }) => line.heldCount() > 0,
  },
  {
    name: "intent on disk, request on the wire",
    brief: true,
    prepare: ({ line }) => line.hold("POST /v1/servers"),
    reached: ({ line }, { intentsFolder }) =>
      line.heldCount() > 0 && intentsIn(intentsFolder).some(isCreate),
  },
  {
    name: "request lost before the service",
    prepare: ({ emulator }) => void emulator.setFaults([{ match: POST, effect: "reset-before" }]),
    reached: (world) => posts(world).some(({ ended_at }) => ended_at !== null),
  },
  {
    name: "request arrived, done after the kill",
    prepare: ({ emulator }) =>
      void emulator.setFaults([{ match: POST, effect: { type: "delay", ms: DELAY_MS } }]),
    reached: (world) => posts(world).length > 0 && created(world) === 0,
  },
  {
    name: "request arrived, done while the next run begins",
    prepare: ({ emulator }) =>
      void emulator.setFaults([{ match: POST, effect: { type: "delay", ms: 5 * DELAY_MS } }]),
    reached: (world) => posts(world).length > 0 && created(world) === 0,
    hasty: true,
  },
  {
    name: "done, answer under way",
    prepare: ({ emulator }) =>
      void emulator.setFaults([
        { match: POST, effect: { type: "delay", ms: DELAY_MS, when: "after" } },
      ]),
    reached: (world) => created(world) > 0 && answered(world) === 0,
  },
  {
    name: "done, answer lost",
    brief: true,
    prepare: ({ emulator }) => void emulator.setFaults([{ match: POST, effect: "reset-after" }]),
    reached: (world) =>
      created(world) > 0 && posts(world).some(({ ended_at }) => ended_at !== null),
  },
  { name: "first answer given", reached: (world) => answered(world) > 0 },
  {
    name: "answer on disk, host does not know",
    brief: true,
    provisionMs: 60_000,
    reached: (_, { intentsFolder }) =>
      intentsIn(intentsFolder).some((intent) => isCreate(intent) && intent.answer !== undefined),
  },
  { name: "half of the creates done", reached: (world, _, size) => answered(world) >= size / 2 },
  { name: "all creates done", reached: (world, _, size) => answered(world) >= size },
];

const serverIds = (world: World): string[] =>
  world.emulator.objects("server").map(({ id }) => String(id));

/** There is one that was not there before; whether the old one is gone by then is the host's way. */
export function onceMade(
  name: string,
  effect: FaultInput["effect"],
  more: Partial<Moment> = {},
): Moment {
  let before = new Set<string>();
  return {
    name,
    ...more,
    prepare: (world) => {
      before = new Set(serverIds(world));
      world.emulator.setFaults([{ match: POST, effect }]);
    },
    reached: (world) => serverIds(world).some((id) => !before.has(id)),
  };
}

/** Whoever made them has ended in order; a host that writes its state last may not have done so. */
export const allTold: Moment = {
  name: "all told, host at its end",
  reached: (world, { intentsFolder }, size) =>
    answered(world) >= size &&
    intentsIn(intentsFolder)
      .filter(isCreate)
      .every(({ handedAt }) => handedAt !== undefined),
};

/** Those that a slow face, or a short trial, is tried with; else all. */
export const briefly = (list: readonly Moment[], { face, trials }: Trial): readonly Moment[] =>
  face.pace === "quick" && trials(2, 1) > 1 ? list : list.filter(({ brief }) => brief);

/** @throws Error where there is none of that name. */
export function momentNamed(name: string): Moment {
  const found = moments.find((moment) => moment.name === name);
  if (!found) throw new Error(`there is no moment "${name}"`);
  return found;
}

/** A moment of a random request: before it, in it, or after it. */
export function randomMoment(calls: number, phase: "arrives" | "is done" | "is answered"): Moment {
  return {
    name: `request ${calls} ${phase}`,
    prepare: ({ emulator }) => {
      const when = phase === "arrives" ? "before" : "after";
      if (phase === "is answered") return;
      const effect = { type: "delay", ms: DELAY_MS, when } as const;
      emulator.setFaults([{ skip: calls - 1, times: 1, effect }]);
    },
    reached: ({ emulator }) => {
      const entry = emulator.journal()[calls - 1];
      if (phase === "is answered") return entry !== undefined && entry.ended_at !== null;
      return entry !== undefined;
    },
  };
}
