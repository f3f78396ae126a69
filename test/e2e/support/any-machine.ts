/** Runs that are killed with their machine, and what the next machine makes of it. */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { killBelow } from "../../chaos/support/descendants";
import type { RunningCommand } from "../../harness/command";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone, unwrapped } from "./output";

const POLL_MS = 20;
const POLLS_MAX = 3_000;
const SETTLE_MS = 500;

/** Starts a run that creates six servers, and kills all of it when three exist. @returns their ids */
export async function killedAfterThree(
  emulator: Emulator,
  start: () => RunningCommand,
): Promise<string[]> {
  emulator.setFaults([{ match: { method: "POST" }, skip: 3, effect: "reset-before" }]);
  const run = start();
  const made = () => emulator.objects("server").map(({ id }) => String(id));
  for (let polls = 0; made().length < 3; polls += 1) {
    if (polls > POLLS_MAX) throw new Error(`three servers are not there:\n${run.output()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  killBelow(run.pid);
  run.kill();
  await run.finished;
  // What a provider had sent when it died arrives a moment later.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  emulator.setFaults([]);
  return made();
}

/** One of Pulumi's two forms. */
export interface Form {
  /** Folder of a program; the one below takes its place. */
  readonly program: string;
  /** Name and text of a program with servers of these names. */
  readonly file: (names: readonly string[]) => readonly [file: string, text: string];
  readonly prepare?: (stack: PulumiStack) => Promise<void>;
}

/** Claims about both forms, on the real engine. */
export function testAnyMachine({ program, file, prepare }: Form): void {
  let emulator: Emulator;
  let stack: PulumiStack;
  const servers = Array.from({ length: 6 }, (_, index) => `server-${index}`);

  beforeAll(async () => {
    emulator = await startEmulator({ provisionMs: 0 });
    const env = {
      ERPHOST_BASE_URL: emulator.baseUrl,
      ERPHOST_API_KEY: emulator.adminKey,
      ERPHOST_SCOPE: "acme/prod",
    };
    stack = await PulumiStack.create({ program, env });
    await prepare?.(stack);
    stack.write(...file(servers));
  });
  afterAll(async () => {
    stack.remove();
    await emulator.close();
  });

  /** What is left of a machine is the backend. */
  const nextMachine = async (): Promise<void> => {
    for (const name of ["home", "intents"]) {
      rmSync(join(stack.folder, name), { recursive: true, force: true });
      mkdirSync(join(stack.folder, name));
    }
    await prepare?.(stack);
  };
  const ids = () => emulator.objects("server").map(({ id }) => String(id));
  const names = () => new Set(emulator.objects("server").map(({ name }) => name));
  const held = () => {
    // As the engine writes it.
    const { checkpoint } = JSON.parse(stack.stateText()) as {
      checkpoint: {
        latest: { resources?: { id?: string; urn: string; delete?: boolean }[] };
      };
    };
    const { resources = [] } = checkpoint.latest;
    return resources.filter(({ id }) => id?.startsWith("srv_") === true);
  };

  test("after a kill with 3 of 6 servers, fresh machines double nothing: one is given their ids, one resumes", async () => {
    const backend = join(stack.folder, "backend");
    cpSync(backend, `${backend}.kept`, { recursive: true });
    const made = await killedAfterThree(emulator, () =>
      stack.start(["up", "--yes", "--skip-preview"]),
    );
    // What a backend has that is written at the end of a run.
    rmSync(backend, { recursive: true });
    cpSync(`${backend}.kept`, backend, { recursive: true });
    await nextMachine();
    const planned = unwrapped((await stack.preview()).output);
    for (const id of made) {
      expect(planned).toContain(`(${id}); an earlier run of this scope may have created it`);
    }
    await nextMachine();
    const asked = await stack.up();
    expect(asked.code).not.toBe(0);
    for (const id of made) expect(unwrapped(asked.output)).toContain(id);
    expect(unwrapped(asked.output)).toMatch(/set erphost:resume .*unset erphost:scope/);
    expect([...names()]).toHaveLength(ids().length);

    await nextMachine();
    stack.env["ERPHOST_RESUME"] = "true";
    expectDone(await stack.up());
    expect(ids()).toHaveLength(6);
    expect([...names()]).toHaveLength(6);
    expect(ids().slice(0, 3)).toEqual(made);
    expect(
      held()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids().sort());
  });

  test("a replacement that nothing shows the provider deletes nothing, with resume or without", async () => {
    const before = ids();
    const urn = held()[0]?.urn ?? "";
    for (const resume of ["true", "false"]) {
      await nextMachine();
      stack.env["ERPHOST_RESUME"] = resume;
      const result = await stack.up("--replace", urn);
      expect(result.code === 0).toBe(resume === "true");
      const said = resume === "true" ? "was not replaced and not deleted" : "unset erphost:scope";
      expect(unwrapped(result.output)).toContain(said);
      expect(ids()).toEqual(before);
      expect(held().filter((each) => each.delete)).toEqual([]);
    }
    expectDone(await stack.preview("--expect-no-changes"));
    expectDone(await stack.destroy());
    expect(ids()).toEqual([]);
  });
}
