/** A real Chromium, used as a person uses it; `npm run engines chromium` brings it. */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, Script } from "node:vm";
import { findProgram } from "../../scripts/bootstrap/programs.cjs";

const program = findProgram("erphost-chromium", process.env["PATH"] ?? "");

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
  evaluate<T>(script: (node: DomElement) => T): Promise<T>;
}
/** As much of the browser's own elements. */
interface DomElement {
  matches(selector: string): boolean;
  readonly ownerDocument: {
    readonly defaultView: { getComputedStyle(of: DomElement): { outlineStyle: string } };
  };
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
  waitForFileChooser(options: object): Promise<{ accept(paths: readonly string[]): Promise<void> }>;
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

/** Where a person looks, and whether without a mouse. */
export interface Look {
  readonly width: 390 | 1280;
  readonly scheme: "light" | "dark";
  readonly by?: "keyboard";
}

const DESKTOP: Look = { width: 1280, scheme: "light" };
const WAIT_MS_MAX = 8_000;
/** How often Tab is pressed at most on the way to one element. */
const TABS_MAX = 200;
const folder = program === undefined ? "" : dirname(realpathSync(program));

/** Modules of its own: jest's loader knows no ES modules. */
const load = (path: string): Promise<unknown> => {
  const options = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
  const script = new Script("(address) => import(address)", options);
  // What the script's one expression is.
  const imported = script.runInThisContext() as (address: string) => Promise<unknown>;
  return imported(pathToFileURL(join(folder, "node_modules", path)).href);
};

export class Browser {
  private constructor(private readonly chromium: Chromium) {}

  static async open(): Promise<Browser> {
    const path = "puppeteer-core/lib/puppeteer/puppeteer-core.js";
    const { default: driver } = (await load(path)) as { default: Driver };
    const args = ["--headless=shell", "--no-sandbox", "--no-zygote", "--disable-gpu"];
    return new Browser(await driver.launch({ executablePath: program, args }));
  }

  /** A page in a profile of its own. */
  async visit(address: string, look?: Look): Promise<Visit> {
    return Visit.begin(await this.chromium.createBrowserContext(), address, look);
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
    private readonly by: Look["by"],
  ) {
    page.on("console", (message) => this.complaints.push(message.text()));
    page.on("pageerror", (error) => this.complaints.push(error.message));
  }

  static async begin(context: Context, address: string, look = DESKTOP): Promise<Visit> {
    const page = await context.newPage();
    // axe-core is put into the page, which lets no script in but its own.
    await page.setBypassCSP(true);
    const visit = new Visit(page, context, look.by);
    await page.setViewport({ width: look.width, height: look.width === 390 ? 844 : 800 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: look.scheme }]);
    await page.goto(address);
    return visit;
  }

  leave = (): Promise<void> => this.context.close();

  tab = (address: string): Promise<Visit> => Visit.begin(this.context, address);

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

  /** Waits for an element by its accessible name and, where there are several, its role. */
  find(name: string, role?: string): Promise<Element> {
    const selector = `aria/${name}${role === undefined ? "" : `[role="${role}"]`}`;
    return this.page.waitForSelector(selector, { visible: true, timeout: WAIT_MS_MAX });
  }

  /** Clicks; by keyboard, goes there and presses a key. */
  async click(name: string, role = "button"): Promise<void> {
    if (this.by !== "keyboard") return (await this.find(name, role)).click();
    await this.reach(name, role);
    await this.press(role === "checkbox" ? "Space" : "Enter");
  }

  async fill(name: string, text: string, role?: string): Promise<void> {
    const field = await this.reach(name, role);
    await this.page.keyboard.down("Control");
    await this.page.keyboard.press("a");
    await this.page.keyboard.up("Control");
    await (text === "" ? this.press("Delete") : field.type(text));
  }

  /** Fills fields by their names, presses the button of their form, and waits until the page says this. */
  async submit(fields: Readonly<Record<string, string>>, button: string, says = ""): Promise<void> {
    for (const [name, text] of Object.entries(fields)) await this.fill(name, text);
    await this.clickUntil(button, says);
  }

  /** Clicks, and waits until the page says this. */
  async clickUntil(name: string, says: string, role?: string): Promise<void> {
    await this.click(name, role);
    await this.sees(says);
  }

  /** Chooses in a list; by keyboard, by the letters of the choice. */
  async choose(name: string, value: string): Promise<void> {
    const list = await this.reach(name, "combobox");
    await (this.by === "keyboard" ? list.type(value) : list.select(value));
  }

  async upload(name: string, path: string): Promise<void> {
    const chooser = this.page.waitForFileChooser({ timeout: WAIT_MS_MAX });
    const [chosen] = await Promise.all([chooser, this.click(name)]);
    await chosen.accept([path]);
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** What has the focus, by its name. */
  focused = (): Promise<unknown> =>
    this.evaluate(
      "((e) => e.ariaLabel || e.labels?.[0]?.textContent || e.textContent)(document.activeElement)",
    );

  /** Puts the focus on an element; by keyboard, by Tab alone, and where it is seen. */
  async reach(name: string, role?: string): Promise<Element> {
    const element = await this.find(name, role);
    if (this.by !== "keyboard") await element.focus();
    for (let turn = 0; turn < TABS_MAX; turn += 1) {
      if (await element.evaluate((node) => node.matches(":focus"))) {
        const outline = await element.evaluate(
          (node) => node.ownerDocument.defaultView.getComputedStyle(node).outlineStyle,
        );
        if (this.by !== "keyboard" || outline !== "none") return element;
        throw new Error(`Nobody sees that ${name} has the focus`);
      }
      await this.press("Tab");
    }
    throw new Error(`Tab does not lead to ${name}; it is at ${String(await this.focused())}`);
  }

  private readonly until = (script: string): Promise<unknown> =>
    this.page.waitForFunction(script, { timeout: WAIT_MS_MAX });

  sees = (text: string): Promise<unknown> =>
    this.until(`document.body.innerText.includes(${JSON.stringify(text)})`);

  /** Waits for an element that has no name. */
  shows = (selector: string): Promise<unknown> =>
    this.page.waitForSelector(selector, { visible: true, timeout: WAIT_MS_MAX });

  gone = (selector: string): Promise<unknown> =>
    this.until(`!document.querySelector(${JSON.stringify(selector)})`);

  misses = (text: string): Promise<unknown> =>
    this.until(`!document.body.innerText.includes(${JSON.stringify(text)})`);

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

  still = (): Promise<unknown> => this.page.waitForNetworkIdle({ idleTime: 600 });

  picture = (): Promise<Uint8Array> => this.page.screenshot({ fullPage: true });
}
