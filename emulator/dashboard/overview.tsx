/** What this emulator is, how a program reaches it, and all that it holds, as a map. */
import { FormButton } from "./form";
import { CreateKey, Lines, useHealth, type Health } from "./keys";
import { call, SHOWN_MAX, useObjects, type Data } from "./live";
import { address } from "./objects";
import { Action, Badge, Card, CopyButton, Facts, title } from "./parts";

/** The first view: what it is, and how a program uses it. */
export function Overview() {
  const health = useHealth();
  return (
    <>
      <div class="columns">
        <Card heading="Use it from your program">
          <p>
            Create a key, paste its lines into the shell that runs your program, and{" "}
            <a href="#/requests">watch what it asks</a>.
          </p>
          <CreateKey />
          <Lines />
        </Card>
        {health && <ThisEmulator health={health} />}
      </div>
      <WorldMap />
    </>
  );
}

/** Asks for a file. */
const restore = () =>
  new Promise<void>((done, failed) => {
    const input = document.createElement("input");
    const put = async () =>
      call("PUT", "/snapshot", JSON.parse((await input.files?.[0]?.text()) ?? ""));
    input.type = "file";
    input.onchange = () => put().then(() => done(), failed);
    input.click();
  });

function ThisEmulator({ health }: { health: Health }) {
  const { limits, twin_of: _, status: __, ...others } = health;
  const windows = limits?.map((each) => `${each.requests} in ${each.windowMs / 1_000} s`);
  const address = `${location.origin}/v1`;
  return (
    <Card heading="This emulator" actions={<CopyButton text={address} name="Copy address" />}>
      <Facts of={{ address, ...others, limits: windows ?? "those of the plan" }} />
      <p>A snapshot is the whole state of one moment, to go back to before each rehearsal.</p>
      <div class="hstack">
        <a class="button outline" href="/_emulator/snapshot" download="erphost-snapshot.json">
          Download snapshot
        </a>
        <Action name="Restore snapshot" run={restore} done="The snapshot is restored." />
        <FormButton
          {...{ name: "Reset", submit: "Reset", tone: "danger" }}
          ask="This deletes every object, key, request, webhook and mail. The admin key stays."
          onSubmit={() => call("POST", "/reset")}
        />
      </div>
    </Card>
  );
}

type Lists = Readonly<Record<string, ReturnType<typeof useObjects>>>;

/** What is on what, by a field that is named after the other's kind. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  server: ["backup", "instance"],
  instance: ["backup"],
};

function Branch(props: { kind: string; object: Data; lists: Lists }) {
  const { kind, lists } = props;
  const { id, name, status } = props.object;
  const below = BELOW[kind]?.flatMap((part) => {
    const found = lists[part]?.objects.filter((each) => each[`${kind}_id`] === id) ?? [];
    return found.map((object) => <Branch {...{ kind: part, object, lists }} />);
  });
  return (
    <li>
      <a class="hstack unstyled" href={address(kind, id)}>
        <span>{String(name ?? id)}</span>
        {status !== undefined && <Badge of={status} />}
      </a>
      <ul>{below}</ul>
    </li>
  );
}

function WorldMap() {
  const around = { api_key: useObjects("api_key"), team: useObjects("team") };
  const below = { instance: useObjects("instance"), backup: useObjects("backup") };
  const lists: Lists = { server: useObjects("server"), ...around, ...below };
  return (
    <Card heading="Servers and what is on them">
      {["server", ...Object.keys(around)].map((kind) => (
        <>
          {kind in around && <h3>{`${title(kind)}s`}</h3>}
          {lists[kind]?.total === 0 && <p class="text-light">{`No ${kind} yet.`}</p>}
          <ul class="map columns">
            {lists[kind]?.objects.map((object) => (
              <Branch {...{ kind, object, lists }} />
            ))}
          </ul>
        </>
      ))}
      {Object.entries(lists).map(([kind, list]) => {
        const text = `${title(kind)}s: the first ${SHOWN_MAX} of ${list?.total}, see all`;
        return list && list.total > SHOWN_MAX && <a href={`#/objects/${kind}`}>{text}</a>;
      })}
    </Card>
  );
}
