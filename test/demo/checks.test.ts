/** What the demo must notice in the service's journal. */
import { describe, expect, test } from "@jest/globals";
import { expectBackupFirst, expectListsOnly, walksOf, type Call } from "../../demo/checks";

/** A call that took the second after `at`. */
const call = (at: number, line: string, status = 200): Call => {
  const [method = "", target = ""] = line.split(" ");
  const [path = "", query = ""] = target.split("?");
  const time = (second: number): string => new Date(second * 1000).toISOString();
  return { method, path, query, status, started_at: time(at), ended_at: time(at + 1) };
};

describe("the demo's look at the journal", () => {
  const backup = call(1, "POST /backups", 201);
  const look = call(3, "GET /backups?page=1");
  const upgrade = call(5, "PATCH /instances/ins_1");

  test("an upgrade whose backup was made and looked at before passes", () => {
    expect(() => expectBackupFirst([backup, look, upgrade], "ins_1")).not.toThrow();
  });

  test.each([
    ["without a backup", [upgrade], "no backup was made for the upgrade of ins_1"],
    ["with a refused backup", [{ ...backup, status: 422 }, look, upgrade], "no backup was made"],
    [
      "with a backup that came after it",
      [upgrade, call(7, "POST /backups", 201), call(9, "GET /backups")],
      "the backup was made after the upgrade of ins_1",
    ],
    [
      "sent while the backup was being made",
      [{ ...backup, ended_at: "1970-01-01T00:00:06.000Z" }, upgrade],
      "the backup was made after the upgrade of ins_1",
    ],
    [
      "that did not look whether the backup was finished",
      [backup, upgrade],
      "did not wait for its backup",
    ],
    ["that was not sent", [backup, look], "ins_1 was changed 0 times instead of once"],
    [
      "sent twice",
      [backup, look, upgrade, call(7, "PATCH /instances/ins_1")],
      "ins_1 was changed 2 times instead of once",
    ],
    [
      "of another instance",
      [backup, look, call(5, "PATCH /instances/ins_2")],
      "ins_1 was changed 0 times instead of once",
    ],
  ])("an upgrade %s is noticed by the demo", (_, journal, message) => {
    expect(() => expectBackupFirst(journal, "ins_1")).toThrow(message);
  });

  test("a list counts as read once for each first page that was answered", () => {
    const pages = ["?page=1", "?page=2", "?per_page=100", "?page=1&per_page=100"];
    const journal = pages.map((query, at) => call(at, `GET /instances${query}`));
    expect(walksOf([...journal, call(9, "GET /instances?page=1", 503)], "/instances")).toBe(3);
  });

  test.each([
    ["a write", ["GET /servers", "PATCH /servers/srv_1"], "the refresh sent PATCH /servers/srv_1"],
    ["an item that was read alone", ["GET /servers", "GET /servers/srv_1"], "GET /servers/srv_1"],
    ["a list that was not read", ["GET /servers"], "did not read /instances"],
  ])("the demo notices %s in a refresh", (_, lines, message) => {
    const journal = lines.map((line, at) => call(at, line));
    const lists = message.includes("/instances") ? ["/servers", "/instances"] : ["/servers"];
    expect(() => expectListsOnly(journal, lists)).toThrow(message);
  });
});
