/** Claims about pipelines that hold on every forge: a change's whole way, from its plan to drift. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../../emulator";
import { unwrapped } from "../output";
import { isAccepted, strike } from "../../../support/ask";
import { RULES, RULES_FILE, type Files } from "./checkout";
import { keyPair, OUTPUT, SECRET, tools, type Program, type Tool, type Wanted } from "./programs";
import type { Project, Rig, Run } from "./rig";

const PASSPHRASE = "correct-horse-battery-staple";
/** A job that failed leaves nothing on GitLab. */
const FAILED = /the newest plan of \w+ request \d+ failed|left no plan, or it has expired/;
const LOOPING = { [`../${RULES_FILE}`]: "for (;;);\nexport {};\n" };
const MENDED = { [`../${RULES_FILE}`]: RULES };

/** A stack of servers and a key, in a repository of a forge. */
export class Stack<R extends Rig> {
  private readonly outputs: string[] = [];
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

/** Each claim continues with what the one before it has left. */
export function describeLife<R extends Rig>(tool: Tool, create: (project: Project) => Promise<R>) {
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
    strike(stack.emulator, "GET", 403);
    await stack.refused("plan");
    stack.emulator.setFaults([]);
    const body = expect.stringMatching(/\*\*The plan failed\*\*[^]*403[^]*Out of date: /);
    expect(stack.rig.comments()).toMatchObject([{ body }]);
    expect(stack.names()).toEqual(["web"]);
  });

  testHere(
    "a merge without a plan of its last commit is refused, and applied once its very plan is accepted",
    async () => {
      stack.rig.merge();
      const said = await stack.refused("apply");
      expect(said).toMatch(FAILED);
      const [, hash = said] = /--accept ([0-9a-f]{64})/.exec(said) ?? [];
      expect(stack.names()).toEqual(["web"]);
      await stack.done("apply", { accept: hash });
      expect(stack.names()).toEqual(["app", "db", "web"]);
      const body = expect.stringMatching(`\\*\\*Applied\\*\\* .* accepted it as \`${hash}\``);
      expect(stack.rig.comments()).toMatchObject([{ body }]);
    },
  );

  testHere("no secret is printed, posted or kept in plain text", () => {
    expect(stack.leaks()).toEqual([]);
  });
}
