/** Intents of processes that this one can't see. */
import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { utimesSync } from "node:fs";
import { Journal, type IntentEntry } from "../../../provider/engine";
import { PlanNote } from "../../../provider/engine/journal/plan-note";
import { systemProcesses } from "../../../provider/engine/journal/processes";
import { given, type Service } from "../../support/given";
import { filesOf, purpose } from "../crashes";

/** The folder as a process in a container of its own sees it: that sees none of the others. */
const placeIn = (service: Service, name: string, process = "1-1") =>
  service.place({
    self: `${process}-${name}`,
    isAlive: () => false,
    isElsewhere: (owner) => !owner.endsWith(name),
  });

const inContainer = (service: Service, name: string): Journal =>
  new Journal(placeIn(service, name), () => undefined);

describe("two containers that share a folder", () => {
  const working = async () => {
    const service = await given();
    const { baseUrl } = service.emulator;
    const entry: IntentEntry = {
      ...purpose,
      version: 1,
      id: randomUUID(),
      account: { baseUrl, environment: "test" },
      idempotencyKey: "key",
      time: Date.now(),
    };
    await inContainer(service, "aaa").begin(entry);
    return service;
  };

  test("one waits for a create of the other, whose process it can't see, and takes it once that is silent", async () => {
    const service = await working();
    let pauses = 0;
    const claimed = await inContainer(service, "bbb").claim(purpose, async () => {
      pauses += 1;
      const [file = ""] = filesOf(service.intents);
      const past = new Date(Date.now() - 60_000);
      if (pauses === 3) utimesSync(file, past, past);
    });
    expect(pauses).toBe(3);
    expect(claimed).toHaveLength(1);
  });

  test("one waits for nothing that the other has handed over, and waits again for a third that took it", async () => {
    const service = await working();
    const first = inContainer(service, "ccc");
    for (const file of filesOf(service.intents)) utimesSync(file, new Date(0), new Date(0));
    for (const taken of await first.claim(purpose, async () => undefined)) {
      await first.recordAnswer(taken, "srv_1");
    }
    await first.close(Date.now());
    const refuse = async (): Promise<void> => {
      throw new Error("it waits");
    };
    expect(await inContainer(service, "bbb").claim(purpose, refuse)).toHaveLength(1);
    await expect(inContainer(service, "ddd").claim(purpose, refuse)).rejects.toThrow("it waits");
  });

  test("one keeps the plan's note of the other, whose run it can't see, for a week", async () => {
    const service = await given();
    const noteOf = (name: string) =>
      new PlanNote({ ...placeIn(service, name, "2-2"), run: `1-1-${name}` });
    const ids = ["server srv_1"];
    await noteOf("aaa").write(ids);
    await noteOf("bbb").write([]);
    expect(await noteOf("aaa").read()).toEqual(new Set(ids));
    const [file = ""] = filesOf(service.intents).filter((name) => name.endsWith("aaa.json"));
    const past = new Date(Date.now() - 8 * 24 * 3_600_000);
    utimesSync(file, past, past);
    await noteOf("bbb").write([]);
    expect(await noteOf("aaa").read()).toBeUndefined();
  });

  test("a process is known by its place as well, and one without it is looked for here", () => {
    const processes = systemProcesses(process.pid);
    const [pid = "", start = ""] = processes.self.split("-");
    expect(processes.isElsewhere?.(processes.self)).toBe(false);
    expect(processes.isElsewhere?.(`${pid}-${start}`)).toBe(false);
    expect(processes.isElsewhere?.(`${pid}-${start}-other`)).toBe(true);
  });
});
