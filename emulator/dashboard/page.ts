/** The dashboard: one self-contained page that uses the calls of `/_emulator`. */
import { script } from "./script";

/** Content Security Policy: the inline script and styles, and calls to the same origin. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'";

/** Light and dark. */
const styles = `
:root { color-scheme: light dark; --line: #8884; --faint: #8889; --good: #2a8a4a; --bad: #c0392b; --wait: #b7791f; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem 1.25rem 3rem; font: 14px/1.45 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; border-bottom: 1px solid var(--line); padding-bottom: .75rem; }
h1 { font-size: 1.1rem; margin: 0; } h1 span, header p { color: var(--faint); font-weight: 400; } header p { margin: 0; }
h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; color: var(--faint); margin: 1.5rem 0 .4rem; }
h3 { font-size: .95rem; margin: .9rem 0 .2rem; } h3 small { color: var(--faint); font-weight: 400; }
nav { margin-left: auto; display: flex; gap: .4rem; }
button { font: inherit; padding: .2rem .7rem; border: 1px solid var(--line); border-radius: .35rem; background: transparent; cursor: pointer; }
button:hover { background: #8882; } .danger { color: var(--bad); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; color: var(--faint); } td, th { padding: .15rem .75rem .15rem 0; vertical-align: top; }
td { border-top: 1px solid var(--line); overflow-wrap: anywhere; }
#requests td:not(:nth-child(2)) { white-space: nowrap; overflow-wrap: normal; }
code, time { font-family: ui-monospace, monospace; font-size: .92em; }
.good { color: var(--good); } .bad { color: var(--bad); } .wait { color: var(--wait); } .faint { color: var(--faint); }
#notice { border: 1px solid var(--line); border-radius: .35rem; padding: .5rem .75rem; overflow-wrap: anywhere; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); gap: 0 2.5rem; }
`;

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
