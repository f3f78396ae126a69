/** Each invariant of the model can fail: without its guard a few of the same scenarios break it. */
import { afterEach, expect, jest, test } from "@jest/globals";
import { Ledger, type Fact } from "../../../provider/engine/ledger";
import { HostStates } from "../../../provider/engine/service/states";
import { explore, type Explored } from "./explore";
import type { Scenario } from "./scenarios";
import { World } from "./world";

function putBack(): void {
  jest.restoreAllMocks();
  World.settings = {};
}
afterEach(putBack);

interface Guarded {
  readonly invariant: "doubled" | "taken twice" | "deleted" | "unnamed";
  /** What is true only without the guard. */
  readonly without: string;
  readonly takeOut: () => void;
  readonly scenarios: (scenario: Scenario) => boolean;
}

/** Where the backend has each step at once, and nothing else is wrong. */
const plain = ({ face, weather, isTwice }: Scenario): boolean =>
  face.storesEach && weather === "fair" && !isTwice;

/** A first create by Terraform that is cut off with its machine. */
const lost = (scenario: Scenario): boolean =>
  plain(scenario) &&
  scenario.task === "create" &&
  scenario.isLost &&
  scenario.face.name === "terraform" &&
  scenario.face.createsFirst &&
  !scenario.face.isSaved;

const guards: readonly Guarded[] = [
  {
    invariant: "doubled",
    without: "a key that is the same on every machine",
    takeOut: () => void (World.settings = { scope: undefined }),
    scenarios: (one) => lost(one) && one.gap === "nothing" && one.resume === "next",
  },
  {
    invariant: "doubled",
    without: "a question whose the object is that a key answers",
    takeOut: () => void jest.spyOn(HostStates.prototype, "has").mockResolvedValue(true),
    scenarios: (one) => lost(one) && one.gap === "edit" && one.resume === "next",
  },
  {
    invariant: "taken twice",
    without: "a register of what creates were answered",
    takeOut: () => {
      // Called with its own ledger below.
      // eslint-disable-next-line @typescript-eslint/unbound-method
      const { note } = Ledger.prototype;
      jest.spyOn(Ledger.prototype, "note").mockImplementation(function (this: Ledger, fact: Fact) {
        if (fact.is !== "made") note.call(this, fact);
      });
    },
    scenarios: (one) =>
      lost({ ...one, task: "create" }) &&
      one.task === "copy" &&
      one.gap === "nothing" &&
      one.resume === "always",
  },
  {
    invariant: "taken twice",
    without: "a word that the last run was cut off",
    takeOut: () => void (World.settings = { resume: true }),
    scenarios: (one) => lost(one) && one.other === "workspace",
  },
  {
    invariant: "deleted",
    without: "a mark of what was taken, and a register of what creates were answered",
    takeOut: () => {
      jest.spyOn(Ledger.prototype, "isTakenOver").mockReturnValue(false);
      jest.spyOn(Ledger.prototype, "assertDeletable").mockReturnValue();
    },
    // Pulumi shows nothing of an object that --replace names; the intent of its create is left.
    scenarios: (one) =>
      plain(one) &&
      one.task === "create" &&
      one.gap === "force" &&
      !one.isLost &&
      one.resume === "asked" &&
      one.face.name === "pulumi" &&
      one.face.createsFirst,
  },
  {
    invariant: "deleted",
    without: "knowledge of what the state holds",
    takeOut: () => void jest.spyOn(HostStates.prototype, "isInformed").mockResolvedValue(true),
    // Nothing shows the apply of a saved plan what is tainted, nor the one after a kill.
    scenarios: (one) =>
      plain(one) && one.task === "taint" && one.face.isSaved && one.resume === "always",
  },
  {
    invariant: "unnamed",
    without: "a look at names, after the service has forgotten its answers",
    takeOut: () => void (World.settings = { sameName: "allow" }),
    scenarios: (one) => lost(one) && one.gap === "25h" && one.resume === "asked",
  },
];

test.each(guards)(
  "an object is $invariant in the model without $without, and never with it",
  async ({ invariant, takeOut, scenarios }) => {
    takeOut();
    const isBroken = ({ breaches }: Explored): boolean =>
      breaches.some((breach) => breach.startsWith(`${invariant}: `));
    const broken = await explore({ wanted: scenarios, enough: isBroken });
    expect(broken.breaches).toContainEqual(expect.stringMatching(`^${invariant}: `));
    putBack();
    const count = broken.scenarios;
    const whole = await explore({ wanted: scenarios, enough: (so) => so.scenarios >= count });
    expect(whole.breaches).toEqual([]);
  },
);
