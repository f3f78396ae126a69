/** The examples of `docs/reference/emulator.md`. A test runs them in their order against an emulator. */
import { fenced } from "../markdown";

const CONTROL = "http://127.0.0.1:4010/_emulator";

/** Lines for a shell; each call as one of curl. */
const calls = (
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
const body = (value: unknown): string => `-d '${JSON.stringify(value)}'`;

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

/** Headings, sentences and blocks. */
export const examples: readonly string[] = [
  "### Seed",
  "`--seed` gives a new state its objects and keys, in the order of the file; `POST /reset` goes back to it. With `--data` the state is kept between runs.",
  fenced("json", JSON.stringify(SEED, null, 2)),
  fenced("sh", "npx erphost emulator --seed seed.json --limit 100/1m --provision-ms 5s"),
  "Objects can also be created, changed and removed out of band, as somebody else would in the dashboard:",
  calls(
    ["POST", "/objects/server", body([{ name: "a" }, { name: "b" }])],
    ["PATCH", "/objects/server/srv_1", body({ status: "failed" })],
    ["GET", "/objects/server?limit=2"],
    ["DELETE", "/objects/server/srv_2"],
  ),
  "### Clock",
  "Keys expire and rotate, new objects become ready and webhooks are repeated by the emulator's clock. Rate limits are in real time.",
  calls(
    ["PUT", "/clock", body({ advance: "90d" })],
    ["PUT", "/clock", body({ rate: 60 })],
    ["GET", "/clock"],
  ),
  "### Faults",
  "A connection that breaks after the work was done, every tenth request a 503, and lists that lag two seconds:",
  calls(
    [
      "PUT",
      "/faults",
      body([
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
  calls(
    ["POST", "/keys", body({ name: "reader", permissions: ["read"], key_class: "limited" })],
    ["GET", "/limits"],
  ),
  "### Webhooks",
  "The answer holds the secret to verify notifications with; `verifyWebhook` from `erphost/webhooks` does it.",
  calls(
    ["POST", "/webhooks", body({ url: "http://127.0.0.1:3000/hook", events: ["server.created"] })],
    ["GET", "/webhooks/deliveries?limit=10"],
  ),
  "### Journal",
  "What the service was asked, without any secret: to see what a run did, and in which order.",
  calls(["GET", "/requests?limit=20"], ["DELETE", "/requests"]),
  "### Snapshots",
  "The state of one moment, to go back to before each rehearsal:",
  calls(
    ["GET", "/snapshot", "> state.json"],
    ["PUT", "/snapshot", "-d @state.json"],
    ["POST", "/reset"],
  ),
  "### In a test",
  fenced("ts", TEST),
];
