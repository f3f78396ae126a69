/** Steps at which a run is stopped, by journal, line or the intents' folder, and never by time. */
import type { Site } from "./faces/face";
import { intentsIn, type Effect, type IntentSeen, type Scene } from "./support/scene";

export interface Moment {
  readonly name: string;
  /** Called before the run is started. */
  prepare?(scene: Scene): void;
  /** `size`: how many servers the site declares. */
  reached(scene: Scene, site: Pick<Site, "intentsFolder">, size: number): boolean;
  /** The next run starts while the service is still answering this one. */
  readonly isImpatient?: boolean;
  /** Also tried on slow faces and in the short form. */
  readonly brief?: boolean;
  /** How long creations take to be ready by the emulator's clock; default 0. */
  readonly provisionMs?: number;
}

const POST = { method: "POST", path: "/servers" } as const;
/** Long enough that whoever waits for it is killed before. */
const DELAY_MS = 400;

const posts = (scene: Scene) => scene.calls("POST");
const created = (scene: Scene): number => scene.ids().length;
const answered = (scene: Scene): number =>
  posts(scene).filter(({ status }) => status === 201).length;
const createsIn = (folder: string): readonly IntentSeen[] =>
  intentsIn(folder).filter(({ operation }) => operation === "create");
const hasArrived = (scene: Scene): boolean => posts(scene).length > 0 && created(scene) === 0;
export const delayed = (ms = DELAY_MS): Effect => ({ type: "delay", ms });
export const answerDelayed = (ms = DELAY_MS): Effect => ({ type: "delay", ms, when: "after" });

const nothingSent: Moment = {
  name: "nothing sent yet",
  prepare: ({ line }) => line.hold("GET /v1/servers"),
  reached: ({ line }) => line.heldCount > 0,
};
export const onTheWire: Moment = {
  name: "intent on disk, request on the wire",
  brief: true,
  prepare: ({ line }) => line.hold("POST /v1/servers"),
  reached: ({ line }, { intentsFolder }) =>
    line.heldCount > 0 && createsIn(intentsFolder).length > 0,
};
export const requestLost: Moment = {
  name: "request lost before the service",
  prepare: (scene) => scene.fault(POST, "reset-before"),
  reached: (scene) => posts(scene).some(({ ended_at }) => ended_at !== null),
};
export const doneAfterwards: Moment = {
  name: "request arrived, done after the kill",
  prepare: (scene) => scene.fault(POST, delayed()),
  reached: hasArrived,
};
const doneDuringNextRun: Moment = {
  name: "request arrived, done while the next run starts",
  prepare: (scene) => scene.fault(POST, delayed(5 * DELAY_MS)),
  reached: hasArrived,
  isImpatient: true,
};
export const answerUnderway: Moment = {
  name: "done, answer underway",
  prepare: (scene) => scene.fault(POST, answerDelayed()),
  reached: (scene) => created(scene) > 0 && answered(scene) === 0,
};
export const answerLost: Moment = {
  name: "done, answer lost",
  brief: true,
  prepare: (scene) => scene.fault(POST, "reset-after"),
  reached: (scene) => created(scene) > 0 && posts(scene).some(({ ended_at }) => ended_at !== null),
};
/** Past the answers that are replays of what an earlier run was answered. */
export const answeredAfter = (replays: number): Moment => ({
  name: "first answer sent",
  reached: (scene) => answered(scene) > replays,
});
const firstAnswer = answeredAfter(0);
const answerOnDisk: Moment = {
  name: "answer on disk, unknown to the host",
  brief: true,
  provisionMs: 60_000,
  reached: (_, { intentsFolder }) =>
    createsIn(intentsFolder).some(({ answer }) => answer !== undefined),
};
export const halfDone: Moment = {
  name: "half of the creates done",
  reached: (scene, _, size) => answered(scene) >= size / 2,
};
const allDone: Moment = {
  name: "all creates done",
  reached: (scene, _, size) => answered(scene) >= size,
};

export const stepsOfCreate: readonly Moment[] = [
  ...[nothingSent, onTheWire, requestLost, doneAfterwards, doneDuringNextRun, answerUnderway],
  ...[answerLost, firstAnswer, answerOnDisk, halfDone, allDone],
];

/** The provider has exited cleanly; a host that writes its state last may not have done so. */
export const allHandedOver: Moment = {
  name: "all handed over, host about to exit",
  reached: (scene, { intentsFolder }, size) =>
    answered(scene) >= size &&
    createsIn(intentsFolder).every(({ handedAt }) => handedAt !== undefined),
};

/** A server exists that did not before; answers that replay older ones come as they are. Whether an old one is gone by then depends on the host. */
export function onceCreated(
  name: string,
  effect: Effect,
  { replays = 0, ...more }: Partial<Moment> & { readonly replays?: number } = {},
): Moment {
  let before: readonly string[] = [];
  return {
    name,
    ...more,
    prepare: (scene) => {
      before = scene.ids();
      scene.emulator.setFaults([{ match: POST, skip: replays, effect }]);
    },
    reached: (scene) => scene.ids().some((id) => !before.includes(id)),
  };
}

const DELETE = { method: "DELETE", path: "/servers/*" } as const;

const deleteArrived: Moment = {
  name: "delete arrived",
  prepare: (scene) => scene.fault(DELETE, delayed()),
  reached: (scene) => scene.calls("DELETE").length > 0,
};
const deleteAnswerLost: Moment = {
  name: "delete done, answer lost",
  brief: true,
  prepare: (scene) => scene.fault(DELETE, "reset-after"),
  reached: (scene) => scene.calls("DELETE").some(({ ended_at }) => ended_at !== null),
};

export const stepsOfDelete: readonly Moment[] = [deleteArrived, deleteAnswerLost];

/** Steps of replacing one object. The journal is empty when the run starts. */
export const stepsOfReplacement: readonly Moment[] = [
  onTheWire,
  requestLost,
  onceCreated("new one created, answer underway", answerDelayed()),
  onceCreated("new one created, answer lost", "reset-after", { brief: true }),
  firstAnswer,
  ...stepsOfDelete,
];

export type Phase = "arrives" | "is done" | "is answered";

/** Before, in or after the n-th request of a run. */
export function atRequest(number: number, phase: Phase): Moment {
  return {
    name: `request ${number} ${phase}`,
    prepare: ({ emulator }) => {
      if (phase === "is answered") return;
      const effect = phase === "arrives" ? delayed() : answerDelayed();
      emulator.setFaults([{ skip: number - 1, times: 1, effect }]);
    },
    reached: ({ emulator }) => {
      const entry = emulator.journal()[number - 1];
      return entry !== undefined && (phase !== "is answered" || entry.ended_at !== null);
    },
  };
}
