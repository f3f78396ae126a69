/** The page of the emulator: what every view has around it, and who gets in. */
import { render, type FunctionComponent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Clock } from "./clock";
import { Faults } from "./faults";
import { Form } from "./form";
import { Keys, useHealth } from "./keys";
import { call, connect, gate, liveness, useRoute, type Data } from "./live";
import { Objects } from "./objects";
import { Overview } from "./overview";
import { Action, Badge, Tab } from "./parts";
import { Requests } from "./requests";
import { Webhooks } from "./webhooks";

const VIEWS: Readonly<Record<string, FunctionComponent<{ route: readonly string[] }>>> = {
  ...{ Overview, Objects, Keys, Requests, Webhooks, Clock, Faults },
};

function Page({ isLive }: { isLive: boolean }) {
  const route = useRoute();
  const top = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  const health = useHealth();
  const twin = health?.twin_of;
  const name = Object.keys(VIEWS).find((each) => each.toLowerCase() === route[0]) ?? "Overview";
  const View = VIEWS[name] ?? Overview;
  useLayoutEffect(() => {
    document.title = `${name} · erphost emulator`;
    // By keyboard or by ear, one goes on at the top of a new view, or where what had the focus is gone.
    if (!isFirst.current) top.current?.focus();
    isFirst.current = false;
  }, [name]);
  useEffect(() => {
    let last: EventTarget | null = null;
    document.addEventListener("focusin", ({ target }) => (last = target));
    new MutationObserver((): void => {
      if (document.activeElement !== document.body || !(last instanceof Node)) return;
      if (!last.isConnected) top.current?.focus({ preventScroll: true });
    }).observe(document.body, { childList: true, subtree: true });
  }, []);
  return (
    <>
      <header class="hstack">
        <b>erphost emulator</b>
        <p role="status">
          <Badge of={isLive ? "Live" : "Not connected"} />
        </p>
        <nav class="hstack" aria-label="Views">
          {Object.keys(VIEWS).map((each) => (
            <Tab to={each.toLowerCase()} isHere={each === name} children={each} />
          ))}
        </nav>
        {health?.needs_admin_key && (
          <Action name="Sign out" run={() => call("DELETE", "/session").then(connect)} />
        )}
      </header>
      <main class="vstack">
        <h1 {...{ ref: top, tabIndex: -1 }}>{name}</h1>
        {twin && <p role="alert">A twin of {twin.baseUrl}: nothing reaches that account.</p>}
        <View route={route.slice(1)} />
      </main>
      <footer class="hstack">
        <a href="/openapi.json">OpenAPI</a>
        <a href="https://github.com/erphost/erphost/blob/main/docs/emulator.md">Documentation</a>
      </footer>
    </>
  );
}

const description = "The emulator printed it when it started, and in its export line.";
const signIn = {
  properties: { admin_key: { type: "string", format: "password", description } },
  required: ["admin_key"],
};

/** On other hosts than this machine's own, and of a twin. The key is kept by the emulator alone. */
function App() {
  const [isClosed, setClosed] = useState<boolean>();
  const [isLive, setLive] = useState(true);
  useEffect(() => {
    gate.on(setClosed);
    liveness.on(setLive);
    void connect();
  }, []);
  const enter = ({ admin_key: key }: Data) => call("POST", "/session", { key }).then(connect);
  if (isClosed === false) return <Page isLive={isLive} />;
  // Nothing is shown before it is known whether a key is wanted.
  if (isClosed === undefined && isLive) return null;
  return (
    <main class="gate vstack">
      <b>erphost emulator</b>
      <h1>{isClosed ? "Sign in" : "Not connected"}</h1>
      {isClosed && <Form schema={signIn} submit="Sign in" onSubmit={enter} />}
    </main>
  );
}

const root = document.getElementById("app");
if (root) render(<App />, root);
