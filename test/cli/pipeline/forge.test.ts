import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { artifactName, markOf } from "../../../cli/pipeline/forge/forge";
import { sealed } from "../../../cli/pipeline/forge/sealed-box";
import { firstFile } from "../../../cli/pipeline/forge/zip";
import { zip } from "../../../scripts/release/archive";
import { complaint } from "../support";
import { creating, Pipeline } from "./support";

const PROD = { stack: "prod", dir: "" };
const pipeline = Pipeline.ofTests();
/** As GitHub's and GitLab's editor in a browser leaves a text. */
const edited = (body: string): string => body.replace(/\n/g, "\r\n");
const comments = () => pipeline.github.pulls.flatMap((pull) => pull.comments);
const open = (number: number) => pipeline.github.open(number, pipeline.git("rev-parse", "HEAD"));

beforeEach(() => pipeline.planned(creating("web")));

describe("the comment on a pull request", () => {
  test("a second plan updates the comment of the first one, and says what differs", async () => {
    open(1);
    expect(await pipeline.run(["plan"], { pull: 1 })).toMatchObject({ code: 0 });
    pipeline.planned(creating("web"), creating("db"));
    for (const each of comments()) each.body = edited(each.body);
    const { out } = await pipeline.run(["plan"], { pull: 1 });
    expect(comments()).toHaveLength(1);
    expect(comments()[0]?.body).toContain("2 to create.");
    expect(comments()[0]?.body).toContain("new: `erphost_server.db`.");
    // What the job prints is the same, without what only the comment knows.
    for (const line of out) expect(comments()[0]?.body).toContain(line);
  });

  test("a plan that fails is shown, and the older one is folded away and called old", async () => {
    open(1);
    await pipeline.run(["plan"], { pull: 1 });
    const token = `ghp_${"a1".repeat(18)}`;
    const secrets = `::error::no${"\u0007"} such @thing </details> ${token} hunter2hunter2 kilo-zebra pw-of-pg!`;
    pipeline.set("broken", `Error: it failed\n${secrets}\n\`\`\`\`\n`);
    const env = {
      TF_VAR_database_password: "hunter2hunter2",
      ...{ PLAIN: "kilo-zebra", ERPHOST_HIDDEN_VARIABLES: " OTHER PLAIN" },
      PG_CONN_STR: "postgres://states:pw-of-pg%21@db/states",
    };
    for (const _ of [1, 2]) {
      const { err } = await pipeline.run(["plan"], { pull: 1, env });
      expect(err.at(-1)).toContain("terraform plan failed with exit code 1");
      // The log has what the comment has, but for what has the form of a secret alone.
      expect(err).toContainEqual(expect.stringMatching(/ghp_\w+(?: \(secret\)){3}$/));
    }
    expect(pipeline.kept).toEqual(pipeline.github.artifacts.slice(0, -2));
    const [body = "", ...others] = comments().map((comment) => comment.body);
    expect(others).toEqual([]);
    const [current = "", old = ""] = body.split("<details>");
    expect(current).toMatch(/\*\*The plan failed\*\* at `[0-9a-f]{12}` by \[this run\]\(https:/);
    expect(current).toContain(
      "`````text\nError: it failed\n: :error::no\uFFFD such @ thing < /details>",
    );
    expect(current).toContain("(secret) (secret) (secret) (secret)");
    expect(current).not.toMatch(/to create|applies this and nothing else/);
    expect(old).toMatch(/^<summary>Out of date: [^]*1 to create/);
    expect(body).not.toMatch(/hunter2|ghp_a1/);

    pipeline.unset("broken");
    await pipeline.run(["plan"], { pull: 1 });
    expect(comments()).toMatchObject([{ body: expect.not.stringContaining("failed") }]);
    expect(comments()[0]?.body).toMatch(/as far as comments show it: the same changes\./);
  });

  test("a job that cannot begin, since its passphrase is missing, leaves no older plan as the newest", async () => {
    open(1);
    await pipeline.run(["plan"], { pull: 1 });
    const words = ["plan", "--unencrypted"];
    const env = { ERPHOST_PLAN_PASSPHRASE: "correct horse battery staple" };
    expect(await pipeline.run(words, { pull: 1, env })).toMatchObject({ code: 2 });
    expect(comments()).toMatchObject([{ body: expect.stringContaining("**The plan failed**") }]);
  });

  test("somebody else's comment with the same mark is neither updated nor taken for ours", async () => {
    const pull = open(2);
    const forged = "<!-- erphost:plans -->\nNothing to do.";
    pull.comments.push({ id: 1, author: "mallory", body: forged });
    await pipeline.run(["plan"], { pull: 2 });
    await pipeline.run(["plan"], { pull: 2 });
    const own = { author: "github-actions[bot]", body: expect.not.stringContaining(forged) };
    expect(comments()).toMatchObject([{ author: "mallory", body: forged }, own]);
  });

  test("stacks share one comment, whatever characters their names hold", async () => {
    open(3);
    const stacks = ["prod", "acme/prod", "--> <script>", "`a` \n$(b)"];
    for (const stack of [...stacks, "prod"]) {
      const { code, err } = await pipeline.run(["plan"], { pull: 3, stack });
      expect({ code, err }).toMatchObject({ code: 0 });
    }
    expect(comments()).toHaveLength(1);
    const [{ body } = { body: "" }] = comments();
    expect(body.match(/^### `+\.\/`+ · `/gm)).toHaveLength(stacks.length);
    expect(body.replace(/(`+)(?!`)[^]*?[^`]\1(?!`)/g, "")).not.toContain("<script>");
    for (const stack of [...stacks, "ünïcode", "x".repeat(200)]) {
      expect(artifactName({ stack, dir: "" })).toMatch(/^[a-z0-9-]{1,80}$/);
    }
    expect(await pipeline.run(["plan"], { stack: " " })).toMatchObject({ code: 2 });
  });

  test("two folders with a stack of one name have a section and a plan each", async () => {
    open(5);
    for (const dir of ["a", "b"]) {
      mkdirSync(join(pipeline.repository, dir), { recursive: true });
      expect(await pipeline.run(["plan"], { pull: 5, dir })).toMatchObject({ code: 0 });
    }
    expect(comments()).toHaveLength(1);
    for (const dir of ["a", "b"]) {
      expect(comments()[0]?.body).toContain(`### \`${dir}/\` · \`prod\` · terraform`);
    }
    expect(new Set(pipeline.github.artifacts.map(({ name }) => name)).size).toBe(2);
  });
});

describe("a forge that does not answer as it should", () => {
  const comment = /POST .*\/comments$/;
  const after = (work: () => void) => work();

  test("a token that may not comment is an error that names the call", async () => {
    open(5);
    pipeline.github.faults = [{ match: comment, status: 403, times: 9 }];
    expect(await pipeline.refused({ pull: 5 }, ["plan"])).toBe(
      "error: GitHub: POST /repos/acme/infra/issues/5/comments → 403: the token may not do that.",
    );
    expect(pipeline.github.calls.filter((call) => comment.test(call))).toHaveLength(1);
  });

  test("a comment whose answer was lost is found, and not written twice", async () => {
    open(7);
    pipeline.github.faults = [{ match: comment, status: 500, isDone: true, times: 1 }];
    expect(await pipeline.run(["plan"], { pull: 7, after })).toMatchObject({ code: 0 });
    expect(comments()).toHaveLength(1);
  });

  test("a token that is not valid, and a job outside of a forge, are refused in a sentence", async () => {
    pipeline.drifted();
    const invalid = await pipeline.run(["drift"], { env: { ERPHOST_FORGE_TOKEN: "ghp_wrong" } });
    expect(invalid.err.at(-1)).toMatch(/→ 401: the token is not valid/);
    expect(invalid.err.join("\n")).not.toContain("ghp_wrong");
    const nowhere = await pipeline.run(["drift"], { env: { GITHUB_ACTIONS: "" } });
    expect(nowhere.code).toBe(2);
    expect(nowhere.err.at(-1)).toContain("neither a job of GitHub Actions nor of GitLab CI");
    const env = { GITHUB_EVENT_PATH: join(pipeline.repository, "program") };
    const text = "GITHUB_EVENT_PATH names a file that is not JSON";
    expect(await complaint(2, pipeline.run(["drift"], { env }))).toContain(text);
  });
});

describe("drift", () => {
  const before = { id: "srv_1", name: "web" };
  const gone = { ...creating("web"), change: { actions: ["delete"], before, after: null } };
  const after = { ...before, name: "web-2" };
  const renamed = { ...creating("web"), change: { actions: ["update"], before, after } };

  test("drift opens one issue, which is updated, and closed with a comment when the drift is gone", async () => {
    pipeline.drifted(gone);
    expect(await pipeline.run(["drift"])).toMatchObject({ code: 0 });
    expect(await pipeline.run(["drift", "--detailed-exitcode"])).toMatchObject({ code: 3 });
    const body = expect.stringContaining("`erphost_server.web`: server `srv_1`; is gone");
    const opened = { title: "Drift: prod", state: "open", labels: ["erphost"], body };
    expect(pipeline.github.issues).toMatchObject([opened]);
    pipeline.drifted(renamed);
    for (const issue of pipeline.github.issues) issue.body = edited(issue.body);
    await pipeline.run(["drift"]);
    expect(pipeline.github.issues).toHaveLength(1);
    expect(pipeline.github.issues[0]?.body).toContain('`name`: `"web"` → `"web-2"`');
    pipeline.drifted();
    expect(await pipeline.run(["drift", "--detailed-exitcode"])).toMatchObject({ code: 0 });
    expect(await pipeline.run(["drift"])).toMatchObject({ code: 0, out: ["No drift in prod."] });
    const comments = [{ body: expect.stringContaining("no drift any more") }];
    expect(pipeline.github.issues).toMatchObject([{ state: "closed", comments }]);
  });

  test("somebody else's issue with the mark stays as it is", async () => {
    const body = `${markOf("drift", PROD)}\nmine`;
    const forged = { author: "mallory", body, title: "t", labels: ["erphost"], comments: [] };
    pipeline.github.issues.push({ id: 1, state: "open", ...forged });
    pipeline.drifted();
    await pipeline.run(["drift"]);
    expect(pipeline.github.issues).toMatchObject([{ state: "open", body }]);
  });
});

describe("the pieces", () => {
  test("a sealed box is what libsodium makes of the same keys", () => {
    const key = "j0DFrbaPJWJK5bIU6nZ6bslNgp09e14a0bpvPiE4KF8=";
    // libsodium opened it, with the secret half 00 01 02 … 1f.
    expect(sealed("erp_live_sécret", key, new Uint8Array(32).fill(0x11))).toBe(
      "e06Qm75//kTEZaIgA31gjuNYl9Me+XLwf3SJLLD3PxNigi0IJisIHgUYUzCt0lmz/yDe0xYFbDLvULEaYdTPVA==",
    );
  });

  test("a damaged archive is refused", () => {
    const whole = zip([{ name: "a", content: Buffer.from("text"), executable: false }]);
    expect(Buffer.from(firstFile(whole)).toString()).toBe("text");
    for (const damaged of [Buffer.alloc(0), whole.subarray(0, 40), whole.subarray(10)]) {
      expect(() => firstFile(damaged)).toThrow("is not an archive with a saved plan");
    }
  });
});
