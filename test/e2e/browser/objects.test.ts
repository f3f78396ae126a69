import { describe, expect, test } from "@jest/globals";
import { opened, ways } from "./support";

describe.each(ways)("objects, at %j", (look) => {
  test("an object is created, edited, set to a state and deleted by forms", async () => {
    const { emulator, visit } = await opened("objects/server", {}, look);
    await visit.click("Create server");
    await visit.submit({ Name: "erp-main" }, "Create");
    await visit.find("srv_1", "heading");
    await visit.click("Edit");
    await visit.fill("Name", "<b>renamed</b>");
    emulator.changeObject("server", "srv_1", { region: "us-east" });
    await visit.click("Save");
    await visit.sees("<b>renamed</b>"); // As text, and no markup.
    expect(emulator.objects("server")).toMatchObject([{ region: "us-east" }]);
    await visit.choose("State", "failed");
    await visit.click("Set state");
    await visit.shows("dd [data-variant=danger]");
    const changed = { name: "<b>renamed</b>", status: "failed" };
    expect(emulator.objects("server")).toMatchObject([changed]);
    await visit.clickUntil("Delete", "even if others refer to it");
    await visit.clickUntil("Delete", "None yet");
    expect(emulator.objects("server")).toEqual([]);
  });

  test("members of a team and references are fields of its form", async () => {
    const { emulator, visit } = await opened("objects/team", {}, look);
    await visit.click("Create team");
    await visit.submit({ Name: "ops" }, "Add");
    await visit.submit({ Email: "a@example.com", Role: "admin" }, "Create");
    await visit.find("team_1", "heading");
    expect(emulator.objects("team")).toMatchObject([
      { members: [{ email: "a@example.com", role: "admin" }] },
    ]);
  });

  test("a list is sorted, filtered and turned, and a selection survives what others change", async () => {
    const { emulator, visit } = await opened("objects/server", {}, look);
    const names = Array.from({ length: 60 }, (_, index) => ({ name: `erp-${100 + index}` }));
    emulator.createObjects("server", names);
    await visit.sees("erp-159");
    await visit.clickUntil("Name", "erp-100");
    await visit.clickUntil("Next", "erp-125");
    await visit.sees("Page 2 of 3");
    await visit.click("srv_26", "link");
    await visit.find("srv_26", "heading");
    emulator.changeObject("server", "srv_26", { status: "failed" });
    await visit.sees("failed");
    await visit.sees("Page 2 of 3");
    await visit.fill("Filter", "erp-14", "searchbox");
    await visit.sees("Page 1 of 1");
    await visit.misses("erp-100");
    await visit.find("srv_26", "heading");
    expect(visit.complaints).toEqual([]);
    await visit.fill("Filter", "erp-1", "searchbox");
    await visit.sees("Page 1 of 3");
    await visit.clickUntil("Next", "Page 2 of 3");
    for (let id = 26; id <= 60; id += 1) emulator.removeObject("server", `srv_${id}`);
    await visit.sees("Page 1 of 1");
    await expect(visit.sees("erp-124")).resolves.toBeDefined();
  });
});

describe("the focus", () => {
  const look = { width: 1280, scheme: "light", by: "keyboard" } as const;

  test("a dialog gives it back to its button, however it is closed", async () => {
    const { visit } = await opened("objects/server/srv_1", {}, look);
    for (const close of [
      () => visit.press("Escape"),
      () => visit.click("Close"),
      () => visit.fill("Name", "a").then(() => visit.press("Enter")),
    ]) {
      await visit.click("Create server");
      await visit.find("Close", "button");
      await close();
      await visit.gone("dialog");
      expect(await visit.focused()).toMatch(/^(?:Create server|srv_1)$/);
    }
  });

  test("it stays on a row while others change the list, and opens what the row leads to", async () => {
    const { emulator, visit } = await opened("objects/server", {}, look);
    emulator.createObjects("server", [{ name: "one" }, { name: "two" }]);
    await visit.reach("srv_1", "link");
    emulator.createObjects("server", { name: "three" });
    emulator.changeObject("server", "srv_1", { status: "failed" });
    await visit.sees("three");
    await visit.shows("[data-variant=danger]");
    expect(await visit.focused()).toBe("srv_1");
    await visit.press("Enter");
    await visit.shows("h2:focus");
    await visit.press("Tab");
    expect(await visit.focused()).toBe("Edit");
  });

  test("where what had it is gone, it is at the top of the view, as it is in a new view", async () => {
    const { emulator, visit } = await opened("objects/server", {}, look);
    emulator.createObjects("server", { name: "doomed" });
    await visit.click("srv_1", "link");
    await visit.clickUntil("Delete", "even if others refer to it");
    await visit.clickUntil("Delete", "None yet");
    expect(await visit.focused()).toBe("Objects");
    await visit.click("Clock", "link");
    await visit.find("Clock", "heading");
    expect(await visit.focused()).toBe("Clock");
  });
});
