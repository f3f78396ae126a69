/** What this emulator is, how a program reaches it, and all that it holds, as a map. */
import { useState } from "preact/hooks";
import { FormButton } from "./form";
import { CreateKey, Lines, useHealth, type Health } from "./keys";
import { call, SHOWN_MAX, useObjects, type Data } from "./live";
import { Badge, Card, CopyButton, Facts, Problem, title, useTry } from "./parts";

/** The first view: what it is, and how a program uses it. */
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
              Run it, and <a href="#/requests">watch what it asks</a>.
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

function ThisEmulator({ health }: { health: Health }) {
  const { limits, twin_of: _, status: __, ...others } = health;
  const windows = limits?.map((each) => `${each.requests} in ${each.windowMs / 1_000} s`);
  const address = `${location.origin}/v1`;
  const actions = <CopyButton text={address} name="Address to clipboard" />;
  return (
    <Card heading="This emulator" actions={actions}>
      <Facts of={{ address, ...others, limits: windows ?? "those of the plan" }} />
    </Card>
  );
}

const Node = ({ kind, object }: { kind: string; object: Data }) => (
  <a class="node" href={`#/objects/${kind}/${encodeURIComponent(String(object["id"]))}`}>
    <span>{String(object["name"] ?? object["id"])}</span>
    {object["status"] !== undefined && <Badge of={object["status"]} />}
  </a>
);

function WorldMap() {
  const servers = useObjects("server");
  const lists = { instance: useObjects("instance"), backup: useObjects("backup") };
  const around = { api_key: useObjects("api_key"), team: useObjects("team") };
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
      {servers?.total === 0 && <p class="empty">No server yet. Your program makes them.</p>}
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
      {Object.entries(around).map(([kind, list]) => (
        <div class="around">
          <h3>{`${title(kind)}s`}</h3>
          {list?.total === 0
            ? "none"
            : list?.objects.map((object) => <Node {...{ kind, object }} />)}
        </div>
      ))}
      {Object.entries({ server: servers, ...lists, ...around }).map(([kind, list]) => {
        const text = `${title(kind)}s: the first ${SHOWN_MAX} of ${list?.total}, see all`;
        return list && list.total > SHOWN_MAX && <a href={`#/objects/${kind}`}>{text}</a>;
      })}
    </Card>
  );
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
        <a class="button" href="/_emulator/snapshot" download="erphost-snapshot.json">
          Download snapshot
        </a>
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
