/** What a packaged provider keeps of its starter. */
import { expect, test } from "@jest/globals";
import { takeOver } from "../../provider/terraform/host/take-over";

const given = JSON.stringify({ key: "k", certificate: "c", folder: "/tmp/erphost-1" });
const read = (text: string) => (descriptor: number) => (descriptor === 7 ? text : "");

test("a process that an engine started has nothing to take over", () => {
  expect(takeOver([], read(given))).toBeUndefined();
  expect(takeOver(["--debug", "--take-over=", "--take-over=1"], read(given))).toBeUndefined();
});

test("a process takes over the starter's socket, with the certificate that the engine knows", () => {
  const taken = { socket: 5, folder: "/tmp/erphost-1", keyPem: "k", certificatePem: "c" };
  expect(takeOver(["--take-over=5,7"], read(given))).toEqual(taken);
});

test.each(["", "{", "null", '{"key":"k","certificate":1,"folder":"f"}'])(
  "a process that is passed on %j instead of a certificate does not serve",
  (text) => {
    expect(() => takeOver(["--take-over=5,7"], read(text))).toThrow();
  },
);
