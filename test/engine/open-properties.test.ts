/** Which free fields are taken for secrets where no program says so. */
import { expect, test } from "@jest/globals";
import { secretNames } from "../../provider/engine";

test.each([
  ["smtp_password", "x"],
  ["api_key", "x"],
  ["auth_header", "x"],
  ["pin", "1234"],
  ["settings", { db: { password: "x" } }],
  ["url", "postgres://user:hunter2@db/erp"],
  ["note", "use erp_live_0123456789abcdef"],
  ["header", "Bearer abcdef123456"],
  ["pem", "-----BEGIN RSA PRIVATE KEY-----\nMII"],
  ["list", ["plain", { text: "https://me:secret@example.com/" }]],
])("%s = %j is taken for a secret", (name, value) => {
  expect(secretNames({ [name]: value, open: "open" })).toEqual([name]);
});

test.each([
  ["url", "https://example.com/a@b"],
  ["mail", "me@example.com"],
  ["note", "the bearer of news"],
  ["author", "someone"],
  ["spinning", true],
  ["port", 5432],
  ["nothing", null],
])("%s = %j is open", (name, value) => {
  expect(secretNames({ [name]: value })).toEqual([]);
});
