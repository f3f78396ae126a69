/** The page of the emulator: what every view has around it, and who gets in. */
import { render, type FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Clock } from "./clock";
import { Faults } from "./faults";
import { Form } from "./form";
import { Keys, useHealth } from "./keys";
import { call, connect, gate, liveness, useRoute, type Data } from "./live";
import { Objects } from "./objects";
import { Overview } from "./overview";
import { Action } from "./parts";
import { Requests } from "./requests";
import { Webhooks } from "./webhooks";

type View = FunctionComponent<{ route: readonly string[] }>;
const VIEWS: Readonly<Record<string, View>> = {
  ...{ Overview, Objects, Keys, Requests, Webhooks, Clock, Faults },
};
const DOCUMENTATION = "https://github.com/erphost/erphost/blob/main/docs/emulator.md";

const Brand = () => (
  <p class="brand">
    erphost <span>emulator</span>
  </p>
);

const leave = () => call("DELETE", "/session").then(connect);

function Page({ isLive }: { isLive: boolean }) {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const health = useHealth();
  const twin = health?.twin_of;
  const name = Object.keys(VIEWS).find((each) => each.toLowerCase() === route[0]) ?? "Overview";
  const View = VIEWS[name] ?? Overview;
  useEffect(() => {
    document.title = `${name} · erphost emulator`;
    // Whoever goes by keyboard or by ear begins at the top of the new view.
    if (document.activeElement?.closest(".side")) main.current?.focus();
  }, [name]);
  return (
    <div class="page">
      <header class="side">
        <Brand />
        <nav aria-label="Views">
          {Object.keys(VIEWS).map((each) => (
            <a href={`#/${each.toLowerCase()}`} aria-current={each === name ? "page" : undefined}>
              {each}
            </a>
          ))}
        </nav>
        <p class={`live ${isLive ? "good" : "bad"}`} role="status">
          {isLive ? "Live" : "Not connected"}
        </p>
        {health?.needs_admin_key && <Action name="Sign out" run={leave} />}
      </header>
      <main ref={main} tabIndex={-1}>
        <h1>{name}</h1>
        {twin && <p class="note">A twin of {twin.baseUrl}: nothing reaches that account.</p>}
        <View route={route.slice(1)} />
      </main>
      <footer class="foot">
        <a href="/openapi.json">OpenAPI</a>
        <a href={DOCUMENTATION}>Documentation</a>
      </footer>
    </div>
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
    <main class="gate">
      <Brand />
      <h1>{isClosed ? "Sign in" : "Not connected"}</h1>
      {isClosed && <Form schema={signIn} submit="Sign in" onSubmit={enter} />}
    </main>
  );
}

const root = document.getElementById("app");
if (root) render(<App />, root);
