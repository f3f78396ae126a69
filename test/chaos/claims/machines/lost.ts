/**
 * A machine is lost with its run, at any moment: every process, the home, the working folder, intents
 * and caches. Another machine continues with the state, as a remote backend has it.
 */
import { expect } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { up, type ApplyMode, type Declared, type Outcome, type Site } from "../../faces/face";
import { crash } from "../../kill";
import type { Moment } from "../../moments";
import { expectRefusal, expectSettled, expectSuccess } from "../../support/expectations";
import type { Scene } from "../../support/scene";
import type { Trial } from "../../trial";

const SCOPE = "github.com/acme/infra/prod";

/** How a machine is lost, and what the next one does. */
export interface Loss {
  readonly name: string;
  readonly moment: Moment;
  /** When the backend is given the state. */
  readonly stored: "at each step" | "at the end";
  /** Whether the first run that follows knows that the one before was cut off. */
  readonly next: "asked first" | "resumed at once";
}

/** Losses at these moments, each in a way that chance picks. */
export function lossesAt(trial: Trial, moments: readonly Moment[]): readonly Loss[] {
  const losses = moments.map((moment): Loss => {
    const stored = trial.chance.pick(["at each step", "at the end"]);
    const next = trial.chance.pick(["asked first", "resumed at once"]);
    return { moment, stored, next, name: `${moment.name}; state stored ${stored}; ${next}` };
  });
  return trial.chance.sample(losses, trial.count(losses.length));
}

// Process namespaces, as containers have them: what is in one ends with its first process.
const COMMON = ["--pid", "--fork", "--kill-child", "--mount-proc"] as const;
/** As root, and as anybody where the system lets people make namespaces. */
const FORMS = [
  ["unshare", ...COMMON, "--"],
  ["unshare", "--user", "--map-current-user", ...COMMON, "--"],
] as const;
const TIMEOUT_MS = 10_000;
let found: ReturnType<typeof tryForms> | undefined;

/** Tried once per process. */
const container = () => (found ??= tryForms());

/** What starts a command in a process namespace of its own, or why there is none on this machine. */
function tryForms() {
  let why = "";
  for (const within of FORMS) {
    const [program, ...args] = within;
    const options = { encoding: "utf8", timeout: TIMEOUT_MS } as const;
    const { status, stderr, error } = spawnSync(program, [...args, "true"], options);
    if (status === 0) return { within, why: "" };
    why = error?.message ?? stderr.trim();
  }
  return { within: undefined, why };
}

/** What was lost, and whether its processes had a namespace. */
export function figureOf(count: number): string {
  const { within, why } = container();
  const note = within === undefined ? `, without a process namespace (${why})` : "";
  return `${count} ${count === 1 ? "machine" : "machines"} lost${note}`;
}

/** A machine whose runs have a scope, and a process namespace where this machine allows it. */
export async function openMachine(scene: Scene, objects: readonly Declared[]): Promise<Site> {
  const site = await scene.open(objects, { within: container().within });
  site.configure({ ERPHOST_SCOPE: SCOPE });
  return site;
}

/** The same, with everything that is declared. */
export async function machineBefore(scene: Scene, objects: readonly Declared[]): Promise<Site> {
  const site = await openMachine(scene, objects);
  expectSuccess("before", await up(site));
  scene.emulator.clearJournal();
  return site;
}

/** Loses a machine at the moment, which must come, and moves on to another one. */
export async function lose(
  scene: Scene,
  site: Site,
  { moment, stored }: Omit<Loss, "next" | "name">,
  run: { readonly mode?: ApplyMode; readonly size?: number } = {},
): Promise<void> {
  const before = await site.saveState();
  await crash(scene, site, { moment, ...run });
  if (stored === "at the end") await site.restoreState(before);
  await site.moveOn();
}

export interface Following {
  readonly step: string;
  readonly next: Loss["next"];
  readonly count: number;
  readonly replays?: number;
  /** What a person repeats of the run that was lost, by what the state shows. */
  readonly mode?: () => Promise<ApplyMode>;
}

/**
 * What follows the loss: nothing is doubled, whoever asks is named what is there, and with `resume`
 * everything is as declared, with the ids that the service gave first.
 */
export async function expectContinued(
  scene: Scene,
  site: Site,
  { step, next, mode, ...expected }: Following,
): Promise<void> {
  const first = alive(scene);
  if (next === "asked first") {
    const forced = await mode?.();
    const now = await site.ids();
    const replaced = (forced?.replace ?? []).flatMap((name) => now[name] ?? []);
    const asked = await up(site, forced);
    await scene.calm();
    await expectQuestion(`${step}, without resume`, { scene, site, asked, replaced });
    await site.moveOn();
  }
  site.configure({ ERPHOST_RESUME: "true" });
  expectSuccess(`${step}, with resume`, await up(site, await mode?.()));
  site.configure({ ERPHOST_RESUME: "false" });
  await scene.calm();
  await expectSettled(scene, [site], { step: `${step}, after resume`, ...expected });
  // Objects have the logical names of their declarations, at first.
  const held = await site.ids();
  const lost = mode ? [] : first.filter(({ name, id }) => held[name] !== id);
  expect({ step, lost }).toEqual({ step, lost: [] });
}

/** It tells what there is and both ways on. */
export const QUESTION = /resume.* to true for one run.*unset.*scope.* for this run/i;

interface Asked {
  readonly scene: Scene;
  readonly site: Site;
  readonly asked: Outcome;
  /** Objects that are being replaced: the new ones have their names. */
  readonly replaced: readonly string[];
}

/** No name is there twice, and a run whose state lacks anything has failed and named that. */
export async function expectQuestion(step: string, { scene, site, asked, replaced }: Asked) {
  const held = Object.values(await site.ids());
  const all = alive(scene);
  const names = all.filter(({ id }) => !replaced.includes(id)).map(({ name }) => name);
  const doubled = names.filter((name, index) => names.indexOf(name) !== index);
  expect({ step, doubled }).toEqual({ step, doubled: [] });
  const left = all.filter(({ id }) => !held.includes(id)).map(({ id }) => id);
  if (left.length === 0) return expectSuccess(step, asked);
  expectNamed(step, left, { scene, output: expectRefusal(step, asked, QUESTION) });
}

/** Each of them is named, or one at least where the host stops there. */
export function expectNamed(
  step: string,
  ids: readonly string[],
  { scene, output }: { readonly scene: Scene; readonly output: string },
): void {
  const unnamed = ids.filter((id) => !output.includes(id));
  const isEnough = scene.face.stopsAtOnce && unnamed.length < ids.length;
  if (!isEnough) expect({ step, unnamed, of: output }).toEqual({ step, unnamed: [], of: output });
}

export const alive = ({ emulator }: Scene) =>
  emulator.objects("server").map(({ id, name }) => ({ id: String(id), name: String(name) }));
