/** What the service was asked, as it happens, and how full the windows of rate limits are. */
import { useState } from "preact/hooks";
import { call, SHOWN_MAX, useLive, type Data } from "./live";
import { Action, Badge, Card, Facts, Filter, plain, Table, Time } from "./parts";

const linkOf = ({ seq, method, path, query }: Data) => (
  <a href={`#/requests/${String(seq)}`}>
    <code>{`${String(method)} ${String(path)}${query ? `?${String(query)}` : ""}`}</code>
  </a>
);

const statusOf = ({ status, ended_at: end, replayed, faults }: Data) => (
  <span class="hstack">
    <Badge of={status ?? (end === null ? "running" : "cut")} />
    {replayed === true && <Badge of="replay" />}
    {[faults].flat().map((fault) => (
      <Badge of={fault} />
    ))}
  </span>
);

/** The list, and all of the one that is selected. */
export function Requests({ route: [selected] }: { route: readonly string[] }) {
  const [text, setText] = useState("");
  const query = new URLSearchParams({ text, limit: `${SHOWN_MAX}`, bodies: "false" });
  const { requests } = useLive<{ requests?: Data[] }>(`/requests?${query}`, ["requests"]) ?? {};
  const actions = (
    <>
      <Filter value={text} set={setText} />
      <Action name="Clear" run={() => call("DELETE", "/requests")} />
    </>
  );
  return (
    <>
      <Limits />
      <div class="split">
        {selected !== undefined && <Details key={selected} seq={selected} />}
        <Card heading="Requests" actions={actions}>
          <Table
            {...{ rows: requests?.toReversed(), selected }}
            empty={text ? "Nothing matches the filter." : "None yet. They show as they are made."}
            columns={[
              ["Request", linkOf],
              ["Status", statusOf],
              ["Key", ({ key_name, key_id }) => plain(key_name ?? key_id), { wide: true }],
              ["Time", ({ started_at: at }) => plain(at, "_at"), { wide: true }],
              [
                "Took",
                ({ duration_ms: ms }) => ms !== null && `${Number(ms).toFixed(1)}\u00a0ms`,
                { wide: true },
              ],
            ]}
          />
        </Card>
      </div>
    </>
  );
}

function Details({ seq }: { seq: string }) {
  const request = useLive<Data>(`/requests/${seq}`, ["requests"]);
  if (request === undefined) return null;
  return <Card isDetail heading={`Request ${seq}`} children={<Facts of={request} />} />;
}

type Window = Readonly<Record<"limit" | "remaining" | "window_ms", number>> & { reset: string };
type Limited = { readonly limits?: { readonly key_id: string; readonly windows: Window[] }[] };

function Limits() {
  const { limits } = useLive<Limited>("/limits", ["requests"]) ?? {};
  const barOf = (key: string, { limit, remaining, window_ms: ms, reset }: Window) => {
    const used = limit - remaining;
    const label = `${key}: ${used} of ${limit} in ${ms / 1_000} s`;
    return (
      <li>
        {label}, until <Time at={reset} />
        <meter aria-label={label} value={used} max={limit} low={0.8 * limit} optimum={0} />
      </li>
    );
  };
  return (
    <Card heading="Rate limits">
      {limits?.length === 0 && <p class="text-light">No key has used any of its requests.</p>}
      <ul class="columns unstyled">
        {limits?.flatMap(({ key_id: key, windows }) => windows.map((each) => barOf(key, each)))}
      </ul>
    </Card>
  );
}
