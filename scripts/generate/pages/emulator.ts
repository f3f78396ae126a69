/** `docs/reference/emulator.md`: how to start the emulator, and everything that `/_emulator` takes. */
import * as z from "zod";
import { emulatorCommand } from "../../../emulator/command";
import { controlCalls } from "../../../emulator/control/schema";
import { faultsSchema } from "../../../emulator/faults/effects";
import { bullets, code, fenced, header, page, table } from "../markdown";
import { jsonText, type JsonSchema } from "../types";
import type { Generated } from "../files";

const shell = (text: string): string => fenced("sh", text);

/** Made from the command, the control's schemas and the faults', so that none is missing. */
export const emulatorDocs = (): Generated => ({
  "docs/reference/emulator.md": page(
    header("emulator/"),
    "# The emulator",
    "`erphost emulator` is the whole service on your machine, made from the same [contract](contract.md) as everything else: use it to try erphost without an account, to rehearse a change, and to see what your programs do when the service fails. Tests start it in their own process with `startEmulator` from `erphost/emulator`, whose methods are the calls below.",
    shell("npx erphost emulator"),
    "It prints the address of the service, the value of an admin key, and a line to `export` both as `ERPHOST_BASE_URL` and `ERPHOST_API_KEY`. Then each request is a line. The last 1,000 are kept, with 16 KiB of each body, and what looks like a secret is hidden before. At the root of that address is [a page](../emulator.md) for people; `/openapi.json` describes the service, with its profile applied.",
    "## Options",
    table(["Option", "Meaning", "Default"], optionRows()),
    "The file of `--data` holds the admin key as well: one emulator at a time can have it open, and only its owner can read it.",
    "## Environment variables",
    table(
      ["Variable", "Meaning"],
      [
        [
          code("ERPHOST_EMULATOR_KEY"),
          "Value of the first admin key, in place of a random one, so that every start has the same. Keys that it creates are live or test as it is.",
        ],
        [
          code("ERPHOST_FROM_API_KEY"),
          "The key that `--from` reads with; one that may only read will do. It is sent nowhere else.",
        ],
      ],
    ),
    "## A twin of an account",
    "`--from` reads every list of an account with `GET` alone, paced by its quota, and serves the same objects: ids, times, states, free fields, and the limits of the key that it was read with. What was in its first state, or in one that the contract does not know and that ends in `-ing`, becomes ready as late as a new object. Keys get values of their own, which are printed once. Every answer says whose twin it is (`X-Erphost-Twin-Of`), and `GET /_emulator/health` as well. [The guide](../guides/rehearse.md) shows how to plan and apply on it.",
    shell(
      "export ERPHOST_FROM_API_KEY=acme_live_4f9c2b7d\nnpx erphost emulator --from https://erp.example.com/v1 --save twin.json\nnpx erphost emulator --snapshot twin.json",
    ),
    bullets([
      "The file of `--save` has no key of the account, and no free field that holds what [looks like a secret](../guides/import.md#what-looks-like-a-secret): those are named when it is loaded. Only its owner can read it.",
      "New objects have ids that the account would not give, such as `srv_twin_1`.",
      "`POST /_emulator/reset` goes back to the copy, and keys keep their values. With `--data` a twin continues where it was; without the copy, a reset leaves a plain emulator.",
    ]),
    "## Control",
    "`/_emulator` changes what the service itself never would: time, failures, and what happened before. It takes and answers JSON.",
    bullets([
      "On a loopback address, which is the default, it answers anybody on this machine, but no page of another site. On any other `--host`, and of a twin, every call requires an admin key, sent as to the service; a page signs in with `POST /_emulator/session` and is remembered by a cookie that no script reads.",
      "`GET /_emulator/events` tells a page what has changed, as server-sent events: names of tables, `requests` and `faults`, never a value. At most 50 pages hear it, and one that leaves events unread is dropped.",
      'An error has the form `{ "error": { "code", "message" } }`; 422 says which member is wrong.',
      "`GET /_emulator` lists the calls with the JSON Schemas of their bodies.",
    ]),
    table(
      ["Call", "What it does"],
      calls().map(([call, { doc }]) => [code(callText(call)), doc]),
    ),
    ...bodySections(),
    ...faultSections(),
    "## Examples",
    ...examples,
  ),
});

/** Each call, with the schema of its body where it takes one. */
const calls = () => Object.entries<{ doc: string; body?: z.ZodType }>(controlCalls);

const callText = (call: string): string => call.replace(" ", " /_emulator");

function optionRows(): string[][] {
  return emulatorCommand({
    environment: {},
    print: () => undefined,
    report: () => undefined,
    stopped: AbortSignal.abort(),
  }).options.map((option) => {
    // Commander knows any value; those of this command are texts and numbers.
    const preset = option.defaultValue as string | number | undefined;
    return [
      code(option.flags),
      [option.description, ...(option.argChoices ? [option.argChoices.join(", ")] : [])].join(": "),
      preset === undefined ? "" : code(String(preset)),
    ];
  });
}

const inputOf = (schema: z.ZodType): JsonSchema =>
  // zod gives any JSON Schema; these schemas use the members that are typed.
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;

/** The members of each body; those of faults have a section of their own. */
function bodySections(): string[] {
  return calls().flatMap(([call, { body }]) => {
    if (!body || call === FAULTS) return [];
    const { properties } = inputOf(body);
    return properties ? [`### ${callText(call)}`, memberTable(inputOf(body))] : [];
  });
}

const memberTable = ({ properties = {}, required = [] }: JsonSchema): string =>
  table(
    ["Member", "Type", "Required", "Meaning"],
    Object.entries(properties).map(([name, json]) => [
      code(name),
      typeOf(json),
      required.includes(name) ? "yes" : "",
      json.description ?? "",
    ]),
  );

/** A preset is said with the type. */
const typeOf = (json: JsonSchema & { readonly default?: unknown }): string =>
  json.default === undefined
    ? jsonText(json)
    : `${jsonText(json)}; default ${code(JSON.stringify(json.default))}`;

const FAULTS = "PUT /faults";

function faultSections(): string[] {
  // As it is after reading, where an effect is an object: its name alone stands for its presets.
  const fault = z.toJSONSchema(faultsSchema, {
    io: "output",
    unrepresentable: "any",
  }) as JsonSchema;
  const { effect, ...members } = fault.items?.properties ?? {};
  return [
    `### ${callText(FAULTS)}`,
    "A list of at most 100 faults. Each strikes the requests that it matches:",
    memberTable({
      properties: { ...members, effect: { description: "What happens, from the table below." } },
      required: ["effect"],
    }),
    "An effect is its name, or an object with `type` and its options:",
    table(
      ["Effect", "What it does", "Options"],
      (effect?.oneOf ?? []).map(({ properties: { type, ...options } = {} }) => [
        code(String(type?.const)),
        type?.description ?? "",
        Object.entries(options).map(optionText).join(" "),
      ]),
    ),
  ];
}

const optionText = ([name, json]: readonly [string, JsonSchema]): string =>
  `${code(name)} (${typeOf(json)}): ${json.description}`;

const CONTROL = "http://127.0.0.1:4010/_emulator";

/** Lines for a shell; each call as one of curl. */
const curls = (
  ...lines: readonly (readonly [method: string, path: string, more?: string])[]
): string =>
  fenced(
    "sh",
    lines
      .map(([method, path, more = ""]) =>
        `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(CONTROL + path)} ${more}`.trimEnd(),
      )
      .join("\n"),
  );
/** Shells read a question mark as a pattern. */
const quoted = (url: string): string => (url.includes("?") ? `'${url}'` : url);
const sent = (value: unknown): string => `-d '${JSON.stringify(value)}'`;

const SEED = {
  objects: {
    server: [{ id: "srv_1", name: "erp-production" }],
    instance: [{ id: "ins_1", name: "erp", server_id: "srv_1", version: "17.0" }],
  },
  keys: [{ name: "pipeline", permissions: ["servers:read", "instances:*"] }],
};

const TEST = `import { startEmulator } from "erphost/emulator";
import { ErpHost } from "erphost";

const emulator = await startEmulator({ limits: [{ requests: 100, windowMs: 60_000 }] });
const erphost = new ErpHost({ apiKey: emulator.adminKey, baseUrl: emulator.baseUrl });
emulator.setFaults([{ match: { method: "POST" }, effect: "reset-after", times: 1 }]);
const server = await erphost.servers.create({ name: "a" });
emulator.advance("90d");
console.log(server.id, emulator.journal().map(({ method, status }) => \`\${method} \${status}\`));
await erphost.close();
await emulator.close();`;

/** Headings, sentences and blocks; a test runs them in their order against an emulator. */
const examples: readonly string[] = [
  "### Seed",
  "`--seed` gives a new state its objects and keys, in the order of the file; `POST /reset` goes back to it. With `--data` the state is kept between runs.",
  fenced("json", JSON.stringify(SEED, null, 2)),
  shell("npx erphost emulator --seed seed.json --limit 100/1m --provision-ms 5s"),
  "Objects can also be created, changed and removed out of band, as somebody else would in the dashboard:",
  curls(
    ["POST", "/objects/server", sent([{ name: "a" }, { name: "b" }])],
    ["PATCH", "/objects/server/srv_1", sent({ status: "failed" })],
    ["GET", "/objects/server?limit=2"],
    ["DELETE", "/objects/server/srv_2"],
  ),
  "### Clock",
  "Keys expire and rotate, new objects become ready and webhooks are repeated by the emulator's clock. Rate limits are in real time.",
  curls(
    ["PUT", "/clock", sent({ advance: "90d" })],
    ["PUT", "/clock", sent({ rate: 60 })],
    ["GET", "/clock"],
  ),
  "### Faults",
  "A connection that breaks after the work was done, every tenth request a 503, and lists that lag two seconds:",
  curls(
    [
      "PUT",
      "/faults",
      sent([
        { match: { method: "POST", path: "/servers" }, times: 1, effect: "reset-after" },
        { every: 10, effect: { type: "status", status: 503, retry_after: 1 } },
        { match: { method: "GET" }, effect: "list-lag" },
      ]),
    ],
    ["GET", "/faults"],
    ["DELETE", "/faults"],
  ),
  "### Keys",
  "A key that may do little, and where keys stand in their limits:",
  curls(
    ["POST", "/keys", sent({ name: "reader", permissions: ["read"], key_class: "limited" })],
    ["GET", "/limits"],
  ),
  "### Webhooks",
  "The answer holds the secret to verify notifications with; `verifyWebhook` from `erphost/webhooks` does it.",
  curls(
    ["POST", "/webhooks", sent({ url: "http://127.0.0.1:3000/hook", events: ["server.created"] })],
    ["GET", "/webhooks/deliveries?limit=10"],
  ),
  "### Journal",
  "What the service was asked, without any secret: to see what a run did, and in which order.",
  curls(["GET", "/requests?limit=20"], ["DELETE", "/requests"]),
  "### Snapshots",
  "The state of one moment, to go back to before each rehearsal:",
  curls(
    ["GET", "/snapshot", "> state.json"],
    ["PUT", "/snapshot", "-d @state.json"],
    ["POST", "/reset"],
  ),
  "### In a test",
  fenced("ts", TEST),
];
