import { describe, expect, test } from "@jest/globals";
import { Script } from "node:vm";
import type { Emulator } from "../../emulator";
import { send, newEmulator, until } from "./support";

/** As much of a page as the script uses. */
class Element {
  readonly dataset: Record<string, string> = {};
  readonly children: Element[] = [];
  textContent = "";
  className = "";
  hidden = false;
  onclick: () => Promise<void> = () => Promise.resolve();
  append(...nodes: Element[]): void {
    this.children.push(...nodes);
  }
  replaceChildren(...nodes: Element[]): void {
    this.children.splice(0, this.children.length, ...nodes);
  }
  text(): string {
    return [this.textContent, ...this.children.map((child) => child.text())].join(" ");
  }
}

const scriptOf = async (emulator: Emulator) => {
  const page = await (await fetch(`${emulator.url}/`)).text();
  return /<script>(.*)<\/script>/s.exec(page)?.[1] ?? "";
};

/** Runs the page's script; answers its elements by id, and how to stop it. */
async function opened(emulator: Emulator, answers: string[] = []) {
  const elements = new Map<string, Element>();
  const byId = (id: string) => {
    const known = elements.get(id) ?? new Element();
    elements.set(id, known);
    return known;
  };
  const day = new Element();
  day.dataset["advance"] = "90d";
  const closed = { value: false };
  new Script(await scriptOf(emulator)).runInNewContext({
    Node: Element,
    document: {
      getElementById: byId,
      createElement: () => new Element(),
      querySelectorAll: () => [day],
    },
    sessionStorage: { getItem: () => null },
    prompt: () => answers.shift() ?? null,
    confirm: () => true,
    fetch: (path: string, options: RequestInit) => fetch(emulator.url + path, options),
    setTimeout: (work: () => void) => {
      if (!closed.value) setTimeout(work, 20);
    },
  });
  return { byId, day, close: () => (closed.value = true) };
}

describe("the dashboard", () => {
  test("the dashboard is one self-contained page", async () => {
    const emulator = await newEmulator();
    const response = await fetch(`${emulator.url}/`);
    const page = await response.text();
    expect(response.headers.get("content-type")).toMatch(/^text\/html/);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page).not.toMatch(/(?:src|href)=|@import|url\(|https?:\/\//);
    expect(page).not.toContain(emulator.adminKey);
  });

  test("the dashboard shows objects, requests and the clock, and its buttons work", async () => {
    const emulator = await newEmulator();
    await send(emulator, "POST /servers", { body: { name: "<b>erp</b>" } });
    emulator.setFaults([{ match: { path: "/teams" }, effect: "html-502" }]);
    const page = await opened(emulator, ["pipeline", "servers:read"]);
    const shows = (id: string, text: string) =>
      until(
        () => page.byId(id).text(),
        (shown) => shown.includes(text),
      );
    try {
      expect(await shows("kinds", "<b>erp</b>")).toContain("srv_1");
      expect(page.byId("requests").text()).toContain("POST /servers");
      expect(page.byId("faults").text()).toContain("html-502");
      const before = page.byId("now").textContent;
      await page.day.onclick();
      expect(Date.parse(page.byId("now").textContent) - Date.parse(before)).toBeGreaterThan(7e9);
      await page.byId("create-key").onclick();
      expect(page.byId("notice").textContent).toMatch(
        /^key_2 \(its value is not shown again\): erp_test_/,
      );
      await page.byId("reset").onclick();
      expect(emulator.counts()).toMatchObject({ server: 0, api_key: 1 });
    } finally {
      page.close();
    }
  });

  test("the dashboard uses existing calls only and shows values as text only", async () => {
    const emulator = await newEmulator();
    const script = await scriptOf(emulator);
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write/);
    const paths = [...script.matchAll(/"(\/(?:health|objects|requests|limits|faults)[^"]*)"/g)];
    expect(paths.length).toBeGreaterThanOrEqual(5);
    for (const [, path = ""] of paths) {
      const whole = path.endsWith("/") ? `${path}server` : path;
      expect((await fetch(`${emulator.url}/_emulator${whole}`)).status).toBe(200);
    }
  });
});
