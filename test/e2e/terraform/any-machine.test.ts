/** A run is killed with its machine, and another machine continues, as people meet it on the real engines. */
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  HEADER,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { killedAfterThree } from "../support/any-machine";
import { expectDone, unwrapped } from "../support/output";

const PROGRAM = `${HEADER}
resource "erphost_server" "each" {
  count             = 6
  name              = "server-\${count.index}"
  idempotency_token = "server-\${count.index} of \${terraform.workspace}"
  lifecycle {
    create_before_destroy = true
  }
}
`;

describe.each<EngineName>([ONE_ENGINE])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let emulator: Emulator;
  const machines: TerraformWorkspace[] = [];

  /** A machine without a past; the state is what a backend has kept. */
  const machine = async (state: string, more: Record<string, string> = {}) => {
    const env = {
      ERPHOST_API_KEY: emulator.adminKey,
      ERPHOST_BASE_URL: emulator.baseUrl,
      ERPHOST_SCOPE: "acme/prod",
      ...more,
    };
    const made = await TerraformWorkspace.create({ engine, env }, PROGRAM);
    machines.push(made);
    if (state !== "") writeFileSync(made.stateFile, state);
    return made;
  };
  const ids = () => emulator.objects("server").map(({ id }) => String(id));
  const names = () => new Set(emulator.objects("server").map(({ name }) => name));

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 0 });
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    for (const one of machines) one.remove();
    await emulator.close();
  });

  testWithEngine(
    "after a kill with 3 of 6 servers, fresh machines double nothing: one is given their ids, one resumes, one replaces",
    async () => {
      const first = await machine("");
      const made = await killedAfterThree(emulator, () =>
        first.start(["apply", "-auto-approve", "-input=false"]),
      );
      first.remove();

      const second = await machine("");
      const planned = unwrapped((await second.plan()).output);
      for (const id of made) expect(planned).toContain(`Possibly created by an earlier run: ${id}`);
      expect(planned).toContain("set resume (ERPHOST_RESUME) to true for one run");
      const asked = await second.apply();
      expect(asked.code).toBe(1);
      for (const id of made) expect(unwrapped(asked.output)).toContain(id);
      expect(unwrapped(asked.output)).toMatch(/set resume .*unset scope .*for this run/);
      expect([ids(), names()].map((each) => [...each].length)).toEqual([6, 6]);
      expect(Object.keys(await second.state())).toHaveLength(3);

      const third = await machine(second.stateText(), { ERPHOST_RESUME: "true" });
      expectDone(await third.apply());
      expect(ids().slice(0, 3)).toEqual(made);
      const held = Object.values(await third.state()).map(({ id }) => String(id));
      expect(held.sort()).toEqual(ids().sort());
      expect(await third.plan()).toMatchObject({ code: 0 });

      const fourth = await machine(third.stateText(), { ERPHOST_RESUME: "true" });
      expectDone(await fourth.apply("-replace=erphost_server.each[0]"));
      expect([ids(), names()].map((each) => [...each].length)).toEqual([6, 6]);
      expect(await fourth.plan()).toMatchObject({ code: 0 });

      // Nothing shows a saved plan's apply what the state holds.
      const saved = ["-input=false", "-replace=erphost_server.each[1]", "-out=plan.bin"];
      expectDone(await fourth.run("plan", ...saved));
      const before = ids();
      const uninformed = await fourth.run("apply", "-input=false", "plan.bin");
      expect(uninformed.code).toBe(1);
      expect(unwrapped(uninformed.output)).toContain("plan and apply in one command");
      expect(ids()).toEqual(before);
    },
  );
});
