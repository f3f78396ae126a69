/**
 * Other engines than OpenTofu on GitHub, a stored key, and webhooks that start a run: the guide's
 * workflow by act, on a stand-in for GitHub. What holds on every forge is in pull-request.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { erphost } from "../../cli/support";
import { ACTIONS } from "../support/forge/github";
import { pullPayload } from "../support/forge/github-project";
import { Pipeline, PASSPHRASE } from "./pipeline";
import { SECRET, tools } from "./programs";

const WEBHOOKS = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const done = (result: { code: number | null; output: string }): string => {
  if (result.code !== 0) throw new Error(result.output);
  return result.output;
};

/** Squashes the branch into main, as the pull request's button does. @returns the commit */
function merged({ git, github }: Pipeline): string {
  git("checkout", "--quiet", "main");
  git("merge", "--quiet", "--squash", "change");
  git("commit", "--quiet", "--message", "servers (#7)");
  const commit = git("rev-parse", "HEAD");
  for (const pull of github.pulls) pull.merged = commit;
  return commit;
}

/** The key that the program made is the secret of later runs; nothing showed it, and no state has it. */
async function expectStored(pipeline: Pipeline): Promise<void> {
  const { github, emulator, outputs } = pipeline;
  const key = github.secret("prod/ERPHOST_API_KEY");
  const headers = { authorization: `Bearer ${key}` };
  expect(await fetch(`${emulator.baseUrl}/auth/test`, { headers })).toMatchObject({ status: 200 });
  expect(pipeline.state()).toContain("pipeline_key");
  expect([...outputs, ...github.posted, pipeline.state()].join("").includes(key)).toBe(false);
}

describe.each([tools.terraform, tools.cdktf])(
  "another repository on GitHub, with $name:",
  (tool) => {
    const testWithEngine = tool.isHere ? test : test.skip;

    testWithEngine(
      "a merge applies the plan that its pull request was commented with",
      async () => {
        const pipeline = await Pipeline.start(tool);
        try {
          pipeline.git("checkout", "--quiet", "-b", "change");
          const { number, comments } = pipeline.github.open(
            7,
            pipeline.commit(["web"], "a server"),
          );
          done(
            await pipeline.run(
              "pull_request",
              pullPayload({ number, head: pipeline.git("rev-parse", "HEAD") }),
            ),
          );
          expect(comments).toMatchObject([{ body: expect.stringMatching(/\d to create/) }]);
          const commit = merged(pipeline);
          const output = done(
            await pipeline.run("push", { ref: "refs/heads/main", after: commit }),
          );
          expect(output).toContain(`Applied ${tool.stack} at ${commit}.`);
          expect(pipeline.names()).toEqual(["web"]);
          expect(pipeline.outputs.join("").includes(SECRET)).toBe(false);
          const keys = pipeline.emulator.objects("api_key").filter((key) => key["name"] === "ci");
          if (keys.length > 0) await expectStored(pipeline);
        } finally {
          await pipeline.close();
        }
      },
    );
  },
);

describe.each([tools.pulumi])("a repository on GitHub, with $name:", (tool) => {
  const testWithEngine = tool.isHere ? test : test.skip;
  let pipeline: Pipeline;
  beforeAll(async () => {
    if (tool.isHere) pipeline = await Pipeline.start(tool);
  });
  afterAll(() => (tool.isHere ? pipeline.close() : undefined));

  testWithEngine(
    "a push to a pull request updates its comment, with a key that may only read",
    async () => {
      const { github } = pipeline;
      pipeline.git("checkout", "--quiet", "-b", "change");
      const pull = github.open(7, pipeline.commit(["web"], "a server"));
      const { comments } = pull;
      const payload = () => pullPayload(pull);
      done(await pipeline.run("pull_request", payload()));
      expect(comments).toMatchObject([{ body: expect.stringContaining("1 to create") }]);
      const [first] = comments;
      expect(first?.body).toContain(`\`${tool.address("web")}\`: server \`web\``);
      pull.head = pipeline.commit(["web", "db"], "another one");
      done(await pipeline.run("pull_request", payload()));
      expect(comments).toMatchObject([
        { id: first?.id, body: expect.stringContaining("2 to create") },
      ]);
      expect(first?.body).toContain(`Planned at ${pull.head.slice(0, 12)}.`);
      expect(github.artifacts).toHaveLength(2);
      expect(pipeline.names()).toEqual([]);
    },
  );

  testWithEngine("a merge applies what was planned, and records it as a deployment", async () => {
    const { github } = pipeline;
    const commit = merged(pipeline);
    const output = done(await pipeline.run("push", { ref: "refs/heads/main", after: commit }));
    expect(output).toContain(`Applied ${tool.stack} at ${commit}.`);
    expect(pipeline.names().toSorted()).toEqual(["db", "web"]);
    expect(github.deployments).toMatchObject([
      { environment: tool.stack, ref: commit, states: ["in_progress", "success"] },
    ]);
  });

  testWithEngine(
    "a webhook of the service starts a run that opens an issue about drift, which a later run closes",
    async () => {
      const { emulator, github } = pipeline;
      const kept = emulator.snapshot();
      const dispatched = await whenDispatched(async () => {
        const [server] = emulator.objects("server");
        const headers = { authorization: `Bearer ${emulator.adminKey}` };
        await fetch(`${emulator.baseUrl}/servers/${String(server?.["id"])}`, {
          method: "DELETE",
          headers,
        });
      });
      expect(dispatched).toMatchObject({ event_type: "erphost" });
      done(await pipeline.run("repository_dispatch", { action: "erphost", ...dispatched }));
      expect(github.issues).toMatchObject([
        { title: `Drift: ${tool.stack}`, state: "open", body: expect.stringContaining("is gone") },
      ]);
      emulator.restore(kept);
      done(await pipeline.run("schedule", { schedule: "17 * * * *" }));
      expect(github.issues).toMatchObject([
        { state: "closed", comments: [{ body: expect.stringContaining("no drift any more") }] },
      ]);
    },
  );

  testWithEngine("nothing of it shows a key, the passphrase or a secret of the program", () => {
    const all = [...pipeline.outputs, ...pipeline.github.posted].join("\n");
    expect(pipeline.outputs).toHaveLength(5);
    for (const secret of [
      pipeline.readKey,
      pipeline.emulator.adminKey,
      PASSPHRASE,
      ACTIONS.token,
    ]) {
      expect(all.includes(secret)).toBe(false);
    }
    expect(all.includes(SECRET)).toBe(false);
  });

  /** Runs `erphost listen` while something happens. @returns what it posted to GitHub */
  async function whenDispatched(
    work: () => Promise<void>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { emulator, github } = pipeline;
    const stop = new AbortController();
    const ready = Promise.withResolvers<string>();
    const listening = erphost(
      [
        ...["listen", "--port", "0", "--debounce", "0", "--on", "server.deleted"],
        ...["--dispatch", "acme/infra", "--api", github.url],
      ],
      {
        env: { ERPHOST_WEBHOOK_SECRET: WEBHOOKS, GITHUB_TOKEN: ACTIONS.token },
        stopped: stop.signal,
        onLine: (line) => {
          const [, url] = /^Listening on (.*)/.exec(line) ?? [];
          if (url !== undefined) ready.resolve(url);
        },
      },
    );
    const { id } = emulator.registerWebhook({ url: await ready.promise, secret: WEBHOOKS });
    await work();
    const dispatched = await github.dispatched;
    emulator.removeWebhook(id);
    stop.abort();
    await listening;
    return dispatched;
  }
});
