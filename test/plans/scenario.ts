/** What the recorded plans plan: an account, edits of its program, and what others did meanwhile. */
import type { Emulator } from "../../emulator";
import type { Declared, Program } from "./declared";

/** No summary may hold them, and no recorded file: the recorder puts CANARY in their place. */
export const SECRETS = {
  adminPassword: "S3cr3t-adm1n-pa55word",
  databasePassword: "S3cr3t-database-pa55word",
  description: "S3cr3t-descr1ption",
} as const;
export const CANARY = "canary-c4n4ry";

type Inputs = Declared["inputs"];
const declared = (kind: string, name: string, inputs: Inputs): Declared => ({ kind, name, inputs });

const server = (name: string, more: Inputs = {}): Declared =>
  declared("server", name, { name, ...more });

const key = (name: string, more: Inputs = {}): Declared => {
  const given = { permissions: ["servers:read"], grace_period: "7d", triggers: { epoch: "1" } };
  return declared("api_key", name, { name, ...given, ...more });
};

const instance = (name: string, on: string, more: Inputs = {}): Declared => {
  const given = { name, server_id: { ref: `server.${on}` }, version: "17.0" };
  return declared("instance", name, { ...given, backup_before_upgrade: true, ...more });
};

const backup = (name: string, more: Inputs = {}): Declared =>
  declared("backup", name, { instance_id: { ref: "instance.erp" }, ...more });

const ops = (more: Inputs): Declared => declared("team", "ops", { name: "ops", ...more });

const rotation = (key_id: string, epoch: string): Declared =>
  declared("api_key_rotation", "console", { key_id, triggers: { epoch } });

/** Names somebody chose to be read as something else. */
export const HOSTILE = "<img src=x> @everyone `x` | #1 **b**";

const before = (rotated: string): Declared[] => [
  server("web", { deletion_protection: true }),
  server("kept"),
  server("lost"),
  server("old"),
  instance("erp", "web", {
    properties: { region: "eu", database_password: SECRETS.databasePassword },
    secret_properties: { admin_password: SECRETS.adminPassword },
  }),
  instance("moved", "web"),
  backup("weekly", { triggers: { week: "1" } }),
  backup("first"),
  ops({ properties: { note: SECRETS.description } }),
  key("ci"),
  key("still"),
  rotation(rotated, "1"),
];

/** Everything that a plan may do, once. */
export const everything = {
  secrets: ["team.ops.properties"],
  before: (rotated: string): Program => ({
    objects: before(rotated),
    strangers: [{ name: "note", text: "one" }],
    secrets: everything.secrets,
  }),
  after: (rotated: string): Program => ({
    objects: [
      server("web", { name: "web-2" }),
      server("kept"),
      server("lost"),
      server("fresh", { name: HOSTILE }),
      instance("erp", "web", {
        version: "18.0",
        properties: { region: "us", database_password: `${SECRETS.databasePassword}-2` },
        secret_properties: { admin_password: `${SECRETS.adminPassword}-2` },
      }),
      instance("moved", "kept"),
      backup("weekly", { triggers: { week: "2" } }),
      ops({ properties: { note: `${SECRETS.description}-2` } }),
      key("ci", { triggers: { epoch: "2" } }),
      key("still"),
      rotation(rotated, "2"),
    ],
    strangers: [
      { name: "note", text: "two" },
      { name: "more", text: "one" },
    ],
    secrets: everything.secrets,
  }),
  /** What others do between the apply and the plan. */
  meanwhile: (emulator: Emulator): void => {
    const idOf = (name: string): string =>
      String(emulator.objects("server").find((record) => record["name"] === name)?.["id"]);
    emulator.changeObject("server", idOf("kept"), { name: "renamed by hand" });
    emulator.removeObject("server", idOf("lost"));
  },
} as const;

/** An account in which every rule of the policies is kept, except by what `edits` changes. */
export const policyBase: Program = {
  objects: [server("web", { deletion_protection: true }), instance("erp", "web"), key("ci")],
};

/** What a comment is about: the program before, the one that is planned, and who plans it. */
export interface CommentCase {
  readonly planner: string;
  readonly before?: Program;
  readonly after: Program;
  readonly isRefused?: boolean;
}

const numbered = (region: string): Declared =>
  declared("server", "s", { count: 3, name: "s-${count.index}", properties: { region } });
const guarded = (on: string): Declared =>
  instance("erp", on, { deletion_protection: true, version: "17.0" });
const shop = (last: Declared): readonly Declared[] => [server("web"), server("next"), last];

/** The six of docs/guides/comments.md. */
export const commentCases: Readonly<Record<string, CommentCase>> = {
  creates: {
    planner: "terraform",
    after: {
      objects: [
        server("web", { deletion_protection: true }),
        instance("erp", "web", {
          edition: "community",
          properties: { region: "eu", database_password: SECRETS.databasePassword },
          secret_properties: { admin_password: SECRETS.adminPassword },
        }),
        backup("first"),
        key("ci", { ip_whitelist: ["203.0.113.0/24"], rotate_after: "30d" }),
        ops({ members: [{ email: "ada@example.com", role: "admin" }] }),
      ],
    },
  },
  key: {
    planner: "pulumi-plugin",
    before: { objects: [server("web")] },
    after: { objects: [server("web"), key("pipeline", { permissions: ["admin"] })] },
  },
  alike: {
    planner: "tofu",
    before: { objects: [numbered("eu")] },
    after: { objects: [numbered("us")] },
  },
  protected: {
    planner: "terraform",
    before: { objects: shop(guarded("web")) },
    after: { objects: shop(guarded("next")), allowDelete: ["ins_1"] },
  },
  failed: {
    planner: "tofu",
    before: { objects: shop(guarded("web")) },
    after: { objects: shop(guarded("next")) },
    isRefused: true,
  },
  others: {
    planner: "terraform",
    before: {
      objects: [server("web")],
      strangers: [
        { name: "database", text: "db.internal" },
        { name: "old", text: "one" },
      ],
    },
    after: {
      objects: [server("web")],
      strangers: [
        { name: "database", text: `postgres://app:${SECRETS.databasePassword}@db.internal/erp` },
        { name: "new", text: "one" },
      ],
    },
  },
};

const ROTATED = { triggers: { epoch: "2" } };

/** The same account, in which every rule is kept where its key is rotated, with these instead. */
const edited = (erp: Declared = instance("erp", "web"), ...keys: readonly Declared[]): Program => ({
  objects: [
    server("web", { deletion_protection: true }),
    erp,
    ...(keys.length === 0 ? [key("ci", ROTATED)] : keys),
  ],
});
const withPermissions = (name: string, ...permissions: readonly string[]): Declared =>
  key(name, { ...(name === "ci" && ROTATED), permissions });
const withBoss = (permission: string): Program =>
  edited(undefined, key("ci", ROTATED), withPermissions("boss", permission));

/** Programs of which each breaks one rule, and the same mended. */
export const policyCases: Readonly<
  Record<string, { readonly broken: Program; readonly mended: Program }>
> = {
  "protected-destroyed": {
    broken: {
      objects: [server("other"), instance("erp", "other"), key("ci", ROTATED)],
      allowDelete: ["srv_1"],
    },
    mended: edited(),
  },
  "backup-before-upgrade": {
    broken: edited(instance("erp", "web", { version: "18.0", backup_before_upgrade: false })),
    mended: edited(instance("erp", "web", { version: "18.0" })),
  },
  "old-key": { broken: policyBase, mended: edited() },
  "admin-key": { broken: withBoss("admin"), mended: withBoss("servers:read") },
  "wildcard-scope": {
    broken: edited(undefined, withPermissions("ci", "servers:*")),
    mended: edited(undefined, withPermissions("ci", "servers:read", "servers:write")),
  },
};
