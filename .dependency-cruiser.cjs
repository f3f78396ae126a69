"use strict";

/**
 * The import table of DESIGN: data flows one way, and a room imports what its line allows and
 * nothing else. Every rule has a violating file in test/checks/import-table.test.ts.
 */

const packages = (...names) => `^node_modules/(?:@types/)?(?:${names.join("|")})(?:/|$)`;
const CORE = { dependencyTypesNot: ["core"] };
/** By what others may enter rooms of the provider. */
const entries = (...rooms) => rooms.map((room) => `^provider/${room}/index\\.ts$`);

const MESSAGES = "^provider/messages/";
/** What an entry checks before it loads anything else. */
const START = "^provider/start/";
const ENGINE = "^provider/engine/";
const EMULATOR = "^emulator/";
const PAGE = "^emulator/dashboard/";
const ZOD = packages("zod");
const PULUMI_SDK = packages("@pulumi/pulumi");
const OF_A_FACE = "A face translates: never the client, never the other face.";

/** The product: what is published. */
const PRODUCT = "^(?:provider|emulator|cli|cdktf-bindings)/";

/** A room imports itself, messages and what is listed; node's own modules unless said otherwise. */
const only = (name, room, allowed, comment, { core = true } = {}) => ({
  name,
  comment,
  from: { path: room },
  to: { pathNot: [room, ...entries("messages"), ...allowed], ...(core && CORE) },
});

/** The engine's floors, lowest first; what is at its root and not named here is the top. */
const FLOORS = [
  "(?:types|errors)\\.ts$",
  "values/",
  "plan/",
  "journal/",
  "ledger\\.ts$",
  "service/",
  "evidence/",
  "verbs/",
  "lookup/",
];

/** A file imports its own floor and those below it, types included. */
const floors = FLOORS.map((floor, index) => ({
  name: "engine-floors",
  comment: "The engine's rooms stand in a row: what is below knows nothing of what is above.",
  // A list, since the table of rooms in ARCHITECTURE.md shows the whole engine alone.
  from: { path: [`${ENGINE}${floor}`] },
  to: { path: ENGINE, pathNot: FLOORS.slice(0, index + 1).map((one) => `${ENGINE}${one}`) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    only(
      "messages-import-nothing",
      MESSAGES,
      [],
      "What is said to people is data that every room may make.",
      { core: false },
    ),
    {
      name: "start-imports-nothing",
      comment: "It runs on a Node.js that is too old for the rest.",
      from: { path: START },
      to: { pathNot: [START, "^package\\.json$"] },
    },
    only(
      "contract-imports-zod-only",
      "^provider/contract/",
      [ZOD, "^(?:node:)?crypto$"],
      "The service's word is data: zod, and the hash of a profile.",
      { core: false },
    ),
    only(
      "settings-import-contract-only",
      "^provider/settings/",
      entries("contract"),
      "What can be configured is a table that every face reads.",
      { core: false },
    ),
    only(
      "client-imports-contract-and-settings",
      "^provider/client/",
      [START, ...entries("contract", "settings"), ZOD, packages("undici")],
      "The client speaks the contract over HTTP and knows nothing of infrastructure as code.",
    ),
    only(
      "resources-import-contract-only",
      "^provider/resources/",
      [...entries("contract"), ZOD],
      "The reading of the contract is data about data, and pure functions of that.",
      { core: false },
    ),
    only(
      "engine-imports-what-it-drives",
      ENGINE,
      [...entries("contract", "settings", "resources", "client"), ZOD, packages("age-encryption")],
      "The lifecycle knows no host and no HTTP library.",
    ),
    ...floors,
    only(
      "grpc-imports-nothing",
      "^provider/grpc/",
      [],
      "A protocol knows neither the service nor a face.",
    ),
    only(
      "pulumi-imports-engine-and-host",
      "^provider/pulumi/",
      [START, ...entries("contract", "settings", "resources", "engine", "grpc"), PULUMI_SDK, ZOD],
      OF_A_FACE,
    ),
    {
      name: "plugin-imports-no-sdk",
      comment:
        "The plugin speaks Pulumi's protocol itself, so that it is small and starts quickly.",
      from: { path: "^provider/pulumi/plugin/" },
      to: { path: PULUMI_SDK },
    },
    only(
      "terraform-imports-engine-and-host",
      "^provider/terraform/",
      [...entries("contract", "settings", "resources", "engine", "grpc"), ZOD],
      OF_A_FACE,
    ),
    only(
      "plans-import-what-judges-them",
      "^provider/plans/",
      [START, ...entries("contract", "resources"), ZOD],
      "What a plan says is read from files: no call, and nothing of the machine.",
      { core: false },
    ),
    only(
      "entry-imports-client-and-contract",
      "^provider/[^/]+\\.ts$",
      [START, ...entries("contract", "client"), "^provider/client/people/"],
      "`erphost` and `erphost/webhooks` are the client and the contract for people.",
    ),
    only(
      "bindings-import-cdktf-only",
      "^cdktf-bindings/",
      [packages("cdktf", "constructs"), START, ...entries("contract", "settings", "resources")],
      "Constructs synthesise; the provider acts.",
    ),
    only(
      "page-imports-itself-only",
      PAGE,
      [packages("preact")],
      "It runs in a browser, and asks `/_emulator` for all that it knows.",
      { core: false },
    ),
    {
      ...only(
        "emulator-imports-contract-only",
        EMULATOR,
        [START, ...entries("contract"), ZOD, packages("hono", "@hono/node-server", "commander")],
        "The emulator is written against the contract, never against the client.",
      ),
      from: { path: EMULATOR, pathNot: PAGE },
    },
    only(
      "cli-imports-entry-points-only",
      "^cli/",
      [
        "^provider/index\\.ts$",
        START,
        ...entries("contract", "settings", "resources", "plans", "plans/policies"),
        // The one check of webhooks that there is.
        "^provider/client/people/webhooks\\.ts$",
        // A forge is reached as the service is.
        "^provider/client/settings/proxy\\.ts$",
        // Intents are the engine's, and nothing published shows them to programs; whether their
        // processes live is asked of this one.
        ...entries("engine"),
        "^provider/engine/journal/processes\\.ts$",
        "^package\\.json$",
        // And SQLite as both have it, without the warning of Node.js.
        "^emulator/(?:index|command|store/sqlite)\\.ts$",
        packages("commander", "yaml", "age-encryption", "undici"),
        packages("@noble/ciphers", "@noble/curves", "@noble/hashes"),
        ZOD,
      ],
      "The command line is a user of the rooms, by their entries.",
    ),
    {
      name: "examples-import-what-is-published",
      comment: "An example is what a reader copies: `erphost` and `erphost/…`, by those names.",
      from: { path: "^examples/" },
      to: {
        path: "^(?:provider|emulator|cli|cdktf-bindings|test|scripts)/",
        dependencyTypesNot: ["aliased", "aliased-tsconfig", "aliased-tsconfig-paths"],
      },
    },
    {
      name: "emulator-tests-import-no-client",
      comment:
        "A test that used the client would prove that the two agree, not that they are right.",
      from: { path: "^test/emulator/" },
      to: { path: "^provider/(?:client|engine|pulumi|terraform)/|^provider/[^/]+\\.ts$" },
    },
    {
      name: "files-enter-at-the-edge",
      comment: "Reading and starting things is for entry points, and for intents, which are files.",
      from: {
        path: "^provider/(?:client|engine)/",
        pathNot: [
          "^provider/client/settings/system\\.ts$",
          "^provider/engine/(?:journal/(?:files|plan-note|user-key|processes)|open)\\.ts$",
        ],
      },
      to: { path: "^(?:node:)?(?:fs|fs/promises|child_process|os|worker_threads)$" },
    },
    {
      name: "no-cycles",
      comment: "Two files that need each other are one, or have a third in them.",
      from: {},
      to: { circular: true },
    },
    {
      name: "commands-without-jest",
      comment: "Jest's globals throw where no test runs, and these are commands.",
      from: { path: "^(?:test/[^/]+|demo)/main\\.ts$" },
      to: { path: "node_modules/@jest/globals", reachable: true },
    },
    {
      name: "nothing-unresolved",
      comment: "An import that leads nowhere hides from every rule above.",
      // This example imports an SDK that is generated for its test.
      from: { pathNot: "^examples/pulumi-sdk/" },
      to: { couldNotResolve: true },
    },
    {
      name: "dependencies-are-declared",
      comment: "What is published imports what package.json says is installed with it.",
      // The page is bundled with what it imports.
      from: { path: PRODUCT, pathNot: PAGE },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        // An optional peer is installed here for development as well.
        dependencyTypesNot: ["npm-peer"],
      },
    },
  ].map((rule) => ({ ...rule, severity: "error" })),
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      mainFields: ["main", "types", "typings"],
    },
  },
};
