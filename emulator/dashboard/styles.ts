/** The dashboard's styles, light and dark. */
export const styles = `
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
