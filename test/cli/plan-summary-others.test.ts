/** What `erphost plan-summary` says of other providers' objects, and of what is easily overlooked. */
import { expect, test } from "@jest/globals";
import type { PlanSummary } from "../../cli/plan-summary/schema";
import { erphost, letters, objectsIn } from "./support";

const PROFILE = JSON.stringify({ resources: { backup: { operations: { delete: true } } } });

const database = (name: string, actions: readonly string[], sides = {}) => ({
  address: `aws_db_instance.${name}`,
  mode: "managed",
  type: "aws_db_instance",
  provider_name: "registry.terraform.io/hashicorp/aws",
  change: { actions, before: { id: name }, after: null, ...sides },
});

/** A program with one block that is in another account. */
const configured = (what: string, address: string, provider_config_key: string) => ({
  configuration: { root_module: { [what]: [{ address, provider_config_key }] } },
});

async function summarised(format: string, plan: Readonly<Record<string, unknown>>) {
  const readFile = () => JSON.stringify(plan);
  const { out } = await erphost(["plan-summary", "a", "--format", format], { readFile });
  return out.join("\n");
}

test("a plan that only deletes another provider's object names it, and never says that there is nothing to do", async () => {
  const changes = { made: "create", orders: "delete", same: "no-op" };
  const resource_changes = Object.entries(changes).map(([name, does]) => database(name, [does]));
  const there = configured("resources", "aws_db_instance.orders", "aws.eu");
  const plan = { format_version: "1.2", resource_changes, ...there };
  const markdown = await summarised("markdown", plan);
  expect(markdown).not.toContain("Nothing to do.");
  const counts = "Objects of other providers, not judged here: 1 to delete, 1 to create.";
  expect(markdown).toContain(counts);
  expect(markdown).toContain(
    "- `aws_db_instance.orders (in aws.eu)`: to delete\n- `aws_db_instance.made`: to create",
  );
  expect(markdown).not.toContain("aws_db_instance.same");
  const table = await summarised("table", plan);
  expect(table).not.toContain("Nothing to do.");
  expect(table).toMatch(/^ {2}- +aws_db_instance\.orders \(in aws\.eu\) +of another provider/m);
});

/** The one plan of the JSON. */
async function planOf(plan: Readonly<Record<string, unknown>>): Promise<PlanSummary> {
  const { plans } = JSON.parse(await summarised("json", plan)) as { plans: [PlanSummary] };
  return plans[0];
}

test.each([
  [[], { ERPHOST_PROFILE: PROFILE }],
  [["--profile", PROFILE], {}],
])(
  "a profile decides what the delete of a backup does, without a key as well: %j",
  async (words, env) => {
    const change = { actions: ["delete"], before: { id: "bak_1" }, after: null };
    const resource_changes = [{ address: "erphost_backup.b", type: "erphost_backup", change }];
    const readFile = () => JSON.stringify({ format_version: "1.2", resource_changes });
    const { out } = await erphost(["plan-summary", "a", ...words], { env, readFile });
    expect(out.join("\n")).toMatch(/1 to delete\.[^]*scopes: .*`backups:delete`/);
  },
);

const action = (name: string, trigger: object = { invoke_action_trigger: {} }) => ({
  address: `action.erphost_backup.${name}`,
  type: "erphost_backup",
  provider_name: "registry.terraform.io/erphost/erphost",
  config_values: { instance: "erp" },
  ...trigger,
});
const before = (triggering_resource_address: string) => ({
  lifecycle_action_trigger: { triggering_resource_address, action_trigger_event: "BeforeUpdate" },
});

test("actions are counted, shown with what invokes them, and need their scope, though nothing else changes", async () => {
  const plan = {
    format_version: "1.2",
    resource_changes: [],
    ...configured("actions", "action.erphost_backup.nightly", "erphost.b"),
    action_invocations: [action("nightly"), action("before", before("erphost_instance.`a`"))],
    deferred_changes: [{ reason: "x", resource_change: database("later", ["create"]) }],
  };
  const markdown = await summarised("markdown", plan);
  expect(markdown).toContain("\n2 actions to invoke, 1 left to a later plan.\n");
  expect(markdown).toContain(
    "- `action.erphost_backup.nightly (in erphost.b)`: invoked by itself\n",
  );
  expect(markdown).toContain(
    "- `action.erphost_backup.before`: before_update of `` erphost_instance.`a` ``\n",
  );
  expect(markdown).toContain("leaves 1 object to a later plan.");
  expect(markdown).toContain("#### Left to a later plan\n\n- `aws_db_instance.later`");
  expect(markdown).toContain("scopes: `backups:read`, `backups:write`.");
  const json = JSON.parse(await summarised("json", plan)) as { changes: boolean };
  expect(json).toMatchObject({ changes: true, calls: { writes: 2 } });
  const table = await summarised("table", plan);
  expect(table).toMatch(
    /^ {2}▸ +action\.erphost_backup\.nightly \(in erphost\.b\) +action +invoked by itself/m,
  );
});

test("drift of another provider's object is named, and does not count as erphost's", async () => {
  const tags = (before: unknown, after: unknown) => ({
    before: { id: "a", tags: before },
    after: { id: "a", tags: after },
  });
  const plan = {
    format_version: "1.2",
    resource_drift: [
      database("orders", ["delete"]),
      database("tagged", ["update"], tags({ a: "1" }, { a: "2" })),
      // An engine lists objects, too, that are as they were.
      database("same", ["update"], tags({ a: "1" }, { a: "1" })),
    ],
  };
  expect(JSON.parse(await summarised("json", plan))).toMatchObject({ drift: false });
  const markdown = await summarised("markdown", plan);
  expect(markdown).toContain("Objects of other providers, not judged here: 2 drifted.");
  expect(markdown).toContain(
    "- `aws_db_instance.orders`: is gone\n- `aws_db_instance.tagged`: drifted",
  );
  expect(markdown).not.toContain("aws_db_instance.same");
});

/** A step of Pulumi, about `type::name`. */
const step = (op: string, of: string, oldState: object | null, newState: object | null) => ({
  ...{ op, urn: `urn:pulumi:prod::shop::${of}`, oldState, newState },
});

test("of Pulumi as well, what drifted of another provider is named", async () => {
  const both = (name: string, found: string) => {
    const [had, has] = ["private", found].map((acl) => ({ id: name, outputs: { acl } }));
    const of = `aws:s3/bucket:Bucket::${name}`;
    return [step("refresh", of, had ?? null, has ?? null), step("same", of, has ?? null, null)];
  };
  const plan = { steps: [...both("logs", "public-read"), ...both("same", "private")] };
  const otherDrift = [{ address: "logs (aws:s3/bucket:Bucket)", what: "changed" }];
  expect(JSON.parse(await summarised("json", plan))).toMatchObject({ drift: false });
  expect(await planOf(plan)).toMatchObject({ otherDrift });
});

test.each([
  ["erphost:index:ApiKey::ci", "ci"],
  ["aws:s3/bucket:Bucket::ci", "ci (aws:s3/bucket:Bucket)"],
])("what an earlier replacement of %s left to be deleted is deleted", async (of, name) => {
  const [left, old] = [{ id: "key_0", delete: true }, { id: "key_1" }];
  const seen = [step("refresh", of, old, old), step("refresh", of, left, left)];
  const gone = step("delete-replaced", of, left, null);
  const deleted = { address: `${name} (left by an earlier replacement)`, action: "delete" };
  for (const steps of [
    [...seen, step("same", of, old, {})],
    // With --show-replacement-steps.
    [...seen, step("same", of, old, {}), gone],
    [step("same", of, old, {}), gone],
  ]) {
    const { objects, others, drift, otherDrift } = await planOf({ steps });
    expect([...objects, ...others]).toMatchObject([deleted]);
    expect([...drift, ...otherDrift]).toEqual([]);
  }
  // The engine marks what this very plan replaces as well.
  const replaced = { ...old, delete: true };
  const halves = ["create-replacement", "replace"].map((op) => step(op, of, replaced, {}));
  const steps = [...seen, ...halves, step("delete-replaced", of, replaced, null), gone];
  const { objects, others } = await planOf({ steps });
  expect([...objects, ...others]).toMatchObject([{ address: name, action: "replace" }, deleted]);
  const read = [step("refresh", "pulumi:pulumi:Stack::shop-prod", {}, {}), ...seen];
  expect((await planOf({ steps: read })).objects).toEqual([]);
});

test.each([
  [["replace"], null],
  [["create-replacement", "replace", "delete-replaced"], true],
  [["create-replacement", "replace"], true],
  [["import-replacement", "replace", "delete-replaced"], true],
  [["delete-replaced", "replace", "create-replacement"], false],
])("by %j of a preview its replacement is created first: %j", async (ops, createdFirst) => {
  const steps = ops.map((op) => step(op, "erphost:index:Server::web", { id: "srv_1" }, {}));
  expect((await planOf({ steps })).objects).toMatchObject([{ action: "replace", createdFirst }]);
});

test("a provider of Pulumi's that is configured otherwise is a change, and a stack is none", async () => {
  const [old = {}, next = {}] = ["a", "b"].map((at) => ({
    inputs: { baseUrl: `https://${at}.test/v1`, apiKey: `${at}-zebra` },
  }));
  const steps = ["pulumi:providers:erphost::main", "pulumi:pulumi:Stack::shop-prod"].map((of) =>
    step("update", of, old, next),
  );
  const { others } = await planOf({ steps });
  expect(others).toMatchObject([
    {
      ...{ address: "main (pulumi:providers:erphost)", action: "update" },
      changes: [{ field: "baseUrl", before: '"https://a.test/v1"', after: '"https://b.test/v1"' }],
    },
  ]);
  expect(JSON.stringify(others)).not.toContain("zebra");
  const gone = [step("delete", "pulumi:providers:erphost::main", old, null)];
  const said = "- `main (pulumi:providers:erphost)`: configuration of a provider is deleted";
  expect(await summarised("markdown", { steps: gone })).toContain(said);
});

test("a plan of Pulumi that only gives up retainOnDelete, or moves an object by an alias, says so", async () => {
  const [from, to] = ["erphost:index:Server::a", "my:Shop$erphost:index:Server::a"];
  const state = (of: string) => ({ id: "srv_1", urn: `urn:pulumi:prod::shop::${of}` });
  const steps = [step("same", to, { ...state(from), retainOnDelete: true }, state(to))];
  const moved = { moves: [{ from, to }], objects: [{ endsProtection: true }] };
  expect(await planOf({ steps })).toMatchObject(moved);
});

const terraform = (...resource_changes: object[]) => ({ format_version: "1.2", resource_changes });
type Side = object | null;
/** One change of Terraform. @param change what else is in it */
const managed = (address: string, before: Side, after: Side, change: object = {}) => {
  const actions = [before ? (after ? "update" : "delete") : "create"];
  return { address, type: address.split(".")[0], change: { actions, before, after, ...change } };
};
const ADDRESSES = Array.from({ length: 60 }, (_, index) => `203.0.113.${index + 10}/32`);
const [GONE = "", ...KEPT] = ADDRESSES;
const LONG = "word ".repeat(60);
const DEEP = { a: { b: "old" }, "a.b": "same" };

test.each([
  [
    "a long list",
    { ip_whitelist: ADDRESSES },
    { ip_whitelist: [...KEPT, "198.51.100.66/32"] },
    `\`ip_whitelist\`: added \`"198.51.100.66/32"\`; removed \`"${GONE}"\``,
  ],
  [
    "a list of which much goes",
    { permissions: ADDRESSES },
    { permissions: [GONE] },
    `removed ${KEPT.slice(0, 40)
      .map((each) => `\`"${each}"\``)
      .join(", ")}, … and 19 more`,
  ],
  [
    "a long element of a long list",
    { permissions: [...ADDRESSES, `${LONG}a`] },
    { permissions: [...ADDRESSES, `${LONG}b`] },
    'word b"`; removed `…',
  ],
  ["the order of a long list", { x: ADDRESSES }, { x: ADDRESSES.toReversed() }, '`["203.0.113.69/'],
  ["a long text", { note: `${LONG}red` }, { note: `${LONG}blue` }, 'word red"` → `…'],
  ["a text that grows", { note: LONG }, { note: `${LONG}more` }, 'word more"`'],
  [
    "a key with a dot",
    { properties: DEEP },
    { properties: { ...DEEP, a: { b: "new" } } },
    '`properties.a.b`: `"old"` → `"new"`',
  ],
])("what changes in %s is seen", async (_, before, after, says) => {
  const plan = terraform(managed("erphost_api_key.ci", before, after));
  expect(await summarised("markdown", plan)).toContain(says);
  if ("properties" in after) return;
  const texts = [before, after].flatMap(Object.values).map((value) => JSON.stringify(value));
  const [was = "", is = ""] = texts.map((text) => text.replaceAll('","', '", "'));
  expect((await planOf(plan)).objects[0]?.changes).toMatchObject([{ before: was, after: is }]);
  expect(await summarised("table", plan)).toContain(`${was} → ${is}`);
});

const server = (index: number) => ({ id: `srv_${index}`, name: `n${index}` });

test.each([900, 3_000])(
  "with %d deletions what is worse comes first, and of each section is said how much is left out",
  async (count) => {
    const deleted = Array.from({ length: count }, (_, index) =>
      managed(`erphost_server.${letters(index)}`, server(index), null),
    );
    const key = { id: "key_1", name: "ci", permissions: ["servers:read"] };
    const more = [
      managed("erphost_api_key.ci", key, { ...key, permissions: ["admin"] }),
      managed("erphost_server.web", { ...server(1), deletion_protection: true }, server(1)),
      managed("aws_vpc.all", null, { name: "all" }),
    ];
    const markdown = await summarised("markdown", terraform(...deleted, ...more));
    expect(markdown.length).toBeLessThanOrEqual(60_000);
    const [, risks = "", ...sections] = markdown.split(/^#### /m);
    expect(risks).toMatch(/^Look at.*\n\n.*ci.*admin.*\n.*web.*protection.*\n.* is deleted/);
    expect(sections.map((text) => text.split("\n")[0])).toEqual([
      ...["Deleted", "Changed", "Of other providers, not judged"],
    ]);
    expect([risks, ...sections].map(objectsIn)).toEqual([count + 2, count, 2, 1]);
  },
);

test("of changes in one line every object that is lost is named, and each new name", async () => {
  const names = Array.from({ length: 14 }, (_, index) => letters(index + 10));
  const many = (of: string, after: (index: number) => Side) =>
    names.map((key, index) => managed(`${of}["${key}"]`, server(index), after(index)));
  const changes = [
    ...["erphost_server.s", "aws_vpc.v"].flatMap((of) => many(of, () => null)),
    ...many("erphost_team.t", (index) => ({ ...server(index), name: `m${index}` })),
  ];
  const markdown = await summarised("markdown", terraform(...changes));
  const keys = names.map((key) => `\`${key}\``);
  const said = { "erphost_server.s[*]": "server", "aws_vpc.v[*]": "to delete" };
  for (const [pattern, what] of Object.entries(said)) {
    const title = `- 14 × \`${pattern}\` (${keys.slice(0, 10).join(", ")}, … 4 more)`;
    expect(markdown).toContain(`${title}: ${what}\n  - also ${keys.slice(10).join(", ")}`);
  }
  for (let index = 0; index < 14; index += 1) {
    expect(markdown).toContain(`\`name\`: \`"n${index}"\` → \`"m${index}"\``);
  }
});

const web = { id: "srv_1", name: "a" };
const renamed = (address: string) =>
  terraform(managed(address, web, { ...web, name: "b" }, { importing: { id: "name=a" } }));
const moved = (previous_address: string, change: object) =>
  terraform({ ...change, previous_address });
const FORGOTTEN = { actions: ["create", "forget"] };
const CHECK = { status: "fail", address: { to_display: "check.up" } };
const FAILED = [{ ...CHECK, instances: [{ status: "fail", problems: [{ message: "No @one" }] }] }];
const NEW = { address: "aws_vpn.new", type: "aws_vpn", change: { actions: ["create"] } };
const LATER = [{ resource_change: NEW }];

test.each<[what: string, plan: object, says: string[], code: number]>([
  [
    "an import that changes the object",
    renamed("erphost_server.web"),
    ["\n1 to change, 1 to import.\n", "`b` `srv_1`; imported first (`srv_1`)\n"],
    3,
  ],
  ["an import elsewhere", renamed("aws_vpc.v"), ["- `aws_vpc.v`: to change, imported first\n"], 3],
  [
    "a move of its own",
    moved("erphost_server.b", managed("erphost_server.a", web, web, { actions: ["no-op"] })),
    [
      "protection); 1 without a change; 1 moved in the state.",
      "- `erphost_server.b` → `erphost_server.a`",
    ],
    0,
  ],
  [
    "a move with another change",
    moved("aws_vpc.w", managed("aws_vpc.v", web, null)),
    ["; 1 moved in the state.", "#### Moved in the state\n\n- `aws_vpc.w` → `aws_vpc.v`"],
    3,
  ],
  [
    "a protected object that a replacement keeps",
    terraform(managed("erphost_server.web", { ...web, deletion_protection: true }, web, FORGOTTEN)),
    ["server is replaced: the old one is kept\n"],
    3,
  ],
  [
    "a plan with -target",
    { complete: false },
    ["**Warning:** The engine left something out, as with -target: this plan is not complete."],
    0,
  ],
  [
    "a check that fails",
    { checks: [...FAILED, { ...CHECK, status: "pass" }] },
    ["**Warning:** 1 check of the program fails.", "- `check.up`: `No @one`"],
    0,
  ],
  [
    "what is only left to a later plan",
    { complete: false, deferred_changes: LATER },
    ["\n1 left to a later plan.\n", "#### Left to a later plan\n\n- `aws_vpn.new`: to create"],
    3,
  ],
])("%s is said", async (_, plan, says, code) => {
  const text = JSON.stringify({ ...terraform(), ...plan });
  const words = ["plan-summary", "a", "--detailed-exitcode"];
  const done = await erphost(words, { readFile: () => text });
  for (const each of says) expect(done.out.join("\n")).toContain(each);
  expect(done.code).toBe(code);
});
