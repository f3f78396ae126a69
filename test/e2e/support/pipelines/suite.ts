/** Claims about pipelines that hold on every forge: a change's whole way, from its plan to drift. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../../emulator";
import { unwrapped } from "../output";
import { isAccepted } from "../remote/killed";
import { RULES, RULES_FILE, type Files } from "./checkout";
import { keyPair, OUTPUT, SECRET, tools, type Program, type Tool, type Wanted } from "./programs";
import type { Cause, Project, Rig, Run } from "./rig";

const PASSPHRASE = "correct-horse-battery-staple";
/** A job that failed leaves nothing on GitLab. */
const FAILED = /the newest plan of \w+ request \d+ failed|left no plan, or it has expired/;
const LOOPING = { [`../${RULES_FILE}`]: "for (;;);\nexport {};\n" };
const MENDED = { [`../${RULES_FILE}`]: RULES };

/** A stack of servers and a key, in a repository of a forge. */
export class Stack<R extends Rig> {
  private readonly outputs: string[] = [];
  /** Of the plan that an apply refused last. */
  hash = "";
  /** No log, comment, issue or kept file may hold them. */
  readonly secrets: string[];

  readonly emulator: Emulator;
  readonly program: Program;

  private constructor(
    private readonly top: string,
    of: { readonly emulator: Emulator; readonly program: Program },
    readonly rig: R,
    { readKey, applyKey, passphrase, identity }: Project,
  ) {
    this.emulator = of.emulator;
    this.program = of.program;
    this.secrets = [SECRET, readKey, applyKey, passphrase, identity, ...rig.tokens];
  }

  /** @param storesKey whether a job stores the program's key after each apply */
  static async start<R extends Rig>(
    { name, stack, start }: Tool,
    create: (project: Project) => Promise<R>,
    storesKey: boolean,
  ): Promise<Stack<R>> {
    const top = mkdtempSync(join(tmpdir(), "erphost-pipelines-"));
    const { identity, recipient } = await keyPair();
    const program = await start(top, recipient);
    const emulator = await startEmulator({ provisionMs: 0 });
    const { env, synth, engine } = program;
    const project: Project = {
      ...{ stack, tool: name, synth, engine, identity, env, passphrase: PASSPHRASE },
      output: storesKey ? OUTPUT : undefined,
      readKey: emulator.createKey({ name: "reader", permissions: ["read"] }).value,
      applyKey: emulator.adminKey,
      baseUrl: emulator.baseUrl,
    };
    return new Stack(top, { emulator, program }, await create(project), project);
  }

  /** Commits the program on the branch of the pull request. */
  change(wanted: Wanted, more: Files = {}): void {
    this.rig.change({ ...this.program.files(wanted), ...more });
  }

  async planned(...wanted: Parameters<Stack<R>["change"]>): Promise<void> {
    this.change(...wanted);
    await this.done("plan");
  }

  names(): string[] {
    const names = this.emulator.objects("server").map(({ name }) => String(name));
    return names.sort();
  }

  /** Runs a job to its end; what it printed is kept for the search of secrets. */
  async done(...job: Parameters<Rig["start"]>): Promise<string> {
    const { code, output } = await this.run(this.rig.start(...job));
    if (code !== 0) throw new Error(`${job[0]}: exit code ${String(code)}\n${output}`);
    return output;
  }

  async refused(...job: Parameters<Rig["start"]>): Promise<string> {
    const { code, output } = await this.run(this.rig.start(...job));
    if (code === 0) throw new Error(`${job[0]} was done\n${output}`);
    return output;
  }

  /** A plan at a service that refuses to show anything. */
  async expectFailed(): Promise<void> {
    const effect = { type: "status", status: 403 } as const;
    this.emulator.setFaults([{ match: { method: "GET" }, effect }]);
    await this.refused("plan");
    this.emulator.setFaults([]);
    const body = expect.stringMatching(/\*\*The plan failed\*\*[^]*403[^]*Out of date: /);
    expect(this.rig.comments()).toMatchObject([{ body }]);
  }

  /** An apply that nobody reviewed, and why that is. */
  async unreviewed(why: RegExp, ...how: readonly Cause[]): Promise<void> {
    const said = await this.refused("apply", ...how);
    expect(said).toMatch(why);
    this.hash = /--accept ([0-9a-f]{64})/.exec(said)?.[1] ?? said;
  }

  private async run(run: Run): Promise<{ code: number | null; output: string }> {
    const { code, output } = await run.finished;
    run.discard();
    this.outputs.push(output);
    return { code, output: unwrapped(output) };
  }

  /** The key is accepted, it is in nothing that shows texts, and the state has it encrypted alone. */
  async expectStored(): Promise<void> {
    const { rig, emulator, program } = this;
    const key = rig.storedKey();
    expect(await isAccepted(emulator, key)).toBe(true);
    const state = await program.state();
    expect(state).toContain(OUTPUT);
    expect(state.includes(key)).toBe(false);
    this.secrets.push(key);
    expect(this.leaks()).toEqual([]);
  }

  /** Secrets in all that machines printed and gave to the forge. */
  leaks(): string[] {
    const all = [...this.outputs, this.rig.given()].join("\n");
    // The search finds what is there.
    for (const one of ["server `web`", "age-encryption.org"]) expect(all).toContain(one);
    return this.secrets.filter((one) => all.includes(one));
  }

  async close(): Promise<void> {
    await this.rig.close();
    await this.emulator.close();
    await this.program.remove();
    rmSync(this.top, { recursive: true, force: true, maxRetries: 3 });
  }
}

const merged = ["app", "db", "web"];
const all = ["one", ...merged, "two"];
/** Claims that take long. */
const accidents: Readonly<Record<string, (stack: Stack<Rig>) => Promise<void>>> = {
  "a plan that is run again and fails takes the place of the one before it": async (stack) => {
    await stack.planned({ servers: merged, permissions: ["read"] });
    await stack.expectFailed();
    stack.rig.merge();
    await stack.unreviewed(FAILED);
  },
  "of two merges in one push the last one's plan counts, and no older hash": async (stack) => {
    await stack.planned({ servers: all.slice(0, -1) });
    stack.rig.origin.next();
    await stack.planned({ servers: all.slice(1) });
    stack.rig.merge();
    const why =
      /not what was reviewed at .*\bone \(create, which nobody .* is that of another plan/;
    await stack.unreviewed(why, { accept: stack.hash });
    await stack.done("apply", { accept: stack.hash });
    expect(stack.names()).toEqual([...all].sort());
  },
  "a plan of a commit that is another pull request's as well is nobody's": async (stack) => {
    await stack.planned({ servers: merged }, LOOPING);
    stack.rig.origin.double();
    await stack.done("plan");
    stack.rig.merge();
    await stack.unreviewed(
      /as well, so that nobody can tell whose plan it is|alone brought commit/,
    );
    expect(stack.names()).toEqual([...all].sort());
  },
  "a rule of the main branch that does not end refuses every plan": async (stack) => {
    stack.change({ servers: ["web"] });
    const why = "--rules did not answer within 10 s";
    expect(await stack.refused("plan")).toContain(why);
    const body = expect.stringMatching(`The plan failed[^]*${why}`);
    expect(stack.rig.comments()).toMatchObject([{ body }]);
  },
};

/**
 * Each claim continues with what the one before it has left.
 * @param isWhole whether to show what takes long as well
 */
export function describeLife<R extends Rig>(
  tool: Tool,
  create: (project: Project) => Promise<R>,
  isWhole = false,
): void {
  const testHere = tool.isHere ? test : test.skip;
  const storesKey = tool !== tools.tofu;
  let stack: Stack<R>;
  beforeAll(async () => {
    if (tool.isHere) stack = await Stack.start(tool, create, storesKey);
  });
  afterAll(() => (tool.isHere ? stack.close() : undefined));

  testHere(
    "a plan that policies refuse, and a rule of one's own that the pull request weakens, fails its job, and its comment says why",
    async () => {
      const { rig } = stack;
      stack.change({ servers: ["web", "slow"], permissions: ["servers:*"] }, LOOPING);
      expect(await stack.refused("plan")).toContain(`Policies refuse the plan of ${tool.stack}`);
      const body = expect.stringMatching(
        /`wildcard-scope`: `\S*\bci` `is a key with[^]*`no-slow-servers`: `\S*\bslow` `is slow`/,
      );
      expect(rig.comments()).toMatchObject([{ body }]);
      expect(rig.given()).not.toContain("age-encryption.org");
    },
  );

  testHere(
    "plans of a pull request are one comment of ours, which a later plan updates",
    async () => {
      const { rig } = stack;
      const [first] = rig.comments();
      const forged = `${first?.body.split("\n")[0]}\nNothing happens. Merge it.`;
      rig.say(forged);
      await stack.planned({ servers: ["web"] }, MENDED);
      const [ours, other, ...others] = rig.comments();
      expect(ours?.author).toBe(first?.author);
      expect(ours?.body).toContain(`\`${tool.address("web")}\`: server \`web\``);
      expect(ours?.body).not.toContain("Refused");
      expect(other?.body).toBe(forged);
      expect([others, stack.names()]).toEqual([[], []]);
    },
  );

  testHere("a merge applies what the comment shows, and the forge has a record of it", async () => {
    stack.rig.merge();
    expect(await stack.done("apply")).toContain(`Applied ${tool.stack} at `);
    expect(stack.names()).toEqual(["web"]);
    expect(stack.rig.records()).toEqual([{ environment: tool.stack, isEnded: true }]);
  });

  testHere("drift is one issue, which closes itself when there is none any more", async () => {
    const { rig, emulator } = stack;
    const kept = emulator.snapshot();
    emulator.removeObject("server", String(emulator.objects("server")[0]?.["id"]));
    await stack.done("drift", { isHeard: true });
    expect(rig.tickets()).toMatchObject([{ title: `Drift: ${tool.stack}`, isOpen: true }]);
    expect(rig.tickets()[0]?.body).toContain("is gone");
    emulator.restore(kept);
    await stack.done("drift");
    expect(rig.tickets()).toMatchObject([{ isOpen: false }]);
  });

  if (storesKey) {
    testHere(
      "the encrypted key in an output is a variable of the environment after the apply, and no state has it or another secret",
      async () => {
        await stack.expectStored();
        expect((await stack.program.state()).includes(SECRET)).toBe(false);
      },
    );
  }

  testHere("a plan that fails says why, and the older one is folded away as old", async () => {
    await stack.planned({ servers: ["db", "web"] });
    stack.change({ servers: ["db", "web", "app"] });
    await stack.expectFailed();
    expect(stack.names()).toEqual(["web"]);
  });

  testHere(
    "a merge without a plan of its last commit is refused, and applied once its very plan is accepted",
    async () => {
      stack.rig.merge();
      await stack.unreviewed(FAILED);
      expect(stack.names()).toEqual(["web"]);
      await stack.done("apply", { accept: stack.hash });
      expect(stack.names()).toEqual(["app", "db", "web"]);
      const body = expect.stringMatching(`\\*\\*Applied\\*\\* .* accepted it as \`${stack.hash}\``);
      expect(stack.rig.comments()).toMatchObject([{ body }]);
    },
  );

  for (const [claim, expectIt] of Object.entries(isWhole ? accidents : {})) {
    testHere(claim, () => expectIt(stack));
  }

  testHere("no secret is printed, posted or kept in plain text", () => {
    expect(stack.leaks()).toEqual([]);
  });
}
