/** A run of Terraform is killed with its machine, and the backend is all that is left of it. */
import { delimiter } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { isAccepted } from "../../../support/ask";
import { assertNothingOfRun } from "../../../harness/command";
import {
  buildMirror,
  hasEngine,
  HEADER,
  TerraformWorkspace,
  type EngineName,
} from "../../../harness/terraform-workspace";
import { installed } from "../../../harness/versions.cjs";
import { guide, snippet } from "../../support/guide";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone, refusal } from "../../support/output";
import { idsOf, killedUnanswered } from "../../support/remote/killed";
import { stores, type StoreName } from "../../support/remote/stores";

const CANARY = "canary-5d1f-secret";

const program = (backend: string): string => `${snippet("pipelines", "terraform", backend)}
${HEADER}
resource "erphost_server" "each" {
  count             = 3
  name              = "server-\${count.index}"
  idempotency_token = "server-\${count.index}"
  secret_properties = { password = "${CANARY}" }
}

resource "erphost_api_key" "robot" {
  name              = "robot"
  permissions       = ["servers:read"]
  idempotency_token = "robot"
}
`;

/** One that was built here keeps remote state in memory. */
const released = installed("terraform").find(({ version }) => !version.endsWith("-dev"));
const PATH = [released?.folder, process.env["PATH"]].join(delimiter);

describe.each<{ store: StoreName; backend: string; engine: EngineName }>([
  { store: "PostgreSQL", backend: "pg", engine: "tofu" },
  { store: "S3", backend: "s3", engine: released ? "terraform" : "tofu" },
])("state in $store, with $engine:", ({ store: name, backend, engine }) => {
  const isThere = hasEngine(engine) && stores[name].isThere;
  const testWithBoth = isThere ? test : test.skip;
  testWithBoth(
    "what a killed run made is continued on another machine, once its lock is gone, to the same ids and secrets",
    async () => {
      buildMirror();
      const emulator = await openedEmulator();
      const place = await opened(await stores[name].start()).place(`states-${engine}`);
      const own = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
      const shared = { ...place.terraform, PATH, ...own, ERPHOST_SCOPE: `acme/${engine}` };
      /** A machine without a past: another home, another folder, the same backend. */
      const machine = async (more: Record<string, string> = {}) => {
        const env = { ...shared, ...more };
        return opened(await TerraformWorkspace.create({ engine, env }, program(backend)));
      };
      const ids = () => idsOf(emulator).sort();
      const first = await machine();
      const made = await killedUnanswered(emulator, 4, () =>
        first.start(["apply", "-auto-approve", "-input=false"]),
      );
      first.remove();

      const second = await machine();
      if (backend === "s3") {
        const locked = refusal(await second.apply());
        expect(locked).toContain("Error acquiring the state lock");
        const [, lock = ""] = / ID: (\S+)/.exec(locked) ?? [];
        expect(guide("pipelines")).toContain("`terraform force-unlock -force ID`");
        expectDone(await second.run("force-unlock", "-force", lock));
      }
      // PostgreSQL has freed its lock by itself.
      const asked = refusal(await second.apply());
      for (const id of made) expect(asked).toContain(id);
      expect(asked).toMatch(/set resume .*unset scope .*for this run/);
      expect(ids()).toEqual(made);

      const third = await machine({ ERPHOST_RESUME: "true" });
      expectDone(await third.apply());
      expect(ids()).toEqual(made);
      const state = await third.state();
      const held = Object.values(state).map(({ id }) => String(id));
      expect(held.sort()).toEqual(made);
      const value = state["erphost_api_key.robot"]?.["value"];
      expect(await isAccepted(emulator, value)).toBe(true);
      expect(await third.plan()).toMatchObject({ code: 0 });

      // As the guide says, the engine keeps these in plain text; what erphost is given is not there.
      const kept = await place.content();
      assertNothingOfRun(kept, {});
      const secrets = [CANARY, String(value), emulator.adminKey];
      expect(secrets.filter((text) => kept.includes(text))).toEqual([CANARY, value]);
    },
  );
});
