/**
 * Faults of the service on the real engines: a temporary fault never makes an engine forget an object
 * or create it twice. Kills and interruptions are claims of the chaos suite.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  HEADER,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { withDebugged } from "../support/debugged";
import { unwrapped } from "../support/output";

const WAIT_MS = 20_000;
const POLL_MS = 20;

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < WAIT_MS; waited += POLL_MS) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`waited ${WAIT_MS} ms for ${what}`);
}

const servers = (count: number, more = ""): string => `${HEADER}
resource "erphost_server" "all" {
  count = ${count}
  name  = "twin"
${more}
}
`;

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let emulator: Emulator;
  let workspace: TerraformWorkspace | undefined;
  const open = async (configuration: string): Promise<TerraformWorkspace> => {
    workspace = await TerraformWorkspace.create(
      {
        engine,
        env: { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl },
      },
      configuration,
    );
    return workspace;
  };
  const ids = async (from: TerraformWorkspace): Promise<string[]> =>
    Object.values(await from.state())
      .map(({ id }) => String(id))
      .sort();
  const inService = (): string[] =>
    emulator
      .objects("server")
      .map(({ id }) => String(id))
      .sort();

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 10 });
  });
  afterEach(() => {
    workspace?.remove();
    workspace = undefined;
    if (hasEngine(engine)) emulator.reset();
  });
  afterAll(async () => {
    if (hasEngine(engine)) await emulator.close();
  });

  testWithEngine(
    "a 429, a 500 or a refusal during a refresh never plans to create anything again",
    async () => {
      const here = await open(servers(3));
      expect(await here.apply()).toMatchObject({ code: 0 });
      const match = { method: "GET", path: "/servers" };
      emulator.setFaults([
        { match, times: 1, effect: { type: "status", status: 429, retry_after: 1 } },
        { match, times: 2, effect: { type: "status", status: 500 } },
        { match, times: 1, effect: { type: "truncate" } },
      ]);
      expect(await here.plan()).toMatchObject({ code: 0 });
      emulator.setFaults([{ match, effect: { type: "status", status: 403 } }]);
      const refused = await here.plan();
      expect(refused.code).toBe(1);
      expect(refused.output).not.toContain("will be created");
      expect(await ids(here)).toEqual(inService());
    },
  );

  // The provider's part of these is the same under both engines.
  if (engine !== ONE_ENGINE) return;

  testWithEngine(
    "a 429 or a 500 without end waits until it is interrupted, and a tainted object whose delete failed is deleted by the next run",
    async () => {
      const here = await open(servers(1));
      expect(await here.apply()).toMatchObject({ code: 0 });
      const match = { method: "GET", path: "/servers" };
      // A fault that does not end is retried until somebody interrupts the run.
      for (const status of [429, 500]) {
        emulator.clearJournal();
        emulator.setFaults([{ match, effect: { type: "status", status, retry_after: 1 } }]);
        const waiting = here.start(["plan", "-input=false", "-detailed-exitcode"]);
        const lists = () => emulator.journal().filter(({ path }) => path === "/servers");
        await until("two refusals", () => lists().length > 1);
        waiting.interrupt();
        const stopped = await waiting.finished;
        expect(stopped.code).toBe(1);
        expect(stopped.output).not.toContain("will be created");
      }
      expect(await ids(here)).toEqual(inService());
      // The engines ask for the delete of a tainted object without the provider's private data.
      expect(await here.run("taint", "erphost_server.all[0]")).toMatchObject({ code: 0 });
      emulator.setFaults([
        { match: { method: "DELETE" }, effect: { type: "status", status: 409 } },
      ]);
      expect(await here.apply()).toMatchObject({ code: 1 });
      emulator.setFaults([]);
      expect(await here.apply()).toMatchObject({ code: 0 });
      expect(await ids(here)).toEqual(inService());
    },
  );

  testWithEngine(
    "TF_LOG shows the provider's lines at their level, each call with its outcome, and no key",
    async () => {
      const here = await open(servers(1));
      const match = { method: "GET", path: "/servers" };
      emulator.setFaults([
        { match, times: 1, effect: { type: "status", status: 429, retry_after: 1 } },
      ]);
      const log = async (level: string): Promise<string> => {
        const { code, output } = await here.start(["apply", "-auto-approve"], { TF_LOG: level })
          .finished;
        expect({ code, output }).toMatchObject({ code: 0 });
        return output;
      };
      const info = await log("INFO");
      expect(info).toMatch(/\[INFO\] +provider[^\n]*: The service asked for a pause \(429\)/);
      expect(info).not.toContain("@message");
      here.write("more.tf", 'resource "erphost_server" "more" {\n  name = "more"\n}\n');
      const debug = await log("DEBUG");
      expect(debug).toMatch(
        /\[DEBUG\] provider[^\n]*: GET \/servers\?\S* -> 200 in \d+ ms, attempt 1\/\d+, req_\w+/,
      );
      expect(debug).toMatch(/\[DEBUG\] provider[^\n]*: POST \/servers -> 201 in \d+ ms, attempt 1/);
      expect(info + debug).not.toContain(emulator.adminKey);
    },
  );

  testWithEngine(
    "deletion protection stops the plan of a destroy, a 422 names its attribute, and a failed object is kept",
    async () => {
      const here = await open(servers(1, "  deletion_protection = true"));
      expect(await here.apply()).toMatchObject({ code: 0 });
      const refused = await here.plan("-destroy");
      expect(refused.code).toBe(1);
      expect(unwrapped(refused.output)).toContain("deletion_protection prevents deleting");
      const match = { method: "POST", path: "/servers" };
      emulator.setFaults([{ match, times: 1, effect: { type: "provision", outcome: "failed" } }]);
      here.write("more.tf", 'resource "erphost_server" "more" {\n  name = "more"\n}\n');
      const failed = await here.apply();
      expect(failed.code).toBe(1);
      expect(failed.output).toContain("ended in the state failed");
      expect(await ids(here)).toEqual(inService());
      here.write(
        "bad.tf",
        'resource "erphost_instance" "bad" {\n  name      = "x"\n  server_id = "srv_none"\n}\n',
      );
      const invalid = await here.apply("-target=erphost_instance.bad");
      expect(invalid.output).toMatch(/server_id = "srv_none"/);
    },
  );

  testWithEngine(
    "a provider that a debugger runs serves every command that attaches, and outlives it",
    async () => {
      const here = await open(servers(1));
      await withDebugged(here, async (attached, provider) => {
        const apply = here.start(["apply", "-auto-approve"], attached);
        expect(await apply.finished).toMatchObject({ code: 0 });
        const plan = here.start(["plan", "-detailed-exitcode"], attached);
        expect(await plan.finished).toMatchObject({ code: 0 });
        expect(provider.exitCode).toBeNull();
      });
    },
  );
});
