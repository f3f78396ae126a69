/** What may come between a lost machine and the next one: edits, another API key, a day. */
import { expect } from "@jest/globals";
import { up, type Declared, type Site } from "../../faces/face";
import * as moments from "../../moments";
import type { Moment } from "../../moments";
import { edited, expectEdited, expectRefusal } from "../../support/expectations";
import { expectSuccess, servers } from "../../support/expectations";
import { unwrapped } from "../../../e2e/support/output";
import type { Scene } from "../../support/scene";
import type { Claim } from "../../trial";
import {
  alive,
  atLosses,
  expectContinued,
  expectNamed,
  lose,
  machineBefore,
  openMachine,
} from "./lost";

/** Answers that no disk has any more. */
const LEAVING_OBJECTS: readonly Moment[] = [
  ...[moments.doneAfterwards, moments.answerUnderway, moments.answerLost, moments.halfDone],
];

export const editedMeanwhile: Claim = {
  name: "an edit after a machine was lost changes what it created and creates nothing twice",
  group: "machines",
  run: atLosses(LEAVING_OBJECTS, async (scene, loss, { size }) => {
    const site = await openMachine(scene, servers(size));
    await lose(scene, site, loss, { size });
    const made = scene.ids();
    site.declare(edited(size));
    const { next } = loss;
    await expectContinued(scene, site, { step: "after the edit", next, count: size });
    expect(scene.ids()).toEqual(expect.arrayContaining([...made]));
    expectEdited(scene, size);
  }),
};

const on = (server: string): readonly Declared[] => [
  ...servers(2),
  { kind: "instance", name: "instance", args: { name: "erp", server_id: { $ref: server } } },
];

/** An edit that no update can make leads to another key: nothing but the name shows the first object. */
export const movedMeanwhile: Claim = {
  name: "an immutable edit after a machine was lost names what it created, and with resume creates nothing next to it",
  group: "machines",
  run: atLosses([moments.instanceLost], async (scene, { next, ...loss }) => {
    const site = await machineBefore(scene, servers(2));
    site.declare(on("server-0"));
    await lose(scene, site, loss);
    const [first = ""] = scene.ids("instance");
    site.declare(on("server-1"));
    site.configure({ ERPHOST_RESUME: String(next === "resumed at once") });
    const moved = await up(site);
    expect(unwrapped(moved.output)).toContain(first);
    if (next === "asked first") expectSuccess("the move", moved);
    else expectRefusal("the move, with resume", moved, IN_USE);
    expect(scene.ids("instance")).toHaveLength(next === "asked first" ? 2 : 1);
  }),
};

const IN_USE = /already exists .* import/i;

export const otherKeyMeanwhile: Claim = {
  name: "after a machine and its API key were lost, another key finds what they created and creates nothing twice",
  group: "machines",
  run: atLosses(LEAVING_OBJECTS, async (scene, loss, { size }) => {
    const { emulator } = scene;
    const lostKey = emulator.createKey({ name: "lost", permissions: ["admin"] });
    const site = await openMachine(scene, servers(size));
    site.configure({ ERPHOST_API_KEY: lostKey.value });
    await lose(scene, site, loss, { size });
    emulator.removeObject("api_key", lostKey.id);
    site.configure({ ERPHOST_API_KEY: emulator.createKey({ permissions: ["admin"] }).value });
    const { next } = loss;
    await expectContinued(scene, site, { step: "with another key", next, count: size });
  }),
};

/** Which settings stop a run that finds old objects of the same names. */
const STOPS = [
  { name: "resume", env: { ERPHOST_RESUME: "true" } },
  { name: "sameName", env: { ERPHOST_SAME_NAME: "error" } },
] as const;

export const foundNextDay: Claim = {
  name: "25 hours after a machine was lost, what it created is named by a run and stops one with resume or sameName",
  group: "machines",
  run: atLosses([moments.answerLost, moments.halfDone], async (scene, loss, { size }) => {
    const site = await openMachine(scene, servers(size));
    await lose(scene, site, loss, { size });
    scene.emulator.advance("25h");
    await expectNextDay(scene, site, size);
  }),
};

async function expectNextDay(scene: Scene, site: Site, size: number): Promise<void> {
  const left = unheld(scene, Object.values(await site.ids()));
  const chosen = { ERPHOST_RESUME: "false", ERPHOST_SAME_NAME: "warn" };
  for (const { name, env } of STOPS) {
    site.configure({ ...chosen, ...env });
    const output = expectRefusal(`the next day, ${name}`, await up(site), IN_USE);
    expectNamed(name, left, { scene, output });
    // Names without an object are made meanwhile.
    expect(alive(scene).length).toBeLessThanOrEqual(size);
  }
  site.configure(chosen);
  const last = await up(site);
  expectSuccess("the next day", last);
  const output = unwrapped(last.output);
  expect(left.filter((id) => !output.includes(id))).toEqual([]);
}

const unheld = (scene: Scene, held: readonly string[]): readonly string[] =>
  scene.ids().filter((id) => !held.includes(id));
