/** The pictures of docs/emulator.md: the page with some of everything, where a browser is cached. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../../test/support/ask";
import { startEmulator, type Emulator } from "../../emulator";
import { capital } from "../../provider/messages";
import { Browser, type Look } from "../../test/harness/browser";

const FOLDER = "docs/images/emulator";
/** A moment that never passes, so that a picture of the same page is the same. */
const NOW_MS = Date.UTC(2026, 0, 5, 9, 30);

/** The pictures: a view each, as wide and as light as its name says. */
export const pictures: readonly (readonly [view: string, look: Look])[] = [
  ["overview", { width: 1280, scheme: "light" }],
  ["overview", { width: 1280, scheme: "dark" }],
  ["overview", { width: 390, scheme: "light" }],
  ["overview", { width: 390, scheme: "dark" }],
  ["objects", { width: 1280, scheme: "dark" }],
  ["requests", { width: 1280, scheme: "light" }],
];

const ADDRESSES: Readonly<Record<string, string>> = {
  objects: "objects/instance/ins_1",
  requests: "requests/4",
};

/** Where a picture is, from the root of the checkout. */
export const pathOf = (view: string, { width, scheme }: Look): string =>
  `${FOLDER}/${view}-${width}-${scheme}.png`;

async function furnish(emulator: Emulator): Promise<void> {
  const post = (path: string, body: object, headers = {}): Promise<Response> =>
    ask(emulator, `POST ${path}`, { body, headers });
  emulator.createKey({ name: "pipeline", permissions: ["servers:*", "instances:*"] });
  await post("/servers", { name: "erp-production" });
  await post("/servers", { name: "erp-staging" });
  const production = { name: "erp", server_id: "srv_1", version: "17.0", edition: "community" };
  await post("/instances", production, { "Idempotency-Key": "9c1f-erp" });
  await post("/instances", production, { "Idempotency-Key": "9c1f-erp" });
  await post("/instances", { name: "erp-next", server_id: "srv_2", version: "18.0" });
  await post("/backups", { instance_id: "ins_1" });
  emulator.setFaults([{ match: { path: "/teams" }, times: 1, effect: "html-502" }]);
  const team = { name: "operations", members: [{ email: "ops@example.com", role: "admin" }] };
  await post("/teams", team);
  await post("/teams", team);
  await ask(emulator, "GET /instances?status=running");
  emulator.changeObject("instance", "ins_2", { status: "failed" });
}

/** Takes all pictures again. @public Loaded by name. */
export async function screenshots(root: string): Promise<void> {
  const emulator = await startEmulator({
    ...{ port: 4010, provisionMs: 0, adminKey: "erp_test_0123456789abcdef" },
    limits: [
      { requests: 25, windowMs: 60_000 },
      { requests: 1_000, windowMs: 3_600_000 },
    ],
    realTime: { wallMs: () => NOW_MS, monotonicMs: () => 0 },
  });
  const browser = await Browser.open();
  try {
    await furnish(emulator);
    mkdirSync(join(root, FOLDER), { recursive: true });
    for (const [view, look] of pictures) {
      const visit = await browser.visit(`${emulator.url}/#/${ADDRESSES[view] ?? view}`, look);
      await visit.find("Views", "navigation");
      await visit.find(capital(view), "heading");
      await visit.sees(view === "requests" ? "Answer body" : "erp");
      await visit.still();
      writeFileSync(join(root, pathOf(view, look)), await visit.picture());
      await visit.leave();
    }
  } finally {
    await browser.close();
    await emulator.close();
  }
}
