/** Other places, on the real engine and in each form: a service that has moved, and a twin. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../../emulator";
import type { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone, unwrapped } from "./output";
import { movedTo, twinOf, writesTo } from "./places";

/** A stack of one form: a server, an instance, a backup, a team and a key. */
export interface PlacesForm {
  readonly stack: PulumiStack;
  /** Whether a server has another name, and another server is declared. */
  edit(edited: boolean): void;
  /** Leaves out what is the same in every form and costs previews: other runs that are refused. */
  readonly brief?: boolean;
}

const COUNT = 5;

/** The shared claims; each form brings its program. */
export function describePlaces(
  form: string,
  open: (env: Readonly<Record<string, string>>) => Promise<PlacesForm>,
): void {
  describe(`other places with ${form}`, () => {
    let account: Emulator;
    let here: PlacesForm;

    beforeAll(async () => {
      account = await startEmulator({ provisionMs: 5 });
      const env = { ERPHOST_BASE_URL: account.baseUrl, ERPHOST_API_KEY: account.adminKey };
      here = await open(env);
      here.edit(false);
      expectDone(await here.stack.up());
    });
    afterAll(async () => {
      here.stack.remove();
      await account.close();
    });

    /** Another project folder and backend with a copy of the state. */
    const copy = async (env: Readonly<Record<string, string>>): Promise<PlacesForm> => {
      const there = await open(env);
      const settings = `Pulumi.${here.stack.stack}.yaml`;
      copyFileSync(join(here.stack.program, settings), join(there.stack.program, settings));
      const { stdout } = expectDone(await here.stack.run("stack", "export"));
      const file = join(there.stack.folder, "copy.json");
      writeFileSync(file, stdout);
      expectDone(await there.stack.run("stack", "import", "--file", file));
      there.edit(false);
      return there;
    };

    test(`with ${form}, a program is planned and applied on a twin of its account, which sees reads alone`, async () => {
      const [before, ids] = [here.stack.stateText(), idsIn(here.stack)];
      account.clearJournal();
      await twinOf(account, async (env) => {
        const there = await copy(env);
        const first = expectDone(await there.stack.preview());
        expect(textOf(first.output)).toContain(
          `nothing changes in the account at ${account.baseUrl}`,
        );
        expect(count(first.output, /this copy of the state is marked/gi)).toBe(1);
        expectDone(await there.stack.refresh());
        there.edit(true);
        const up = expectDone(await there.stack.up());
        // After the refresh nothing else is left to do.
        expect(up.output).toMatch(/Resources:\s+\+ 1 created\s+~ 1 updated\s+2 changes\./);
        const { new: added, ...kept } = idsIn(there.stack);
        expect({ added, kept }).toEqual({ added: "srv_twin_1", kept: ids });
        Object.assign(there.stack.env, {
          ERPHOST_BASE_URL: account.baseUrl,
          ERPHOST_API_KEY: account.adminKey,
          ERPHOST_TWIN_OF: "",
        });
        const back = await there.stack.preview();
        expect(back.code).not.toBe(0);
        expect(textOf(back.output)).toContain("was written by a run on a twin of");
        there.stack.remove();
        if (here.brief) return;
        const own = { ...here.stack.env };
        Object.assign(here.stack.env, env);
        const forgotten = await here.stack.preview();
        expect(forgotten.code).not.toBe(0);
        expect(textOf(forgotten.output)).toContain("seems to be the account's own");
        delete here.stack.env["ERPHOST_TWIN_OF"];
        Object.assign(here.stack.env, own);
      });
      expect(here.stack.stateText()).toBe(before);
      expect(writesTo(account)).toEqual([]);
    }, 300_000);

    test(`with ${form}, a stack moves to another address by one up or one refresh, and nothing is written to the service`, async () => {
      const moved = movedTo(account);
      const { stack } = here;
      const refreshed = await copy({ ...pick(stack.env), ERPHOST_BASE_URL: moved });
      const ids = idsIn(stack);
      account.clearJournal();
      stack.env["ERPHOST_BASE_URL"] = moved;
      const refused = await stack.preview();
      expect(refused.code).not.toBe(0);
      expect(textOf(refused.output)).toContain(
        `set erphost:formerBaseUrl (ERPHOST_FORMER_BASE_URL) to ${account.baseUrl} for one run`,
      );
      stack.env["ERPHOST_FORMER_BASE_URL"] = account.baseUrl;
      refreshed.stack.env["ERPHOST_FORMER_BASE_URL"] = account.baseUrl;
      const planned = expectDone(await stack.preview());
      expect(count(planned.output, /the state moves from/gi)).toBe(1);
      expect(textOf(planned.output)).toContain(`~ ${COUNT} to update`);
      if (!here.brief) {
        here.edit(true);
        const changing = await stack.preview();
        expect(changing.code).not.toBe(0);
        expect(textOf(changing.output)).toContain(
          "so it moves states and changes nothing in the service",
        );
        here.edit(false);
      }
      expectDone(await stack.up());
      expectDone(await refreshed.stack.refresh());
      for (const each of [stack, refreshed.stack]) {
        delete each.env["ERPHOST_FORMER_BASE_URL"];
        expectDone(await each.preview("--expect-no-changes"));
        expect(idsIn(each)).toEqual(ids);
      }
      expect(stack.stateText()).not.toContain(`\\"baseUrl\\":\\"${account.baseUrl}`);
      stack.env["ERPHOST_BASE_URL"] = account.baseUrl;
      const former = await stack.preview();
      expect(former.code).not.toBe(0);
      expect(textOf(former.output)).toContain(`belongs to the account at ${moved}`);
      expect(writesTo(account)).toEqual([]);
      refreshed.stack.remove();
    }, 300_000);
  });
}

const textOf = (output: string): string => unwrapped(output);

/** The text at the end of a run; Pulumi also prints a message at each step of its resource. */
const count = (output: string, what: RegExp): number =>
  (unwrapped(output.split("Diagnostics:")[1] ?? output).match(what) ?? []).length;

const pick = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    ["ERPHOST_BASE_URL", "ERPHOST_API_KEY"].map((name) => [name, env[name] ?? ""]),
  );

interface Stored {
  readonly checkpoint: {
    readonly latest: {
      readonly resources: readonly { readonly urn: string; readonly id?: string }[];
    };
  };
}

// As Pulumi writes it.
const resourcesIn = (state: string) => (JSON.parse(state) as Stored).checkpoint.latest.resources;

/** Ids of the service's objects by their names in the program. */
const idsIn = (stack: PulumiStack): Record<string, string> =>
  Object.fromEntries(
    resourcesIn(stack.stateText()).flatMap(({ urn, id }) => {
      const name = urn.split("::").at(-1) ?? "";
      return id === undefined || urn.includes("::pulumi:") ? [] : [[name, id]];
    }),
  );
