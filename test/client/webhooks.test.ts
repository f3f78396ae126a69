import { createHmac } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { InvalidInput, verifyWebhook } from "../../provider/client/people/webhooks";
import type { WebhookError } from "../../provider/client/people/webhooks";

const failureOf = (run: () => unknown): Error => {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it was accepted");
};

const codeOf = (of: Parameters<typeof verifyWebhook>[0]) =>
  (failureOf(() => verifyWebhook(of)) as WebhookError).code;

const NOW_MS = Date.parse("2026-01-01T00:00:00.000Z");
const genuine = Buffer.alloc(32, 7).toString("base64");

const headersOf = (timestampS: number, signature: string) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(timestampS),
  "webhook-signature": signature,
});

/** A notification that the library of Standard Webhooks signed, as a service would send it. */
function genuineMessage(payload: unknown, secrets = `whsec_${genuine}`, nowMs = NOW_MS) {
  const body = JSON.stringify(payload);
  const signature = new Webhook(secrets).sign("msg_1", new Date(nowMs), body);
  return { body, headers: headersOf(Math.floor(nowMs / 1000), signature), secrets, nowMs };
}

const timestamp = "2026-01-01T00:00:00.000Z";
const deployed = {
  event: "instance.deployed",
  timestamp,
  data: { instance_id: "ins_1", server_id: "srv_1", status: "running" },
};

describe("a message that the library of Standard Webhooks signed", () => {
  test("a webhook that another library signed is read", () => {
    const { id, event } = verifyWebhook(genuineMessage(deployed));
    expect(id).toBe("msg_1");
    expect(event).toEqual(deployed);
    // By the clock of the machine, unless another time is given.
    const { nowMs: _, ...present } = genuineMessage(deployed, undefined, Date.now());
    expect(verifyWebhook(present).id).toBe("msg_1");
    const forged = genuineMessage(deployed, Buffer.alloc(32, 8).toString("base64"));
    expect(codeOf({ ...forged, secrets: `whsec_${genuine}` })).toBe("bad_signature");
    // A scheme that is not known here.
    const { headers, ...rest } = genuineMessage(deployed);
    const signature = headers["webhook-signature"].replace("v1,", "v2,");
    const newer = { ...headers, "webhook-signature": signature };
    expect(codeOf({ ...rest, headers: newer })).toBe("bad_signature");
  });

  test("an event that this release does not know is read as unknown, with its name and its data", () => {
    const data = { server_id: 7, load: 0.5 };
    const { event } = verifyWebhook(genuineMessage({ event: "server.resized", timestamp, data }));
    expect(event).toEqual({ event: "unknown", name: "server.resized", timestamp, data });
    // The compiler tells the two apart.
    const server = event.event === "unknown" ? event.name : event.data.server_id;
    expect(server).toBe("server.resized");
  });

  const INHERITED = ["unknown", "constructor", "__proto__"];
  test.each(INHERITED)("an event named %s is unknown, whatever a table inherits", (name) => {
    const { event } = verifyWebhook(genuineMessage({ event: name, timestamp, data: {} }));
    expect(event).toMatchObject({ event: "unknown", name });
  });

  test("a null in a webhook reads as absent", () => {
    const data = { server_id: "srv_1", instance_id: null, status: null };
    const { event } = verifyWebhook(genuineMessage({ event: "server.created", timestamp, data }));
    expect(event.data).toEqual({ server_id: "srv_1" });
  });

  test.each([
    ["a list", []],
    ["an event without a name", { event: "", timestamp, data: {} }],
    ["an event without data", { event: "server.resized", timestamp }],
    ["an event without a time", { event: "server.created", data: {} }],
    ["a known event whose id is a number", { ...deployed, data: { instance_id: 7 } }],
  ])("a genuine webhook with %s is refused", (_, payload) => {
    expect(codeOf(genuineMessage(payload))).toBe("bad_payload");
  });

  test("a webhook is read from the Headers and the bytes of a Fetch request", async () => {
    const data = { instance_id: "ins_1", name: "Zürich" };
    const { body, headers, ...rest } = genuineMessage({ ...deployed, data });
    const request = new Request("http://127.0.0.1/", { method: "POST", body, headers });
    const bytes = new Uint8Array(await request.arrayBuffer());
    const { event } = verifyWebhook({ ...rest, body: bytes, headers: request.headers });
    expect(event.data["name"]).toBe("Zürich");
    expect(codeOf({ ...rest, body: bytes, headers: new Headers() })).toBe("missing_header");
    const cut = { ...rest, body: bytes.slice(0, -1), headers: request.headers };
    expect(codeOf(cut)).toBe("bad_signature");
  });

  test("a plain record of headers may hold one that is named get", () => {
    const message = genuineMessage(deployed);
    const headers = { ...message.headers, get: "a" };
    expect(verifyWebhook({ ...message, headers }).id).toBe("msg_1");
  });
});

/** Bytes that a careless decoder makes of a secret: what an attacker who guesses it signs with. */
const decoded = (text: string): Buffer => Buffer.from(text.replace(/^whsec_/, ""), "base64");

/** A message that whoever knows the key could send. */
function signedWith(key: Buffer, timestampS = NOW_MS / 1000) {
  const body = JSON.stringify(deployed);
  const mac = createHmac("sha256", key).update(`msg_1.${timestampS}.${body}`).digest("base64");
  return { body, headers: headersOf(timestampS, `v1,${mac}`), nowMs: NOW_MS };
}

const bytes = (count: number): string => Buffer.alloc(count, 5).toString("base64");

describe("a secret that would let anybody's webhook pass", () => {
  test.each([
    ["an empty one", "", "is missing or empty"],
    ["a prefix without a secret", "whsec_", "is missing or empty"],
    ["a variable that was not set, as text", "undefined", "is not valid base64"],
    ["a null, as text", "null", "has 3 bytes; the minimum is 16"],
    ["characters that are not base64", "!!!", "is not valid base64"],
    ["a blank among the characters", `${bytes(12)} ${bytes(12)}`, "is not valid base64"],
    ["base64 for URLs", `whsec_${"-_".repeat(16)}`, "is not valid base64"],
    ["one character too many", `whsec_${bytes(24)}A`, "is not valid base64"],
    ["padding that is too long", `whsec_${bytes(24)}==`, "is not valid base64"],
    ["15 bytes", `whsec_${bytes(15)}`, "has 15 bytes; the minimum is 16"],
  ])("a webhook secret is refused: %s", (_, secret, why) => {
    const forged = signedWith(decoded(secret));
    for (const [secrets, path] of [
      [secret, "secrets"],
      [[secret], "secrets[0]"],
      [[`whsec_${genuine}`, secret], "secrets[1]"],
    ] as const) {
      const error = failureOf(() => verifyWebhook({ ...forged, secrets }));
      expect(error).toBeInstanceOf(InvalidInput);
      expect(error.message).toBe(
        `webhook configuration: ${path} ${why}. A secret is whsec_ followed by base64, as the service shows it. Check the configuration.`,
      );
    }
  });

  test("an empty list of secrets and a variable that is not set are configuration errors", () => {
    const forged = signedWith(Buffer.alloc(0));
    const unset = [undefined] as unknown as string[]; // What process.env gives where types are off.
    for (const secrets of [[], unset, unset[0] as unknown as string]) {
      expect(failureOf(() => verifyWebhook({ ...forged, secrets })).message).toMatch(
        /^webhook configuration: secrets(\[0\])? is missing or empty\. /,
      );
    }
  });
});

test.each([
  ["16 bytes", `whsec_${bytes(16)}`],
  ["24 bytes", `whsec_${bytes(24)}`],
  ["64 bytes", `whsec_${bytes(64)}`],
  ["without padding", `whsec_${bytes(32).replace(/=+$/, "")}`],
  ["without the prefix", bytes(32)],
])("a webhook secret is accepted: %s", (_, secret) => {
  const message = signedWith(decoded(secret));
  for (const secrets of [secret, [secret], [`whsec_${genuine}`, secret]]) {
    expect(verifyWebhook({ ...message, secrets }).id).toBe("msg_1");
  }
});

describe("the tolerance of a webhook's timestamp", () => {
  const secrets = `whsec_${genuine}`;
  const key = decoded(secrets);

  const odd = [Number.NaN, Number.POSITIVE_INFINITY, 0, -300];
  test.each(odd)("of %d, which would take a message of 1970 or none, is refused", (toleranceS) => {
    const error = failureOf(() => verifyWebhook({ ...signedWith(key, 0), secrets, toleranceS }));
    expect(error).toBeInstanceOf(InvalidInput);
    expect(error.message).toMatch(/toleranceS must be a positive, finite number of seconds/);
  });

  test("the tolerance includes its last second on both sides, and no more", () => {
    const at = (offsetS: number) => signedWith(key, NOW_MS / 1000 + offsetS);
    for (const offsetS of [-10, 10]) {
      expect(verifyWebhook({ ...at(offsetS), secrets, toleranceS: 10 }).id).toBe("msg_1");
    }
    for (const offsetS of [-11, 11]) {
      expect(codeOf({ ...at(offsetS), secrets, toleranceS: 10 })).toBe("bad_timestamp");
    }
  });

  test("every webhook is refused when the given clock returns NaN", () => {
    expect(codeOf({ ...signedWith(key), secrets, nowMs: Number.NaN })).toBe("bad_timestamp");
  });
});
