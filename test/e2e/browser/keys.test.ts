import { describe, expect, test } from "@jest/globals";
import type { Visit } from "../../harness/browser";
import type { Emulator } from "../../../emulator";
import { ask } from "../../support/ask";
import { opened, ways } from "./support";

const statusOf = async (emulator: Emulator, key: string) =>
  (await ask(emulator, "GET /servers", { key })).status;

describe.each(ways)("keys, at %j", (look) => {
  test("a key that a person creates is one that a program can use", async () => {
    const { emulator, visit } = await opened("overview", {}, look);
    await visit.click("Keys", "link");
    await visit.find("Keys", "heading");
    await visit.click("Create key");
    const fields = { Name: "pipeline", Permissions: "servers:read", "Expires at": "2099-01-01" };
    await visit.submit(fields, "Create");
    const secret = await visit.value("Secret");
    expect(await statusOf(emulator, secret)).toBe(200);
    const body = { name: "a" };
    expect((await ask(emulator, "POST /servers", { key: secret, body })).status).toBe(403);
    expect(emulator.keys().at(-1)).toMatchObject({ expires_at: "2099-01-01T00:00:00Z" });
    await visit.clickUntil("Copy", "Copied");
    await visit.clickUntil("Close", "pipeline");
    expect(await visit.focused()).toBe("Keys");
    expect(await visit.evaluate("document.documentElement.outerHTML")).not.toContain(secret);
  });

  test("scopes are chosen from the contract's, and a refusal says what is wrong", async () => {
    const { emulator, visit } = await opened("keys", {}, look);
    await visit.click("Create key");
    await visit.fill("Name", "x");
    await visit.click("Choose from a list", "DisclosureTriangle");
    await visit.click("admin", "checkbox");
    await visit.click("instances:*", "checkbox");
    await visit.choose("Environment", "live");
    await visit.submit({ "Expires at": "soon" }, "Create", "expires_at");
    expect(emulator.keys()).toHaveLength(1);
    await visit.submit({ "Expires at": "2099-01-01" }, "Create");
    expect(await visit.value("Secret")).toMatch(/^erp_live_/);
    expect(emulator.keys().at(-1)).toMatchObject({ permissions: ["instances:*"] });
  });

  test("a key is rotated, revoked and seen to expire", async () => {
    const { emulator, visit } = await opened("keys", {}, look);
    emulator.createKey({ name: "ci", permissions: ["read"], expires_at: "2099-01-01T00:00:00Z" });
    await visit.sees("ci");
    await visit.click("Rotate");
    const secret = await visit.value("Secret");
    expect(await statusOf(emulator, secret)).toBe(200);
    await visit.click("Close");
    await visit.shows("td [href$=key_3]");
    await visit.clickUntil("Revoke", "Programs that use key_3 are refused");
    await visit.click("Revoke");
    await visit.misses("are refused from now on");
    await visit.shows("body:not(:has([href$=key_3]))");
    expect(await visit.focused()).toBe("Keys");
    expect(await statusOf(emulator, secret)).toBe(401);
    emulator.createKey({ name: "late", expires_at: "2099-01-01T00:00:00Z" });
    emulator.advance("27000d");
    await visit.sees("expired");
  });
});

describe("a new key", () => {
  test("next to a live admin key the page makes live keys", async () => {
    const { emulator, visit } = await opened("keys", { adminKey: "acme_live_0123456789abcdef" });
    await visit.click("Create key");
    await visit.fill("Name", "x");
    expect(await visit.value("Environment")).toBe("live");
    await visit.click("Create");
    const secret = await visit.value("Secret");
    expect(secret).toMatch(/^acme_live_/);
    expect(await statusOf(emulator, secret)).toBe(200);
  });

  test("a button that is pressed twice makes one", async () => {
    const { emulator, visit } = await opened("keys");
    await visit.click("Create key");
    await visit.fill("Name", "once");
    const press = 'document.querySelector("dialog form").requestSubmit()';
    await visit.evaluate(`${press}, ${press}`);
    await visit.find("Secret", "textbox");
    await visit.still();
    expect(emulator.keys()).toHaveLength(2);
  });

  test("its dialog begins at its name, and shows its button without its list of scopes", async () => {
    const { visit } = await opened("keys");
    await visit.click("Create key");
    await visit.find("Name", "textbox");
    expect(await visit.focused()).toBe("Name");
    const shown = 'document.querySelector("details label").checkVisibility()';
    expect(await visit.evaluate(shown)).toBe(false);
    const end = 'document.querySelector("dialog form > button").getBoundingClientRect().bottom';
    expect(await visit.evaluate(`${end} <= innerHeight`)).toBe(true);
    await visit.click("Choose from a list", "DisclosureTriangle");
    expect(await visit.evaluate(shown)).toBe(true);
  });
});

describe.each(ways)("who gets in, at %j", (look) => {
  const enter = async (visit: Visit, key: string) => {
    await visit.fill("Admin key", key);
    await visit.click("Sign in");
  };

  test("on another host the page asks for the admin key first, and keeps it nowhere in itself", async () => {
    const { emulator, visit } = await opened("overview", { host: "0.0.0.0" }, look);
    await visit.find("Sign in", "heading");
    expect(await visit.barriers()).toEqual([]);
    await enter(visit, "erp_test_0123456789abcdef");
    await visit.sees("is not valid");
    await enter(visit, emulator.adminKey);
    await visit.find("Overview", "heading");
    emulator.createObjects("server", { name: "live-here" });
    await visit.sees("live-here");
    const kept =
      "document.documentElement.outerHTML + location + document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])";
    expect(await visit.evaluate(kept)).not.toContain(emulator.adminKey);
    await visit.evaluate("location.reload()");
    await visit.find("Overview", "heading");
    await visit.click("Sign out");
    await visit.find("Sign in", "heading");
    await visit.evaluate("location.reload()");
    await visit.find("Sign in", "heading");
  });
});
