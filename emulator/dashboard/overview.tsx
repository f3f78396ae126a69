/** What this emulator is, how a program reaches it, and all that it holds, as a map. */
import { FormButton } from "./form";
import { CreateKey, Lines, useHealth, type Health } from "./keys";
import { call, SHOWN_MAX, useObjects, type Data } from "./live";
import { address, useField } from "./objects";
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

const AFTER_RESET = {
  copy: "The copy of the account is put back.",
  seed: "The seed is planted again.",
  nothing: "",
};

function ThisEmulator({ health }: { health: Health }) {
  const { limits, twin_of: twin, status: _, resets_to: to, ...others } = health;
  const after = twin && to !== "copy" ? "The copy of the account is gone then." : AFTER_RESET[to];
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
          ask={`This deletes every object, key, request, webhook and mail. The admin key stays. ${after}`}
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

function WorldMap() {
  const field = useField();
  const below = { instance: useObjects("instance"), backup: useObjects("backup") };
  const around = { api_key: useObjects("api_key"), team: useObjects("team") };
  const lists: Lists = { server: useObjects("server"), ...below, ...around };
  const isOn = (part: string, object: Data, kind: string, { id }: Data) =>
    BELOW[kind]?.includes(part) === true && field(part, object, `${kind}_id`) === id;
  const shown = Object.entries(lists).flatMap(([kind, list]) =>
    (list?.objects ?? []).map((object) => [kind, object] as const),
  );
  const isLoaded = Object.values(lists).every((list) => list !== undefined);
  const branchOf = ([kind, object]: (typeof shown)[number]) => {
    const status = field(kind, object, "status");
    return (
      <li>
        <a class="hstack unstyled" href={address(kind, object["id"])}>
          <span>{String(field(kind, object, "name") ?? object["id"])}</span>
          {status !== undefined && <Badge of={status} />}
        </a>
        <ul>{shown.filter((each) => isOn(...each, kind, object)).map(branchOf)}</ul>
      </li>
    );
  };
  return (
    <Card heading="Servers and what is on them">
      {Object.keys(lists).map((kind) => {
        const own = shown.filter((each) => each[0] === kind);
        const top = own.filter((each) => !shown.some((other) => isOn(...each, ...other)));
        if (kind in below && !(isLoaded && top.length > 0)) return null;
        return (
          <>
            {kind !== "server" && <h3>{`${title(kind)}s${kind in below ? " elsewhere" : ""}`}</h3>}
            {lists[kind]?.total === 0 && <p class="text-light">{`No ${kind} yet.`}</p>}
            <ul class="map columns">{top.map(branchOf)}</ul>
          </>
        );
      })}
      {Object.entries(lists).map(([kind, list]) => {
        const text = `${title(kind)}s: the first ${SHOWN_MAX} of ${list?.total}, see all`;
        return list && list.total > SHOWN_MAX && <a href={`#/objects/${kind}`}>{text}</a>;
      })}
    </Card>
  );
}
