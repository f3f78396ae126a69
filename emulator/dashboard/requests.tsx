/** What the service was asked, as it happens, and how full the windows of rate limits are. */
import { useState } from "preact/hooks";
import { call, SHOWN_MAX, useLive, type Data } from "./live";
import { Action, Badge, Card, Facts, Filter, plain, Table, Time } from "./parts";

const pathOf = ({ path, query }: Data): string => String(path) + (query ? `?${String(query)}` : "");

const linkOf = (request: Data) => (
  <a class="code" href={`#/requests/${String(request["seq"])}`}>
    <b>{String(request["method"])}</b> {pathOf(request)}
  </a>
);

const statusOf = ({ status, ended_at: end, replayed, faults }: Data) => (
  <span class="row">
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
        <Card heading="Requests" actions={actions}>
          <Table
            {...{ rows: requests?.toReversed(), keyOf: ({ seq }) => seq, selected }}
            caption="Requests, the newest first"
            empty={text ? "Nothing matches the filter." : "None yet. They show as they are made."}
            columns={[
              ["Request", linkOf],
              ["Status", statusOf],
              ["Key", ({ key_name, key_id }) => plain(key_name ?? key_id), { wide: true }],
              ["Time", ({ started_at: at }) => plain(at, "_at"), { wide: true }],
              ["Took", ({ duration_ms: ms }) => `${Number(ms).toFixed(1)}\u00a0ms`, { wide: true }],
            ]}
          />
        </Card>
        {selected !== undefined && <Details key={selected} seq={selected} />}
      </div>
    </>
  );
}

function Details({ seq }: { seq: string }) {
  const request = useLive<Data>(`/requests/${seq}`, ["requests"]);
  return <Card heading={`Request ${seq}`}>{request !== undefined && <Facts of={request} />}</Card>;
}

type Window = Readonly<Record<"limit" | "remaining" | "window_ms", number>> & { reset: string };

function Bar({ limit, remaining, window_ms, reset, name }: Window & { name: string }) {
  const used = limit - remaining;
  const label = `${name}: ${used} of ${limit} in ${window_ms / 1_000} s`;
  return (
    <li>
      <span>{label}</span>
      <span class="faint">
        until <Time at={reset} />
      </span>
      <svg role="img" aria-label={label} viewBox="0 0 100 4" preserveAspectRatio="none">
        <rect width="100" height="4" class="whole" />
        <rect width={(100 * used) / limit} height="4" class={remaining > 0 ? "used" : "full"} />
      </svg>
    </li>
  );
}

type Limited = { readonly limits?: { readonly key_id: string; readonly windows: Window[] }[] };

function Limits() {
  const { limits } = useLive<Limited>("/limits", ["requests"]) ?? {};
  const bars = limits?.flatMap(({ key_id: name, windows }) =>
    windows.map((each) => <Bar {...{ ...each, name }} />),
  );
  return (
    <Card heading="Rate limits">
      {limits?.length === 0 && <p class="faint">No key has used any of its requests.</p>}
      <ul class="limits">{bars}</ul>
    </Card>
  );
}
