/** A real Chromium, used as a person uses it; `npm run engines chromium` brings it. */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, Script } from "node:vm";
import { findProgram } from "../../scripts/bootstrap/programs.cjs";

const program = findProgram("erphost-chromium", process.env["PATH"] ?? "");

/** Whether there is one. */
export const hasBrowser = program !== undefined;

/** As much of puppeteer-core as is used here; it is not installed with the checkout. */
interface Driver {
  launch(options: object): Promise<Chromium>;
}
interface Context {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}
interface Chromium {
  createBrowserContext(): Promise<Context>;
  close(): Promise<void>;
}
interface Element {
  click(): Promise<void>;
  focus(): Promise<void>;
  type(text: string): Promise<void>;
  select(value: string): Promise<unknown>;
  uploadFile(path: string): Promise<void>;
}
interface Page {
  goto(address: string): Promise<unknown>;
  on(event: "console", listener: (message: { text(): string }) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  setViewport(size: { width: number; height: number }): Promise<void>;
  emulateMediaFeatures(features: { name: string; value: string }[]): Promise<void>;
  waitForSelector(selector: string, options: object): Promise<Element>;
  waitForFunction(script: string, options: object): Promise<unknown>;
  waitForNetworkIdle(options: object): Promise<void>;
  evaluate(script: string): Promise<unknown>;
  evaluateOnNewDocument(script: string): Promise<unknown>;
  reload(): Promise<unknown>;
  addScriptTag(script: { path: string }): Promise<unknown>;
  setBypassCSP(isOff: boolean): Promise<void>;
  screenshot(options: object): Promise<Uint8Array>;
  readonly keyboard: {
    press(key: string): Promise<void>;
    down(key: string): Promise<void>;
    up(key: string): Promise<void>;
  };
}

/** Where a person looks. */
export interface Look {
  readonly width: 390 | 1280;
  readonly scheme: "light" | "dark";
}

const WAIT_MS_MAX = 8_000;
const folder = program === undefined ? "" : dirname(realpathSync(program));

/** Modules of its own: jest's loader knows no ES modules. */
const load = (path: string): Promise<unknown> => {
  const options = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
  const script = new Script("(address) => import(address)", options);
  // What the script's one expression is.
  const imported = script.runInThisContext() as (address: string) => Promise<unknown>;
  return imported(pathToFileURL(join(folder, "node_modules", path)).href);
};

/** Opens a browser, which `close` ends. */
export class Browser {
  private constructor(private readonly chromium: Chromium) {}

  static async open(): Promise<Browser> {
    const path = "puppeteer-core/lib/puppeteer/puppeteer-core.js";
    const { default: driver } = (await load(path)) as { default: Driver };
    const args = ["--headless=shell", "--no-sandbox", "--no-zygote", "--disable-gpu"];
    return new Browser(await driver.launch({ executablePath: program, args }));
  }

  /** A page in a profile of its own. */
  async visit(address: string, look: Look = { width: 1280, scheme: "light" }): Promise<Visit> {
    const visit = await Visit.begin(await this.chromium.createBrowserContext(), look);
    await visit.page.goto(address);
    return visit;
  }

  close(): Promise<void> {
    return this.chromium.close();
  }
}

/** One person at one page, who finds things by their names. */
export class Visit {
  /** What the browser complained about. */
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly context: Context,
  ) {
    page.on("console", (message) => this.complaints.push(message.text()));
    page.on("pageerror", (error) => this.complaints.push(error.message));
  }

  static async begin(context: Context, look: Look): Promise<Visit> {
    const page = await context.newPage();
    // axe-core is put into the page, which lets no script in but its own.
    await page.setBypassCSP(true);
    const visit = new Visit(page, context);
    await visit.look(look);
    return visit;
  }

  leave = (): Promise<void> => this.context.close();

  /** Another tab of the same profile. */
  async tab(address: string): Promise<Visit> {
    const visit = await Visit.begin(this.context, { width: 1280, scheme: "light" });
    await visit.page.goto(address);
    return visit;
  }

  /** Loads the page again, with a script that runs before all of its own. */
  async reload(script: string): Promise<void> {
    await this.page.evaluateOnNewDocument(script);
    await this.page.reload();
  }

  /** What a page learns when another tab is put before it, or taken away. */
  hide = (isHidden: boolean): Promise<unknown> =>
    this
      .evaluate(`Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"))`);

  async look({ width, scheme }: Look): Promise<void> {
    await this.page.setViewport({ width, height: width === 390 ? 844 : 800 });
    await this.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  }

  /** Waits for an element by its accessible name and, where there are several, its role. */
  find(name: string, role?: string): Promise<Element> {
    const selector = `aria/${name}${role === undefined ? "" : `[role="${role}"]`}`;
    return this.page.waitForSelector(selector, { visible: true, timeout: WAIT_MS_MAX });
  }

  click = async (name: string, role = "button"): Promise<void> =>
    (await this.find(name, role)).click();

  /** Replaces what is in a field. */
  async fill(name: string, text: string, role?: string): Promise<void> {
    const field = await this.find(name, role);
    await field.focus();
    await this.page.keyboard.down("Control");
    await this.page.keyboard.press("a");
    await this.page.keyboard.up("Control");
    await field.type(text);
  }

  choose = async (name: string, value: string): Promise<unknown> =>
    (await this.find(name, "combobox")).select(value);

  async upload(selector: string, path: string): Promise<void> {
    await (await this.page.waitForSelector(selector, { timeout: WAIT_MS_MAX })).uploadFile(path);
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Presses Tab until an element with a name has the focus. */
  async tabTo(name: string): Promise<void> {
    const seen: unknown[] = [];
    for (let turn = 0; turn < 80; turn += 1) {
      const focused = await this.evaluate(
        "((e) => e.ariaLabel || e.labels?.[0]?.textContent || e.textContent)(document.activeElement)",
      );
      if (focused === name) return;
      seen.push(focused);
      await this.press("Tab");
    }
    throw new Error(`Tab does not lead to ${name}, but to ${[...new Set(seen)].join(", ")}`);
  }

  /** Waits until the page shows a text. */
  sees = (text: string): Promise<unknown> =>
    this.page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`, {
      timeout: WAIT_MS_MAX,
    });

  /** Waits until the page no longer shows a text. */
  misses = (text: string): Promise<unknown> =>
    this.page.waitForFunction(`!document.body.innerText.includes(${JSON.stringify(text)})`, {
      timeout: WAIT_MS_MAX,
    });

  evaluate = (script: string): Promise<unknown> => this.page.evaluate(script);

  value = async (name: string): Promise<string> => {
    await this.find(name);
    const script = `[...document.querySelectorAll("label")].find((l) => l.textContent === ${JSON.stringify(name)}).control.value`;
    return String(await this.evaluate(script));
  };

  /** What keeps people out, by axe-core, and whether the page scrolls sideways. */
  async barriers(): Promise<readonly string[]> {
    await this.page.addScriptTag({ path: join(folder, "node_modules", "axe-core", "axe.min.js") });
    const script = `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(": "))))`;
    const isWide = await this.evaluate("document.documentElement.scrollWidth > innerWidth");
    // What the script answers.
    const found = (await this.evaluate(script)) as string[];
    return isWide === true ? [...found, "the page scrolls sideways"] : found;
  }

  /** Waits until nothing is read any more. */
  still = (): Promise<unknown> => this.page.waitForNetworkIdle({ idleTime: 600 });

  picture = (): Promise<Uint8Array> => this.page.screenshot({ fullPage: true });
}
