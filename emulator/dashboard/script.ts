/**
 * The script of the dashboard. It shows values as text, never as HTML, and keeps an admin key, where
 * one is required, until the tab is closed.
 */
export const script = `
const $ = (id) => document.getElementById(id);
const el = (tag, text, className) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
};
const row = (...cells) => {
  const tr = el("tr");
  for (const cell of cells) {
    const td = el("td");
    td.append(cell instanceof Node ? cell : el("span", String(cell ?? "")));
    tr.append(td);
  }
  return tr;
};
const call = async (method, path, body) => {
  const key = sessionStorage.getItem("key");
  const response = await fetch("/_emulator" + path, {
    method,
    headers: { "content-type": "application/json", ...(key && { authorization: "Bearer " + key }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status === 401 || response.status === 403) {
    const entered = prompt("Admin key of this emulator");
    if (!entered) throw new Error("The dashboard requires an admin key.");
    sessionStorage.setItem("key", entered);
    return call(method, path, body);
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? response.status);
  return answer;
};
const say = (text) => { $("notice").hidden = !text; $("notice").textContent = text; };
const tone = (status) =>
  /^(running|completed|paid|active|connected)$/.test(status) ? "good" : /fail|error/.test(status) ? "bad" : "wait";
const clockTime = (iso) => iso.slice(11, 23);

const showKinds = async (counts) => {
  const parts = await Promise.all(Object.entries(counts).map(async ([kind, count]) => {
    const title = el("h3", kind.replaceAll("_", " ") + " ");
    title.append(el("small", count));
    if (count === 0) return [title];
    const { objects } = await call("GET", "/objects/" + kind + "?limit=20");
    const table = el("table");
    for (const object of objects.reverse()) {
      const status = object.status ?? (object.expires_at ? "until " + object.expires_at.slice(0, 16) : "");
      table.append(row(el("code", object.id), object.name ?? "", el("span", status, tone(status))));
    }
    return [title, table];
  }));
  $("kinds").replaceChildren(...parts.flat());
};

const refresh = async () => {
  const [health, { objects }, { requests }, { limits }, { faults }] = await Promise.all(
    ["/health", "/objects", "/requests?limit=40", "/limits", "/faults"].map((path) => call("GET", path)));
  $("settings").textContent = ["plan " + health.plan, "keys " + health.keyClass, health.strict && "strict",
    health.profile !== "none" && "profile " + health.profile].filter(Boolean).join(" · ");
  $("now").textContent = health.now;
  $("rate").textContent = health.rate === 1 ? "" : "×" + health.rate;
  $("requests").replaceChildren(...requests.reverse().map((entry) => row(
    el("time", clockTime(entry.started_at)),
    el("code", entry.method + " " + entry.path + (entry.query && "?" + entry.query)),
    el("span", entry.key_id ?? "", "faint"),
    el("span", (entry.status ?? "cut") + (entry.replayed ? " replayed" : "") +
      (entry.faults.length ? " " + entry.faults.join(", ") : ""), entry.status < 400 && entry.status ? "good" : "bad"),
    entry.duration_ms === null ? "…" : Math.round(entry.duration_ms * 10) / 10)));
  $("limits").replaceChildren(...limits.map((each) => row(
    el("code", each.key_id), each.remaining, each.limit, el("time", clockTime(each.reset)))));
  $("faults").replaceChildren(...faults.map(({ fault, struck }) => row(
    el("code", (fault.match.method ?? "any") + " " + (fault.match.path ?? "any")), fault.effect.type, struck)));
  await showKinds(objects);
};

const act = (work) => async () => {
  try { say((await work()) ?? ""); await refresh(); } catch (error) { say(error.message); }
};
for (const button of document.querySelectorAll("[data-advance]")) {
  button.onclick = act(async () => void await call("PUT", "/clock", { advance: button.dataset.advance }));
}
$("create-key").onclick = act(async () => {
  const name = prompt("Name of the key", "pipeline");
  if (!name) return;
  const permissions = (prompt("Scopes, separated by commas", "admin") ?? "").split(",").map((each) => each.trim());
  const key = await call("POST", "/keys", { name, permissions });
  return key.id + " (its value is not shown again): " + key.value;
});
$("reset").onclick = act(async () => {
  if (confirm("Delete everything and start over?")) await call("POST", "/reset");
});

let failed = false;
const poll = async () => {
  if (!document.hidden) {
    try { await refresh(); if (failed) say(""); failed = false; }
    catch (error) { failed = true; say(error.message); }
  }
  setTimeout(poll, 1500);
};
poll();
`;
