/** What this emulator is, how a program reaches it, and all that it holds, as a map. */
import { useState } from "preact/hooks";
import { FormButton } from "./form";
import { CreateKey, Lines, useHealth, type Health } from "./keys";
import { call, useLive, type Data } from "./live";
import { Action, Badge, Card, CopyButton, Facts, Problem, title, useTry } from "./parts";

/** Objects of a kind that the map draws at most. */
const MAP_MAX = 200;

/** The first view. */
export function Overview() {
  const health = useHealth();
  return (
    <>
      <Card heading="Use it from your program">
        <ol class="steps">
          <li>
            <p>Create a key. Its secret is shown once, with the lines for your shell.</p>
            <CreateKey />
          </li>
          <li>
            <p>Paste those lines into the shell that runs your program.</p>
            <Lines health={health} />
          </li>
          <li>
            <p>
              Run it: <code>pulumi up</code>, <code>tofu apply</code>,{" "}
              <code>npx erphost whoami</code>. Its <a href="#/requests">requests</a> show as they
              are made.
            </p>
          </li>
        </ol>
      </Card>
      <WorldMap />
      {health && <ThisEmulator health={health} />}
      <Snapshots />
    </>
  );
}

function ThisEmulator({ health: { limits, twin_of: _, status: __, ...health } }: { health: Health }) {
  const address = `${location.origin}/v1`;
  const windows = limits?.map((each) => `${each.requests} in ${each.windowMs / 1_000} s`);
  const facts = { address, ...health, limits: windows ?? "those of plan and key class" };
  return (
    <Card heading="This emulator" actions={<CopyButton text={address} name="Copy address" />}>
      <Facts of={facts} />
    </Card>
  );
}

const useKind = (kind: string) =>
  useLive<{ objects: readonly Data[]; total: number }>(
    `/objects/${kind}?per_page=${MAP_MAX}&order=asc`,
    ["objects"],
  );

/** A link to an object, with its state. */
const Node = ({ kind, object }: { kind: string; object: Data }) => (
  <a class="node" href={`#/objects/${kind}/${encodeURIComponent(String(object["id"]))}`}>
    <span>{String(object["name"] ?? object["id"])}</span>
    {object["status"] !== undefined && <Badge of={object["status"]} />}
  </a>
);

function WorldMap() {
  const servers = useKind("server");
  const lists = { instance: useKind("instance"), backup: useKind("backup") };
  const around = { api_key: useKind("api_key"), team: useKind("team") };
  /** Objects that refer to one, and what refers to them. */
  const below = (kind: "backup" | "instance", field: string, id: unknown) =>
    lists[kind]?.objects
      .filter((each) => each[field] === id)
      .map((object) => (
        <li>
          <Node {...{ kind, object }} />
          {kind === "instance" && <ul>{below("backup", "instance_id", object["id"])}</ul>}
        </li>
      ));
  return (
    <Card heading="Servers and what is on them">
      {servers?.total === 0 && (
        <p class="empty">
          No server yet. Your program makes them, or <a href="#/objects/server">you do</a>.
        </p>
      )}
      <ul class="map">
        {servers?.objects.map((object) => (
          <li>
            <Node {...{ kind: "server", object }} />
            <ul>
              {below("backup", "server_id", object["id"])}
              {below("instance", "server_id", object["id"])}
            </ul>
          </li>
        ))}
      </ul>
      {servers && servers.total > MAP_MAX && (
        <a href="#/objects/server">{`The first ${MAP_MAX} of ${servers.total}: see all`}</a>
      )}
      {Object.entries(around).map(([kind, list]) => (
        <div class="around">
          <h3>{`${title(kind)}s`}</h3>
          {list?.total === 0
            ? "none"
            : list?.objects.map((object) => <Node {...{ kind, object }} />)}
        </div>
      ))}
    </Card>
  );
}

async function download(): Promise<void> {
  const text = JSON.stringify(await call("GET", "/snapshot"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = "erphost-snapshot.json";
  link.click();
  URL.revokeObjectURL(link.href);
}

const RESET = "This deletes every object, key, request, webhook and mail. The admin key stays.";

function Snapshots() {
  const [done, setDone] = useState("");
  const [problem, attempt] = useTry();
  const restore = async (input: HTMLInputElement): Promise<void> => {
    const [file] = input.files ?? [];
    input.value = "";
    if (file) await call("PUT", "/snapshot", JSON.parse(await file.text()));
    setDone("The snapshot is restored.");
  };
  const reset = () => call("POST", "/reset").then(() => setDone("Everything is as at the start."));
  return (
    <Card heading="Snapshots">
      <p>A snapshot is the whole state of one moment, to go back to before each rehearsal.</p>
      <div class="row">
        <Action name="Download snapshot" run={download} />
        <label class="button">
          Restore snapshot
          <input type="file" onChange={(e) => attempt(() => restore(e.currentTarget))} />
        </label>
        <FormButton
          {...{ name: "Reset", ask: RESET, submit: "Reset", tone: "danger" }}
          onSubmit={reset}
        />
        <span role="status">{done}</span>
      </div>
      <Problem text={problem} />
    </Card>
  );
}
