/** The dashboard: one self-contained page that uses the calls of `/_emulator`. */
import { script } from "./script";
import { styles } from "./styles";

/** Content Security Policy: the inline script and styles, and calls to the same origin. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'";

/** The page as HTML. */
export const dashboardPage = (): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>erphost emulator</title>
<style>${styles}</style>
</head>
<body>
<header>
  <h1>erphost <span>emulator</span></h1>
  <p id="settings"></p>
  <p class="clock"><time id="now"></time> <span id="rate"></span></p>
  <nav>
    <button data-advance="1h">+1 h</button>
    <button data-advance="1d">+1 d</button>
    <button data-advance="90d">+90 d</button>
    <button id="create-key">Create key</button>
    <button id="reset" class="danger">Reset</button>
  </nav>
</header>
<p id="notice" hidden role="status"></p>
<main>
  <section><h2>Objects</h2><div id="kinds"></div></section>
  <section>
    <h2>Requests</h2>
    <table><thead><tr><th>Time<th>Request<th>Key<th>Status<th>ms</tr></thead><tbody id="requests"></tbody></table>
  </section>
  <section>
    <h2>Limits</h2>
    <table><thead><tr><th>Key<th>Remaining<th>Limit<th>Resets</tr></thead><tbody id="limits"></tbody></table>
    <h2>Faults</h2>
    <table><thead><tr><th>Match<th>Effect<th>Hits</tr></thead><tbody id="faults"></tbody></table>
  </section>
</main>
<script>${script}</script>
</body>
</html>
`;
