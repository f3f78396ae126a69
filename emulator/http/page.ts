/** Serves the page: its HTML, and the script and styles that are bundled from `dashboard/`. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";

/** Nothing but files of this address, nothing inline, and in no frame of another page. */
const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

const HEADERS = {
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>erphost emulator</title>
<link rel="icon" href="/page/icon.svg">
<link rel="stylesheet" href="/page/main.css">
</head>
<body>
<div id="app"></div>
<noscript>The page of the emulator needs JavaScript. All that it shows is at /_emulator as well.</noscript>
<script type="module" src="/page/main.js"></script>
</body>
</html>
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#2f6f5e"/>
<path d="M9 9h14v4H9zm0 5.5h10v4H9zM9 20h14v4H9z" fill="#fff"/>
</svg>`;

interface Bundle {
  readonly script: string;
  readonly styles: string;
}

let bundle: Promise<Bundle> | undefined;

/** Of a build as it is there; of the sources bundled when it is asked for, so that no start waits. */
async function load(): Promise<Bundle> {
  const built = join(__dirname, "..", "dashboard", "main.js");
  // A package always has it, and a checkout that was not built never has.
  if (existsSync(built)) {
    const styles = readFileSync(join(__dirname, "..", "dashboard", "main.css"), "utf8");
    return { script: readFileSync(built, "utf8"), styles };
  }
  const root = join(__dirname, "..", "..");
  // Not a part of the package: a checkout alone has sources and the bundler.
  const bundler = require(join(root, "scripts", "bootstrap", "bundles.cjs")) as {
    readonly bundlePage: (root: string) => Promise<Bundle>;
  };
  return bundler.bundlePage(root);
}

export function pageRoutes(app: Hono<{ Bindings: HttpBindings }>): void {
  const file = (path: string, type: string, text: () => string | Promise<string>): void =>
    void app.get(path, async (context) =>
      context.body(await text(), 200, { ...HEADERS, "Content-Type": type }),
    );
  const bundled = (): Promise<Bundle> => (bundle ??= load());
  file("/", "text/html; charset=utf-8", () => HTML);
  file("/page/main.js", "text/javascript; charset=utf-8", async () => (await bundled()).script);
  file("/page/main.css", "text/css; charset=utf-8", async () => (await bundled()).styles);
  file("/page/icon.svg", "image/svg+xml", () => ICON);
}
