import { describe, expect, test } from "@jest/globals";
import { redact } from "../../provider/client/redact";
import { SECRET_TEXTS } from "../support/secrets";
import { CANARY, clientOn, failure } from "./support/core";

/** A time that grows with the square of its length is twenty seconds, one that does not a moment. */
const LONG = "0123456789abcdef".repeat(4_000);
const FAR_TOO_LONG_MS = 5_000;

describe("text that is made fit to be shown", () => {
  test("a text of any length is made safe in a time that grows with its length", () => {
    const begun = performance.now();
    expect(redact(LONG, [CANARY])).toHaveLength(401);
    expect(performance.now() - begun).toBeLessThan(FAR_TOO_LONG_MS);
  });

  test("a secret that is cut in half at the end of what is read is not shown", () => {
    // Secrets before it leave room for the end of what is read among what is shown.
    const secret = "s3cr3t-".repeat(60);
    const text = secret.repeat(12);
    expect(text.length).toBeGreaterThan(4_096);
    expect(redact(text, [secret])).toMatch(/^(\[redacted\])*…$/);
  });

  test("a secret that holds another is hidden as a whole", () => {
    const shown = redact("it was hunter22-winter", ["hunter22", "hunter22-winter"]);
    expect(shown).toBe("it was [redacted]");
  });

  test.each(["acme_live_a.b+c=d~e/f", "acme_test_%&!abc", "a-b_live_abcd", "my_acme_live_0123"])(
    "the unknown key %s is hidden wherever it is in a text",
    (key) => {
      for (const text of [key, `key "${key}" (old)`, `{"key":"${key}"}`, `a\n${key}\nb`]) {
        const shown = redact(text, []);
        expect(shown).not.toContain(key.slice(key.indexOf("e_") + 2));
        expect(shown).toContain("[redacted]");
      }
    },
  );

  test.each(SECRET_TEXTS)("%s is not shown of what a service says", (_, text, secret) => {
    expect(redact(text, [])).not.toContain(secret);
  });

  test("what only resembles a key, and the text around a key in quotes, stays readable", () => {
    const text = "srv_live, test_server and latest_test_1 are in use";
    expect(redact(text, [])).toBe(text);
    const around = redact('the key "acme_live_abcdef" has no scope', []);
    expect(around).toBe('the key "[redacted]" has no scope');
  });
});

describe("an answer of the service that is huge", () => {
  test("an error that repeats megabytes is a short message", async () => {
    const answer = failure(409, "conflict", { message: LONG });
    const headers = { ...answer.headers, "x-request-id": LONG };
    const { core, failed } = clientOn(() => ({ ...answer, headers }));
    expect(String(await failed(core.authTest())).length).toBeLessThan(1_000);
  });

  test("a message lists ten of many addresses and says that there are more", async () => {
    const allowed_ips = Array.from({ length: 100_000 }, (_, index) => `ip${index}`);
    const { core, failed } = clientOn(() => failure(403, "ip_not_allowed", { allowed_ips }));
    const error = await failed(core.authTest());
    expect(String(error)).toContain(
      "allows only ip0, ip1, ip2, ip3, ip4, ip5, ip6, ip7, ip8, ip9 and more.",
    );
    expect(error.allowedIps).toHaveLength(100);
  });
});
