/** Everything that may happen to a run: what it does, how its host works, and what lies between it and the next. */
import type { Face } from "./host";
import type { Weather } from "./world";

/** What the run does that is cut off. */
export const TASKS = ["create", "edit", "force", "configure", "taint", "remake", "copy"] as const;
/** What comes between it and the next one, which `force` replaces by force. */
export const GAPS = ["nothing", "edit", "key", "23h", "25h", "force"] as const;
/** Whether runs say that the one before was cut off: once they were asked, the next one, or all. */
export const RESUMES = ["asked", "next", "always"] as const;
/** Who works at the same time. */
export const OTHERS = ["nobody", "runner", "workspace"] as const;

export interface Scenario {
  readonly face: Face;
  readonly task: (typeof TASKS)[number];
  readonly gap: (typeof GAPS)[number];
  readonly other: (typeof OTHERS)[number];
  readonly weather: Weather;
  /** Whether the machine is lost with the run. */
  readonly isLost: boolean;
  readonly resume: (typeof RESUMES)[number];
  /** Whether the next run is cut off at the same write, and its machine is lost as well. */
  readonly isTwice: boolean;
  /** The write at which the run is cut off, or the other one comes in between; 0: at none. */
  readonly at: number;
}

export const FACES: readonly Face[] = (["terraform", "pulumi"] as const).flatMap((name) =>
  [true, false].flatMap((createsFirst) =>
    [true, false].flatMap((storesEach) =>
      [false, true]
        // What deletes first shows what it replaces; Pulumi saves no plan.
        .filter((isSaved) => !isSaved || (name === "terraform" && createsFirst))
        .map((isSaved) => ({ name, createsFirst, storesEach, isSaved })),
    ),
  ),
);
const WEATHERS: readonly Weather[] = ["fair", "lost answers", "unmarked replays"];
/** More points than any run has; those past its end are cut short. */
const POINTS_MAX = 22;

/** All of them, in a fixed order. */
export function* scenarios(): Generator<Scenario> {
  for (const face of FACES) {
    for (const task of TASKS) {
      // Pulumi knows no taint, and no two resources of one identity.
      if ((task === "taint" || task === "copy") && face.name === "pulumi") continue;
      for (const weather of WEATHERS) {
        for (const common of interleavings()) {
          // What somebody else makes during a request then looks like what it made itself.
          if (weather !== "fair" && common.other === "workspace") continue;
          if (isRepetition(task, common)) continue;
          for (let at = 0; at <= POINTS_MAX; at += 1) yield { face, task, weather, ...common, at };
        }
      }
    }
  }
}

/** What is played elsewhere: the run after a forced one forces again, and a mended copy is like any other. */
const isRepetition = (task: Scenario["task"], { gap }: Interleaving): boolean =>
  (gap === "force" && (task === "force" || task === "taint")) ||
  (gap !== "nothing" && task === "copy");

type Interleaving = Pick<Scenario, "gap" | "other" | "isLost" | "resume" | "isTwice">;

function* interleavings(): Generator<Interleaving> {
  const alone = { other: "nobody", isTwice: false } as const;
  for (const isLost of [true, false]) {
    for (const gap of GAPS) {
      for (const resume of ["next", "asked"] as const) yield { ...alone, gap, isLost, resume };
    }
  }
  const lost = { gap: "nothing", isLost: true } as const;
  yield { ...alone, ...lost, resume: "always" };
  for (const resume of ["next", "asked"] as const) {
    yield { ...alone, ...lost, resume, isTwice: true };
  }
  for (const other of ["runner", "workspace"] as const) {
    yield { ...lost, other, resume: "asked", isTwice: false };
  }
}

/** One line that finds it again. */
export const titleOf = ({
  face,
  task,
  weather,
  gap,
  other,
  isLost,
  resume,
  isTwice,
  at,
}: Scenario): string =>
  [
    `${face.name}${face.isSaved ? " (saved plan)" : ""}, ${face.createsFirst ? "create first" : "delete first"}`,
    `state stored ${face.storesEach ? "at each step" : "at the end"}`,
    `${task}, ${weather}`,
    other === "nobody" ? `cut off at ${at}` : `another ${other} at ${at}`,
    ...(isTwice ? ["twice"] : []),
    `disk ${isLost ? "lost" : "kept"}`,
    `then ${gap}${resume === "asked" ? "" : `, resume ${resume}`}`,
  ].join("; ");
