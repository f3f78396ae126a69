/** What goes wrong around an apply: old jobs, cancelled ones, a forge that fails, runs that overlap. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { creating, Pipeline } from "./support";

let pipeline: Pipeline;

beforeAll(async () => {
  pipeline = await Pipeline.start();
});
beforeEach(() => pipeline.reset());
afterAll(() => pipeline.close());

const web = creating("web");
const db = creating("db");
const applies = () => pipeline.engine.filter((line) => line.startsWith("apply"));
const states = () => pipeline.github.deployments.map((each) => each.states);

describe("the job of an older merge", () => {
  /** Two merges, of which the second one's apply ends so. */
  async function merges(end: "succeeds" | "fails") {
    pipeline.planned(web);
    const first = await pipeline.merged(1, "two");
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    pipeline.planned(db);
    const second = await pipeline.merged(2, "three");
    if (end === "fails") pipeline.set("failing");
    await pipeline.run(["apply"]);
    pipeline.unset("failing");
    pipeline.github.history.push(first, second);
    pipeline.git("checkout", "--quiet", "--detach", first);
    return { first, second };
  }

  test.each(["succeeds", "fails"] as const)(
    "the job of an older merge does not do again what it did, where a later apply %s",
    async (end) => {
      const { first, second } = await merges(end);
      const count = applies().length;
      pipeline.planned(web);
      const { code, err } = await pipeline.run(["apply"]);
      pipeline.git("checkout", "--quiet", "main");
      expect(code).toBe(1);
      expect(err.at(-1)).toContain(`${first.slice(0, 12)} is older than ${second.slice(0, 12)}`);
      expect(applies()).toHaveLength(count);
    },
  );

  test("the job of a merge that was dropped is run after all, while no later one was applied", async () => {
    pipeline.planned(web);
    const first = await pipeline.merged(1, "two");
    await pipeline.run(["apply"]);
    pipeline.planned(db);
    const second = await pipeline.merged(2, "three");
    pipeline.github.history.push(first, second);
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    pipeline.planned(db);
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
  });
});

describe("what only the state holds", () => {
  test("a merge that only moves an object to another address is applied", async () => {
    const moved = (previous: string | undefined) => ({
      ...web,
      previous_address: previous,
      change: { actions: ["no-op"], before: { id: "srv_1" }, after: { id: "srv_1" } },
    });
    pipeline.planned(moved("erphost_server.old"));
    await pipeline.merged(1, "two");
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    expect(applies()).toHaveLength(1);
    pipeline.planned(moved(undefined));
    expect(await pipeline.run(["apply"])).toMatchObject({ out: ["Nothing to change in prod."] });
  });
});

describe("a job that is cancelled", () => {
  test("a job that was cancelled before its apply begins nothing, and records nothing", async () => {
    pipeline.planned(web);
    await pipeline.merged(1, "two");
    const stop = new AbortController();
    // The last call before an apply begins.
    pipeline.github.onCall = (line) => {
      if (/GET .*\/deployments$/.test(line)) stop.abort();
    };
    const { code } = await pipeline.run(["apply"], { stopped: stop.signal });
    pipeline.github.onCall = () => undefined;
    expect(code).toBe(1);
    expect(applies()).toEqual([]);
    expect(states()).toEqual([]);
  });
});

describe("a forge that fails", () => {
  beforeEach(async () => {
    pipeline.planned(web);
    await pipeline.merged(1, "two");
  });

  test("an apply whose end the forge does not record says that it was applied", async () => {
    const match = /POST .*\/statuses$/;
    pipeline.github.faults = [
      { match, status: 200, isDone: true, times: 1 },
      { match, status: 403, times: 1 },
    ];
    const { code, err } = await pipeline.run(["apply"]);
    expect(code).toBe(1);
    expect(err.at(-1)).toMatch(/^error: prod was applied, but not recorded, .* → 403: /);
    expect(applies()).toHaveLength(1);
  });

  test("a forge that cannot record the begin of an apply applies nothing", async () => {
    for (const fault of [{ status: 500 }, { status: 403 }, { status: 200 }]) {
      pipeline.github.faults = [{ match: /POST .*\/deployments$/, times: 9, ...fault }];
      const { code, err } = await pipeline.run(["apply"]);
      expect(code).toBe(1);
      expect(err.at(-1)).toMatch(
        /^error: GitHub: POST \S*\/deployments (?:→ \d+|answered)[^\n]*\.$/,
      );
    }
    expect(applies()).toEqual([]);
  });

  test("a plan that the forge no longer keeps is as good as none", async () => {
    pipeline.github.faults = [{ match: /\/zip$/, status: 410, times: 9 }];
    const { code, err } = await pipeline.run(["apply"]);
    expect(code).toBe(1);
    expect(err.at(-1)).toContain("pull request 1 left no plan of prod, or it has expired");
    expect(applies()).toEqual([]);
  });

  test("a deployment that somebody else made without a run stops nothing", async () => {
    const of = { environment: "prod", task: "erphost", ref: "0".repeat(40) };
    for (const payload of ["", "{", { run: 1 }, null]) {
      pipeline.github.deployments.push({ id: pipeline.github.next(), ...of, payload, states: [] });
    }
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
  });

  test("a secret with a token that nobody has set is named", async () => {
    const { code, err } = await pipeline.run(["apply"], { env: { ERPHOST_FORGE_TOKEN: "" } });
    expect(code).toBe(2);
    expect(err.join("\n")).toContain("ERPHOST_FORGE_TOKEN must be set");
  });

  test("an answer of another form is a sentence", async () => {
    pipeline.github.faults = [{ match: /graphql/, status: 200, times: 9 }];
    const { code, err } = await pipeline.run(["plan"], { pull: 1 });
    expect(code).toBe(1);
    expect(err.at(-1)).toBe("error: GitHub: POST /graphql answered something else.");
  });
});

describe("drift while an apply runs", () => {
  const gone = {
    ...web,
    change: { actions: ["delete"], before: { id: "srv_1", name: "web" }, after: null },
  };
  const running = () => {
    const run = pipeline.github.begin("push", "0".repeat(40));
    const payload = { run: String(run.id), attempt: "1" };
    const of = { environment: "prod", task: "erphost", ref: "0".repeat(40), payload };
    const deployment = { id: pipeline.github.next(), ...of, states: ["in_progress"] };
    pipeline.github.deployments.push(deployment);
    return { end: () => void deployment.states.push("success") };
  };
  const plans = () => pipeline.engine.filter((line) => line.startsWith("plan"));

  test("drift is looked for when the apply has ended, so that what it changes is none", async () => {
    pipeline.drifted(gone);
    const apply = running();
    const { code, out } = await pipeline.run(["drift"], {
      after: (work) => {
        expect(plans()).toEqual([]);
        pipeline.drifted();
        apply.end();
        work();
      },
    });
    expect({ code, out }).toEqual({ code: 0, out: ["No drift in prod."] });
    expect(pipeline.github.issues).toEqual([]);
  });

  test("what an apply changed that began meanwhile is looked at again", async () => {
    pipeline.drifted(gone);
    pipeline.github.onCall = (line) => {
      if (!/GET .*\/deployments$/.test(line) || plans().length === 0) return;
      if (pipeline.github.deployments.length === 0) running().end();
      pipeline.drifted();
    };
    const { out } = await pipeline.run(["drift"]);
    pipeline.github.onCall = () => undefined;
    expect(out).toEqual(["No drift in prod."]);
    expect(plans()).toHaveLength(2);
  });

  test("an apply that runs on for long is left alone, and no issue is touched", async () => {
    pipeline.drifted(gone);
    running();
    const { code, out } = await pipeline.run(["drift"], { after: (work) => work() });
    expect(code).toBe(0);
    expect(out).toEqual(["An apply of prod is still running, so drift was not looked for."]);
    expect(plans()).toEqual([]);
  });
});

test("drift of other providers is named, and opens no issue", async () => {
  const other = {
    address: "aws_s3_bucket.logs",
    mode: "managed",
    type: "aws_s3_bucket",
    provider_name: "registry.terraform.io/hashicorp/aws",
    change: {
      actions: ["update"],
      before: { id: "logs", tags: null },
      after: { id: "logs", tags: { a: "b" } },
    },
  };
  pipeline.drifted(other);
  const { code, out } = await pipeline.run(["drift", "--detailed-exitcode"]);
  expect(code).toBe(0);
  expect(out).toEqual([
    "No drift in prod. Objects of other providers, not judged here: 1 drifted.",
  ]);
  expect(pipeline.github.issues).toEqual([]);
});
