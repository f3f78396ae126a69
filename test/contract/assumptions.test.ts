import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { assumptions } from "../../provider/contract";

const root = join(__dirname, "../..");
const topics = assumptions.map(({ topic }) => topic);

/** What a comment says after the word, up to the end of the comment. */
const comments = (text: string): string[] =>
  text
    .split(/Assumptions?:\s+/)
    .slice(1)
    .map((after) => after.split(/\*\/|\n(?!\s*(?:\/\/|\*))/)[0] ?? "");

/** Comments that name no topic of the list. */
const unlisted = (text: string): string[] =>
  comments(text).filter((said) => !topics.some((topic) => said.startsWith(`${topic}.`)));

describe("assumptions", () => {
  test("every comment that calls something an assumption names a topic of the list", () => {
    const files = ["provider", "emulator", "cli", "cdktf-bindings"].flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => join(room, name))
        // The list itself explains how.
        .filter((name) => !name.endsWith("profile/assumptions.ts")),
    );
    const texts = files.map((file) => [file, readFileSync(join(root, file), "utf8")] as const);
    expect(texts.flatMap(([, text]) => comments(text)).length).toBeGreaterThan(20);
    const stray = texts.flatMap(([file, text]) => unlisted(text).map((said) => `${file}: ${said}`));
    expect(stray).toEqual([]);
  });

  test("a comment with an assumption of its own is found", () => {
    expect(unlisted("/** Assumption: Webhooks. */")).toEqual([]);
    expect(unlisted("/** Assumption: any size will do. */")).toHaveLength(1);
    expect(unlisted("// Assumptions: none is listed.\n")).toHaveLength(1);
  });

  test("no two assumptions have one topic, and none begins like another", () => {
    const alike = topics.filter((topic) =>
      topics.some((other) => other !== topic && `${other}.`.startsWith(`${topic}.`)),
    );
    expect(alike).toEqual([]);
    expect(new Set(topics).size).toBe(topics.length);
  });
});
