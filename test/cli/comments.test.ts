/** What a reviewer reads in a comment, of plans that the real engines made; and what names cannot do to it. */
import { describe, expect, test } from "@jest/globals";
import { sensitiveValues } from "../../cli/pipeline/comment/engine-text";
import { headingOf } from "../../cli/pipeline/comment/sections";
import { failureSection, notAppliedText, planSection } from "../../cli/pipeline/comment/text";
import { ToolError } from "../../cli/pipeline/tools/tool";
import { commentOf, PullRequest, recordedComment, recordedPlan, reviewed } from "../plans/comments";
import { CANARY, SECRETS } from "../plans/scenario";

const part = (comment: string, from: string): string =>
  comment.split(from)[1]?.split(/\n#### |\n<!-- /)[0] ?? "";
const first = (comment: string, pattern: RegExp): string => pattern.exec(comment)?.[1] ?? "";

/** Ten questions of a reviewer, as the text of the comment alone answers them. */
const answersOf = (comment: string) => {
  const current = comment.split("<!-- erphost:infra-prod-a7c0254e:older -->")[0] ?? "";
  const risks = part(current, "#### Look at these first\n").split("\n").filter(Boolean);
  const saying = (words: RegExp): string[] =>
    risks
      .filter((line) => words.test(line))
      .map((line) => first(line, /`([^`]+)`/))
      .toSorted();
  return {
    which: first(current, /^### (.*)$/m).replaceAll("`", ""),
    when: first(current, /at `(\w+)` by \[this run\]\(https:/),
    lost: saying(/ is deleted|old one is deleted|is replaced$/),
    unprotected: saying(/protect/),
    mayDoMore: saying(/may do/),
    endless: saying(/never ends/),
    getsRole: saying(/gives a role/),
    takes: first(current, /^Takes ([\d,]+) calls/m),
    since: /No earlier plan/.test(current) ? "first" : first(current, /^(Compared.*)/m),
    apply: first(current, /(applies this and nothing else|can be applied until a plan)/),
  };
};

const FIRST = {
  which: "infra/ · prod · terraform",
  when: "4f1c9a02be77",
  ...{ lost: [], unprotected: [], mayDoMore: [], endless: [], getsRole: [], since: "first" },
  apply: "applies this and nothing else",
};

describe("a comment on a plan that an engine made", () => {
  test.each([
    [
      "creates",
      { mayDoMore: ["erphost_api_key.ci"], getsRole: ["erphost_team.ops"], takes: "16" },
      ['`permissions`: `["servers:read"]`', "`deletion_protection`: `true`", '`version`: `"17.0"`'],
    ],
    [
      "key",
      {
        which: "infra/ · prod · pulumi",
        ...{ mayDoMore: ["pipeline"], endless: ["pipeline"], takes: "6" },
      },
      [
        '- `pipeline`: API key `pipeline`\n  - `gracePeriod`: `"7d"`\n  - `permissions`: `["admin"]`',
      ],
    ],
    [
      "alike",
      { which: "infra/ · prod · tofu", takes: "1,021" },
      ['- 1,000 × `erphost_server.s[*]` (`0–999`): server; `properties.region`: `"eu"` → `"us"`'],
    ],
    [
      "protected",
      { lost: ["erphost_instance.erp"], unprotected: ["erphost_instance.erp"], takes: "7" },
      ["forced by `server_id`: the old one is deleted", '`server_id`: `"srv_1"` → `"srv_2"`'],
    ],
    [
      "failed",
      { which: "infra/ · prod · tofu", takes: "", since: "", apply: "can be applied until a plan" },
      ["prevents replacing instance ins_1", "Out of date: an older plan"],
    ],
    [
      "others",
      { lost: ["terraform_data.old"], takes: "3" },
      ['`terraform_data.new`: to create\n  - `input`: `"one"`', '`"db.internal"` → `(secret)`'],
    ],
  ])("answers what a reviewer of %s asks, and fits its forge", async (name, answers, texts) => {
    const comment = await recordedComment(name);
    expect(answersOf(comment)).toEqual({ ...FIRST, ...answers });
    for (const text of texts) expect(comment).toContain(text);
    expect(comment.length).toBeLessThanOrEqual(65_000);
    for (const secret of [CANARY, ...Object.values(SECRETS)]) expect(comment).not.toContain(secret);
  });

  test("has the engine's own words, as many as fit, and says what is left out", async () => {
    expect(await recordedComment("others")).toContain("# terraform_data.old will be destroyed");
    const short = await recordedComment("alike", 6_000);
    expect(short).toMatch(
      /Left out [^.]*: the end of the engine's own plan\.[^]*\n```\n\n<\/details>/,
    );
    expect(short.length).toBeLessThanOrEqual(6_000);
    expect(short).toContain("1,000 × `erphost_server.s[*]`");
  });
});

describe("a comment of several stacks", () => {
  const made = reviewed(JSON.stringify(recordedPlan("key").json), `one\n${"word ".repeat(4_000)}`);

  test("keeps the sections of the others, and cuts what matters least wherever it is", async () => {
    const pull = new PullRequest(24_000);
    for (const stack of ["a", "b", "c"]) await commentOf(made, pull, pull.job("", stack));
    expect(pull.body.length).toBeLessThanOrEqual(24_000);
    expect(pull.body.match(/^### /gm)).toHaveLength(3);
    expect(pull.body.match(/^ {2}- `permissions`: `\["admin"\]`$/gm)).toHaveLength(3);
    const job = pull.job("", "b");
    await pull.write((old) => ({ ...old, applied: "**Applied.**" }), job);
    expect(pull.body).toMatch(
      /^### `\.\/` · `b` [^\n]*\n\n[^\n]*\n\n<!--.*-->\n\*\*Applied\.\*\*$/m,
    );
    await commentOf(made, pull, job);
    expect(pull.body).not.toContain("**Applied.**");
  });

  test("says of each of thirty that fail that it did, and as much of why as fits", async () => {
    const pull = new PullRequest();
    const error = new ToolError("pulumi", "up", 1, "Error: for some long reason\n".repeat(300));
    for (let at = 0; at < 30; at += 1) {
      const job = pull.job("", `s${at}`);
      await pull.write((old) => failureSection(job, "4f1c9a02be77", error, old), job);
    }
    expect(pull.body.match(/^\*\*The plan failed\*\*/gm)).toHaveLength(30);
    expect(pull.body).toContain("```text\nError: for some long reason\n");
  });

  test("gets back a section that another job has overwritten, in the first of two comments", async () => {
    const pull = new PullRequest();
    const [one, other] = [pull.job("", "one"), pull.job("", "other")];
    const edit = one.forge.editComment.bind(one.forge);
    let isFirst = true;
    one.forge.editComment = async (...args) => {
      await edit(...args);
      // The other job had read the comment before this one wrote.
      if (isFirst) pull.body = "";
      isFirst = false;
    };
    await commentOf(made, pull, one);
    await commentOf(made, pull, other);
    expect(pull.body.match(/^### .*/gm)).toEqual([headingOf(one), headingOf(other)]);
  });
});

/** Pieces that mean something to Markdown, HTML, Mermaid, a forge, a runner or a terminal. */
const PIECES = [
  ..."`|*_~#<>[](){}\"'\\/:;%$@!&^=-+,. \t\r\n\0\u0007\u001b\u202e\u2066\u200b\u2028",
  ..."``` ~~~~ ````text </details> <details><summary> <!-- --> <script> @everyone".split(" "),
  ...'@acme/team #1 !2 /close ##[group] end n0-->n1 n9(["x"]) #quot; ](https://x) a é'.split(" "),
  ...["::set-output name=a::b", "\n## x", "\n- `a`: b", "subgraph x", "%%{init: {}}%%"],
  ...["click n0 href", "<!-- erphost:infra-prod-a7c0254e:applied -->"],
  "\n<!-- erphost:plans -->\n",
];

/** The same sequence on every machine. */
function* hostileNames(count: number): Generator<string> {
  let seed = 1217;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  for (let index = 0; index < count; index += 1) {
    yield `x${Array.from({ length: 1 + next(6) }, () => PIECES[next(PIECES.length)]).join("")}x`;
  }
}

/** What is left of a comment where texts of others are one word: its structure, and the picture's. */
const skeletonOf = (comment: string): string =>
  comment
    // Blocks of text, in whatever fence; then code spans, in whatever fence; then labels and hashes.
    .replace(/^(`{3,})text\n[^]*?\n\1$/gm, "TEXT")
    .replace(/(?<!`)(`{1,2}|`{4,})(?!`).*?(?<!`)\1(?!`)/g, "CODE")
    .replace(/(created: )[^"\n]*/g, "$1LABEL")
    .replace(/:[0-9a-f]{12} -->/g, " -->");

/** A plan that creates a key with this name, in an address, a field and the engine's words. */
const keyNamed = (name: string) => {
  const after = { name, permissions: [name], ip_whitelist: [name] };
  const change = { actions: ["create"], before: null, after, after_unknown: { id: true } };
  const resource_changes = [
    { address: `erphost_api_key.k[${JSON.stringify(name)}]`, type: "erphost_api_key", change },
    { address: `other_thing.o[${JSON.stringify(name)}]`, type: "other_thing", change },
  ];
  const text = JSON.stringify({ format_version: "1.2", resource_changes });
  return reviewed(text, `plan\n${name}\nend`);
};

async function bothSectionsOf(name: string): Promise<string> {
  const pull = new PullRequest();
  const job = pull.job();
  const error = new ToolError("terraform", "plan", 1, `Error: ${name}`);
  await pull.write((old) => planSection(job, keyNamed(name), old), job);
  const planned = pull.body;
  await pull.write((old) => failureSection(job, "4f1c9a02be77", error, old), job);
  return `${planned}\n=====\n${pull.body}`;
}

test("1,000 hostile names change neither the comment nor its picture", async () => {
  const plain = skeletonOf(await bothSectionsOf("x"));
  expect(plain).toContain("TEXT");
  for (const name of hostileNames(1_000)) {
    const comment = await bothSectionsOf(name);
    expect({ name, skeleton: skeletonOf(comment) }).toEqual({ name, skeleton: plain });
    const words = [...comment.matchAll(/^(`{3,})text\n([^]*?)\n\1$/gm)].map(([, , text]) => text);
    const said = words.join("\n");
    expect(said).not.toMatch(/<[/!]|@[\w-]|^\s*::|##\[|[^\P{Cc}\n\t]|\p{Bidi_Control}/mu);
    const labels = [...comment.matchAll(/created: ([^"\n]*)/g)].map(([, label]) => label).join();
    expect(labels).not.toMatch(/[^\w .,…#;-]/);
  }
});

test("what the plan calls sensitive is masked in the engine's words, wherever it is and in each line", async () => {
  const marks = { after_sensitive: { notes: true, list: [false, true] } };
  const after = { notes: "first line\nsecond line", list: ["open", "h1dden"], name: "a" };
  const change = { actions: ["create"], before: null, after, ...marks };
  const plan = {
    format_version: "1.2",
    resource_changes: [{ address: "other_thing.o", type: "other_thing", change }],
    variables: { pin: { value: 48151 }, mode: { value: "public" } },
    configuration: { root_module: { variables: { pin: { sensitive: true }, mode: {} } } },
  };
  const text =
    'a public open plan: 48151, h1dden.\n  second line\n"first line\\nsecond line" db_password = "pa55w0rd"\n+ x = (sensitive value)\n';
  const comment = await commentOf(reviewed(JSON.stringify(plan), text));
  expect(comment).not.toMatch(/48151|h1dden|first line|second line|pa55w0rd/);
  expect(comment).toContain("a public open plan: (secret), (secret).\n  (secret)\n");
  expect(comment).toContain("+ x = (sensitive value)");
});

/** A plan of one object, in which everything but `open` is sensitive. */
const hiding = (after: Readonly<Record<string, unknown>>, text = "") => {
  const marks = Object.fromEntries(Object.keys(after).map((name) => [name, name !== "open"]));
  const change = { actions: ["create"], after, after_sensitive: marks };
  const resource_changes = [{ address: "other_thing.o", type: "other_thing", change }];
  return reviewed(JSON.stringify({ format_version: "1.2", resource_changes }), text);
};

test("sensitive values are masked however long they are, in each form, where an engine breaks its line, and where one begins within another", async () => {
  const lines = Array.from({ length: 2_000 }, (_, at) => `${at}-my-own-line`.padEnd(64, "q"));
  const values = [lines.join("\n"), "kilo-zebra", "zebra-7", "secret", "a${b}<c", "correct horse"];
  const text = `a ${lines[9]} b kilo-zebra-7 c secret d a$\${b}<c e a\${b}\\u003cc f correct\nhorse g\n`;
  const masks = "\na (secret) b (secret) c (secret) d (secret) e (secret) f (secret) g\n";
  expect(await commentOf(hiding({ ...values }, text))).toContain(masks);
});

test("a sensitive value is masked in base64, be it within another text, in JSON within JSON and in an address", async () => {
  const value = 'pä"ss\\w?rd>>>word/1';
  const within = [0, 1, 2].map((before) => `${"-".repeat(before)}${value}, and more`);
  const twice = JSON.stringify(JSON.stringify(value));
  for (const form of [value, ...within].map((each) => Buffer.from(each))) {
    for (const encoding of ["base64", "base64url"] as const) {
      const comment = await commentOf(hiding({ value }, `data = ${form.toString(encoding)}`));
      expect(comment).toMatch(/^data = [\w-]{0,4}\(secret\)/m);
    }
  }
  const comment = await commentOf(hiding({ value }, `${encodeURIComponent(value)} ${twice}`));
  expect(comment).toContain('\n(secret) "\\"(secret)\\""\n');
});

test("a sensitive value is masked in another field and an error as well, before anything is cut", async () => {
  const open = `${"x".repeat(110)} db://admin/zebra-7-kilo/create`;
  const made = hiding({ code: "zebra-7-kilo", word: "create", open });
  const pull = new PullRequest();
  const job = pull.job();
  const comment = await commentOf(made, pull, job);
  expect(comment).toContain("1 to create");
  const error = new ToolError("terraform", "apply", 1, `Error: "zebra-7-kilo" is in use`);
  expect(`${comment}${notAppliedText(job, error)}`).not.toContain("zebra");
});

test("what a plan says of a value with a secret's name is shown, and so is the name that tells declarations apart", () => {
  const change = { actions: ["create"], before: "zebra-6", after: "zebra-7" };
  const definitions = JSON.stringify([{ env: [{ name: "DB_PASSWORD", value: "zebra-95" }] }]);
  const plan = {
    output_changes: { encrypted_key: change },
    planned_values: {
      outputs: { encrypted_key: { sensitive: false, type: "text", value: "zebra-8" } },
    },
    resource_changes: [
      { change: { ...change, after: { idempotency_token: "main", definitions } } },
    ],
    steps: [{ detailedDiff: { apiToken: { kind: "update" } }, oldState: { apiToken: "zebra-9" } }],
  };
  expect(
    [...sensitiveValues(JSON.stringify(plan))].filter((each) => each.startsWith("zebra")).sort(),
  ).toEqual(["zebra-6", "zebra-7", "zebra-8", "zebra-9", "zebra-95"]);
});
